import { CONDITION_LIMITS } from '../limits.ts';
import type { Json } from '../../../core/kernel/text/json.ts';

/**
 * Converts a version to text that sorts in version order: up to four numeric parts, of which missing ones are 0, and a
 * pre-release after `-`, which is earlier than the release and ordered as in Semantic Versioning 2.0. A leading `v` and
 * everything from `+` on are ignored. Unlike there, a numeric part may begin with zeros: `2024.05.01` is a version.
 * @returns `undefined` for a value that is no version, also for null and ""
 */
export function sortableVersion(value: Json): string | undefined {
  const version = typeof value === 'number' ? String(value) : value;
  if (typeof version !== 'string') return undefined;
  if (remembered.has(version)) return remembered.get(version);
  const sortable = sortableText(version);
  if (version.length <= CONDITION_LIMITS.rememberedVersionLength) {
    if (remembered.size >= CONDITION_LIMITS.rememberedVersions) remembered.clear();
    remembered.set(version, sortable);
  }
  return sortable;
}

/** A cache: a game has few versions, and every player has one of them. */
const remembered = new Map<string, string | undefined>();

const PARTS = 4;
/** Sorts after every pre-release. */
const RELEASE = '~';

function sortableText(version: string): string | undefined {
  const [withoutBuild = ''] = version.split('+', 1);
  const text = /^v/i.test(withoutBuild) ? withoutBuild.slice(1) : withoutBuild;
  const dash = text.indexOf('-');
  const parts = (dash < 0 ? text : text.slice(0, dash)).split('.');
  if (parts.length > PARTS || !parts.every((part) => DIGITS.test(part))) return undefined;
  while (parts.length < PARTS) parts.push('0');
  const release = parts.map(sortableNumber).join('');
  if (dash < 0) return release + RELEASE;
  const identifiers = text.slice(dash + 1).split('.');
  return identifiers.every((one) => IDENTIFIER.test(one))
    ? release + identifiers.map(sortableIdentifier).join('')
    : undefined;
}

const DIGITS = /^\d+$/;
const IDENTIFIER = /^[\dA-Za-z-]+$/;

/** Numbers are earlier than texts, and fewer identifiers than more: the separators are smaller than every character. */
function sortableIdentifier(identifier: string): string {
  return DIGITS.test(identifier) ? ` !${sortableNumber(identifier)}` : ` "${identifier}`;
}

/** The number of digits goes first, so that numbers of any length sort. */
function sortableNumber(digits: string): string {
  const significant = digits.replace(/^0+/, '');
  return String(significant.length).padStart(4, '0') + significant;
}
