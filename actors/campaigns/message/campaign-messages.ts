import { createSplit } from '../../flags/draw/split.ts';
import { charge } from '../../conditions/steps.ts';
import type { Campaign, DefinitionLookup } from '../../decision/targeting.ts';
import type {
  LocalizedMessage,
  MessageContent,
  MessageVariant,
  RenderedMessage,
} from '../../../core/vocabulary/message.ts';
import type { CampaignDocument } from '../../../core/vocabulary/documents/documents.ts';
import type { PlayerState } from '../../../core/vocabulary/state/state.ts';
import { compileMessage, type CompiledMessage } from './compile-message.ts';
import { languageOf, languageTag, lookupChain } from './language.ts';
import { MESSAGE_LIMITS } from './limits.ts';

/**
 * What a campaign gives to a player: the variant, by the draw of flags with the campaign's id as its salt, and the
 * message in the player's language.
 */
export function campaignMessages(
  { id, content, variants = [] }: CampaignDocument,
  lookup: DefinitionLookup | undefined,
): Pick<Campaign, 'variantOf' | 'hasVariant' | 'render'> {
  const split = createSplit(
    id,
    variants.map((item) => ({ weight: item.weight, item: item.key })),
  );
  const all = new Map<string | undefined, MessageIn>([[undefined, messageIn(content, lookup)]]);
  const variantNamed = new Map(variants.map((variant) => [variant.key, variant]));
  const messageOf = (key: string | undefined): MessageIn => {
    const variant = key === undefined ? undefined : variantNamed.get(key);
    const held = all.get(variant?.key);
    if (held !== undefined) return held;
    const made = messageIn(contentOf(variant, content), lookup);
    all.set(variant?.key, made);
    return made;
  };
  return {
    variantOf: (playerId) => split?.itemOf(playerId),
    hasVariant: (key) => variantNamed.has(key),
    render(subject, variant) {
      charge(RENDER_STEPS);
      return messageOf(variant)(subject.player)(subject);
    },
  };
}

/** A message costs about as much as five conditions. */
const RENDER_STEPS = 200;

const contentOf = (variant: MessageVariant | undefined, content: MessageContent): MessageContent =>
  variant?.content ?? content;

/** The message in a language, compiled once for each language that it has. */
type MessageIn = (player: PlayerState) => CompiledMessage;

function messageIn(content: MessageContent, lookup: DefinitionLookup | undefined): MessageIn {
  const locales = new Map<string, { tag: string; localized: LocalizedMessage }>();
  for (const [tag, localized] of Object.entries(content.locales ?? {})) {
    locales.set(languageTag(tag) ?? tag, { tag, localized });
  }
  const compiled = new Map<string | null, CompiledMessage>();
  return (player) => {
    const language = locales.size === 0 ? undefined : languageOf(player);
    const chain = language === undefined ? [] : lookupChain(language).flatMap((tag) => locales.get(tag) ?? []);
    const locale = chain[0]?.tag ?? null;
    const held = compiled.get(locale);
    if (held !== undefined) return held;
    const made = compileMessage(
      content,
      chain.map(({ localized }) => localized),
      locale,
      lookup,
    );
    if (compiled.size < MESSAGE_LIMITS.compiled) compiled.set(locale, made);
    return made;
  };
}

/** The characters of a message: about its bytes in a record. */
export function sizeOf({ title, body, cta, image, deepLink, data, buttons }: RenderedMessage): number {
  const own = title.length + body.length + cta.length + lengthOf(image) + lengthOf(deepLink) + lengthOf(data);
  return buttons.reduce((sum, { id, label, action }) => sum + id.length + label.length + action.length, own);
}

const lengthOf = (text: string | null): number => text?.length ?? 0;
