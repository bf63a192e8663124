import { decodeJson, encodeJson } from '../../codec.ts';
import type { Bucket } from '../../log.ts';

/** How far FACTS was matched: up to and including `sequence` of the stream created at `stream`. */
export interface MatcherPosition {
  stream: string;
  sequence: number;
}

/**
 * The webhooks position in the bucket POSITIONS, as JSON `{"stream", "sequence"}`, moved by compare-and-set: whoever moves
 * it from a revision it did not read has been replaced.
 */
export interface MatcherPositionStore {
  /** What is stored; `undefined`: nothing yet. */
  load(): Promise<MatcherPosition | undefined>;
  /** `taken`: somebody else moved it since `load`. `unknown`: try again. */
  save(position: MatcherPosition): Promise<'saved' | 'taken' | 'unknown'>;
}

const KEY = 'webhooks';

export function createMatcherPositionStore(bucket: Bucket): MatcherPositionStore {
  let revision = 0;
  /** A write that was not answered may have landed: then the stored value is ours and its revision is new to us. */
  let unanswered: MatcherPosition | undefined;

  async function load(): Promise<MatcherPosition | undefined> {
    const entry = await bucket.get(KEY);
    revision = entry?.revision ?? 0;
    return entry?.value === undefined ? undefined : parse(decodeJson(entry.value));
  }

  return {
    load,
    async save(position) {
      if (unanswered !== undefined) {
        const before = revision;
        const stored = await load();
        const ours = stored?.stream === unanswered.stream && stored.sequence === unanswered.sequence;
        if (revision !== before && !ours) return 'taken';
        unanswered = undefined;
        if (ours && stored.sequence === position.sequence) return 'saved';
      }
      const outcome = await bucket.put(KEY, encodeJson(position), revision);
      switch (outcome.kind) {
        case 'written':
          revision = outcome.revision;
          return 'saved';
        case 'conflict':
          return 'taken';
        case 'unknown':
          unanswered = position;
          return 'unknown';
      }
    },
  };
}

function parse(value: unknown): MatcherPosition | undefined {
  if (typeof value !== 'object' || value === null || !('stream' in value) || !('sequence' in value)) return undefined;
  const { stream, sequence } = value;
  return typeof stream === 'string' && typeof sequence === 'number' ? { stream, sequence } : undefined;
}
