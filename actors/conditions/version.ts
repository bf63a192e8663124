import { LIMITS } from '../../src/kernel/limits.ts';
import type { Json } from '../../src/kernel/json.ts';

/**
 * Text that sorts as the version does (GrowthBook's SDK specification, version strings): a leading `v` and everything from
 * `+` on are left out, the rest is cut at `-` and `.`, numbers are padded with spaces, and three parts get a `~`, so that
 * a release sorts after its pre-releases. What is neither text nor number counts as version 0.
 *
 * The specification pads to 5 digits, by which 1.0.100000 comes before 1.0.99999; here it is 16, as build numbers are longer.
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

/** A game has few versions and every player one of them. */
const remembered = new Map<string, string>();

function padded(version: string): string {
  const parts = version.replace(/^v/, '').replace(/\+.*$/s, '').split(/[-.]/);
  if (parts.length === 3) parts.push('~');
  return parts.map((part) => (/^\d+$/.test(part) ? part.padStart(16, ' ') : part)).join('-');
}

const ZERO = padded('0');
