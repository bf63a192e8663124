import { decodeJson, encodeJson } from '../../../core/codec/codec.ts';

/**
 * What a member writes to OWNERS `member.<node>` about once a second. With 256 partitions, the most a deployment may
 * have, a beat takes about a kilobyte.
 */
export interface MemberBeat {
  /** Changes with every beat, so that watchers see that the member is alive. */
  beat: number;
  /** Partitions that the member could lead at once: its local store follows FACTS closely. */
  ready: PartitionSet;
  /** Partitions that the member must not lead. */
  refuses: PartitionSet;
  /** Why it refuses, for operators. */
  reason?: string;
}

type PartitionSet = ReadonlySet<number> | 'all';

export function encodeBeat({ beat, ready, refuses, reason }: MemberBeat): Uint8Array {
  return encodeJson({
    beat,
    ready: listOf(ready),
    refuses: listOf(refuses),
    ...(reason === undefined ? {} : { reason }),
  });
}

/**
 * Reads a beat. Unknown fields are ignored. A value that is no beat counts as one of a member that is ready for
 * nothing: the member is alive, and nothing else is certain.
 */
export function decodeBeat(data: Uint8Array): MemberBeat {
  const value = parsed(data);
  const fields = new Map<string, unknown>(typeof value === 'object' && value !== null ? Object.entries(value) : []);
  const reason = fields.get('reason');
  return {
    beat: numberIn(fields, 'beat'),
    ready: setIn(fields, 'ready'),
    refuses: setIn(fields, 'refuses'),
    ...(typeof reason === 'string' ? { reason } : {}),
  };
}

export const includes = (partitions: PartitionSet, partition: number): boolean =>
  partitions === 'all' || partitions.has(partition);

function parsed(data: Uint8Array): unknown {
  try {
    return decodeJson(data);
  } catch {
    return undefined;
  }
}

const listOf = (partitions: PartitionSet): 'all' | number[] =>
  partitions === 'all' ? 'all' : [...partitions].sort((a, b) => a - b);

function numberIn(fields: ReadonlyMap<string, unknown>, name: string): number {
  const value = fields.get(name);
  return typeof value === 'number' ? value : 0;
}

function setIn(fields: ReadonlyMap<string, unknown>, name: string): PartitionSet {
  const value = fields.get(name);
  if (value === 'all') return 'all';
  return new Set(Array.isArray(value) ? value.filter((each) => typeof each === 'number') : []);
}
