import { attributesOf } from '../../conditions/player-attributes.ts';
import type { PlayerState } from '../../../core/vocabulary/state/state.ts';

/*
 * The language of a player, and the languages of a message that fit it. Tags are compared as RFC 4647 says ("Lookup"):
 * without regard to case, and each shorter one in turn.
 */

/** The language tag (BCP 47) of a text such as `de-AT`, `de_AT` or `de_AT.UTF-8`, in lower case; undefined: none. */
export function languageTag(text: string): string | undefined {
  if (text.length > MOST_LENGTH) return undefined;
  const tag = text.trim().toLowerCase().replaceAll('_', '-').split(/[.@]/, 1)[0] ?? '';
  const [language = '', ...subtags] = tag.split('-');
  return LANGUAGE.test(language) && subtags.every((subtag) => SUBTAG.test(subtag)) ? tag : undefined;
}

const MOST_LENGTH = 64;
const LANGUAGE = /^[a-z]{2,3}$/;
const SUBTAG = /^[a-z0-9]{1,8}$/;

/** The tag of the player's attribute `language`, else of `locale`, else of the device. */
export function languageOf(player: PlayerState): string | undefined {
  for (const name of ATTRIBUTES) {
    if (!player.attributes.includes(`"${name}"`)) continue;
    const value = attributesOf(player)[name];
    const tag = typeof value === 'string' ? languageTag(value) : undefined;
    if (tag !== undefined) return tag;
  }
  const device = player.device?.locale ?? null;
  return device === null ? undefined : languageTag(device);
}

const ATTRIBUTES = ['language', 'locale'] as const;

/** The tags to look for, the longest first: `zh-hant-tw`, `zh-hant`, `zh`. */
export function lookupChain(tag: string): string[] {
  const chain: string[] = [];
  const parts = tag.split('-');
  while (parts.length > 0) {
    chain.push(parts.join('-'));
    parts.pop();
    // A single letter begins an extension, and means nothing without what follows it.
    if (parts.at(-1)?.length === 1) parts.pop();
  }
  return chain;
}
