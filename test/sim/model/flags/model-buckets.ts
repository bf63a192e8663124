import type { PlayerState } from '../../../../core/vocabulary/state/state.ts';

/* What puts players into buckets, read again from the documents. */

/** Attributes are numbers here. */
export function keyIn(by: string, state: PlayerState): string | undefined {
  if (by === 'player') return state.id;
  if (by === 'device') return state.deviceId ?? undefined;
  const value: unknown = JSON.parse(state.attributes)[by.slice('attribute:'.length)];
  return typeof value === 'number' ? String(value) : undefined;
}

/** Added for a draw by something that a player may change. */
export const CHANGEABLE = 2 ** 31;

/** The same number for all players with the same key; 1 with several. */
export function clusterIn([by = '', ...others]: readonly string[], state: PlayerState): number {
  if (others.length > 0) return 1;
  const hash = Number(fnv1a(`${by}\n${keyIn(by, state) ?? ''}`));
  return hash < 2 ? 2 : hash;
}

const buckets = new Map<string, number>();

/** GrowthBook's hash, version 2: an integer from 0 to 9,999. */
export function bucketOf(seed: string, id: string): number {
  const text = seed + id;
  const bucket = buckets.get(text) ?? Number(fnv1a(String(fnv1a(text))) % 10_000n);
  buckets.set(text, bucket);
  return bucket;
}

export function fnv1a(text: string): bigint {
  let hash = 0x811c9dc5n;
  for (const byte of Buffer.from(text)) hash = ((hash ^ BigInt(byte)) * 0x01000193n) & 0xffffffffn;
  return hash;
}
