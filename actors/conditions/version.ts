import { LIMITS } from '../../src/kernel/limits.ts';
import type { Json } from '../../src/kernel/json.ts';

/**
 * Converts a version to text that sorts in version order (GrowthBook's SDK specification, version strings): removes a
 * leading `v` and everything from `+` on, splits the rest at `-` and `.`, pads numbers with spaces, and appends `~` to
 * three parts so that a release sorts after its pre-releases. A value that is neither text nor number counts as version
 * 0.
 *
 * The specification pads to 5 digits, which sorts 1.0.100000 before 1.0.99999. This pads to 16: build numbers are
 * longer.
 */
export function sortableVersion(value: Json): string {
  const version = typeof value === 'number' ? String(value) : value;
  if (typeof version !== 'string' || version === '') return ZERO;
  const known = remembered.get(version);
  if (known !== undefined) return known;
  const sortable = padded(version);
  if (version.length <= LIMITS.rememberedVersionLength) {
    if (remembered.size >= LIMITS.rememberedVersions) remembered.clear();
    remembered.set(version, sortable);
  }
  return sortable;
}

/** A cache: a game has few versions, and every player has one of them. */
const remembered = new Map<string, string>();

function padded(version: string): string {
  const parts = version.replace(/^v/, '').replace(/\+.*$/s, '').split(/[-.]/);
  if (parts.length === 3) parts.push('~');
  return parts.map((part) => (/^\d+$/.test(part) ? part.padStart(16, ' ') : part)).join('-');
}

const ZERO = padded('0');
