import { decodeJson, encodeJson } from '../codec.ts';
import type { StreamName } from '../definitions.ts';
import type { Bucket, Log, StreamBounds } from '../log/log.ts';

/**
 * Positions of sinks: JSON documents in the bucket POSITIONS, readable with any NATS tool.
 *
 * | key | value |
 * |---|---|
 * | `clickhouse` | `SinkPosition` |
 * | `clickhouse-records` | `SinkPosition`, in RECORDS |
 * | `webhooks` | `SinkPosition` without an intent |
 * | `rebuild.<partition>` | `RebuildMark` |
 */
export interface SinkPosition {
  /** The stream's creation, as the broker spells it: a position in another incarnation means nothing. */
  stream: string;
  /** Every record up to and including this sequence is handled. */
  sequence: number;
  /** Records being handled now; a restart repeats exactly these, as one. Both ends included. */
  intent?: { from: number; to: number };
}

/** From this sequence on, replay suffices: everything before is in snapshots that are in ClickHouse. */
export interface RebuildMark {
  stream: string;
  coveredTo: number;
}

export const rebuildKey = (partition: number): string => `rebuild.${partition}`;

/**
 * One key of POSITIONS, moved by compare-and-set from what this store last saw. Rejects only when the broker cannot be
 * read.
 */
export interface PositionStore<T> {
  /** What is stored; `undefined`: nothing, or nothing this program can read. */
  load(): Promise<T | undefined>;
  /** `taken`: somebody else moved it since `load`. `unknown`: save the same again. */
  save(value: T): Promise<'saved' | 'taken' | 'unknown'>;
}

export function createPositionStore<T>(
  bucket: Bucket,
  key: string,
  parse: (value: unknown) => T | undefined,
): PositionStore<T> {
  let revision = 0;
  /** Text of a write that was not answered: it may have landed, and then its revision is new to us. */
  let unanswered: string | undefined;

  return {
    async load() {
      const entry = await bucket.get(key);
      revision = entry?.revision ?? 0;
      unanswered = undefined;
      return entry?.value === undefined ? undefined : parse(decodeJson(entry.value));
    },
    async save(value) {
      if (unanswered !== undefined) {
        const entry = await bucket.get(key);
        const current = entry?.revision ?? 0;
        const text = entry?.value === undefined ? undefined : Buffer.from(entry.value).toString('utf8');
        if (current !== revision && text !== unanswered) return 'taken';
        revision = current;
        unanswered = undefined;
      }
      const bytes = encodeJson(value);
      const outcome = await bucket.put(key, bytes, revision);
      if (outcome.kind === 'conflict') return 'taken';
      if (outcome.kind === 'unknown') {
        unanswered = Buffer.from(bytes).toString('utf8');
        return 'unknown';
      }
      revision = outcome.revision;
      return 'saved';
    },
  };
}

/**
 * A stored position with the bounds of its stream at one moment: whoever moves the position between two looks makes both be taken
 * again. Bounds older than the position would make it seem that it lost records; newer ones, that it was trimmed too far.
 */
export async function loadWithBounds<T>(
  store: PositionStore<T>,
  log: Pick<Log, 'info'>,
  stream: StreamName = 'FACTS',
): Promise<{ stored: T | undefined; bounds: StreamBounds }> {
  let stored = await store.load();
  for (;;) {
    const bounds = await log.info(stream);
    const again = await store.load();
    if (JSON.stringify(again) === JSON.stringify(stored)) return { stored, bounds };
    stored = again;
  }
}

/** Reads a sink's position; `undefined` for anything else. */
export function parseSinkPosition(value: unknown): SinkPosition | undefined {
  if (typeof value !== 'object' || value === null || !('stream' in value) || !('sequence' in value)) return undefined;
  const { stream, sequence } = value;
  if (typeof stream !== 'string' || typeof sequence !== 'number') return undefined;
  const intent = 'intent' in value ? parseIntent(value.intent) : undefined;
  return { stream, sequence, ...(intent === undefined ? {} : { intent }) };
}

function parseIntent(value: unknown): { from: number; to: number } | undefined {
  if (typeof value !== 'object' || value === null || !('from' in value) || !('to' in value)) return undefined;
  const { from, to } = value;
  return typeof from === 'number' && typeof to === 'number' ? { from, to } : undefined;
}

/** Reads a rebuild mark; `undefined` for anything else. */
export function parseRebuildMark(value: unknown): RebuildMark | undefined {
  if (typeof value !== 'object' || value === null || !('stream' in value) || !('coveredTo' in value)) return undefined;
  const { stream, coveredTo } = value;
  return typeof stream === 'string' && typeof coveredTo === 'number' ? { stream, coveredTo } : undefined;
}
