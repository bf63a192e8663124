import { decodeBeat, includes, type MemberBeat } from '../../actors/runtime/membership/member-beat.ts';
import { decodeJson } from '../../core/codec/codec.ts';
import { holderOf } from '../../streams/leases/lease-key.ts';
import { nodeOfHolder } from '../../streams/leases/lease-holder.ts';
import type { Bucket, BucketEntry } from '../../streams/log/log.ts';
import { sinkLeaseKey, type SinkName } from '../../streams/positions/sink-registry.ts';
import { SHARED_LIMITS } from '../../core/kernel/limits.ts';
import type { PartitionStatus, ProcessStatus } from '../api/operations/deployment-status.ts';

/** Who leads and runs what, by the beats and leases of the bucket OWNERS. */
export interface Owners {
  partitions: PartitionStatus[];
  processes: ProcessStatus[];
  /** The node that runs a sink; undefined: none does. */
  runnerOf: (sink: SinkName) => string | undefined;
}

interface Beat {
  format: number;
  roles: readonly string[];
  version: string | undefined;
  startedAt: number | undefined;
  seenAt: number;
}

const PROCESS = 'process.';
const MEMBER = 'member.';
const PARTITION = 'partition.';

/** The current entries of a bucket. Never ends while the broker does not answer. */
export function entriesOf(bucket: Pick<Bucket, 'watch'>): Promise<BucketEntry[]> {
  return new Promise((resolve) => {
    const entries: BucketEntry[] = [];
    const stop = bucket.watch({
      onEntry: (entry) => entries.push(entry),
      onCurrent() {
        resolve(entries);
        // The watch may not have been returned yet.
        queueMicrotask(() => stop());
      },
    });
  });
}

/**
 * Reads the entries as of `nowMs` of the broker's clock. A beat or lease that is older than lease and margin is of a
 * process that is gone.
 * @param partitions how many the deployment has
 */
export function ownersIn(entries: readonly BucketEntry[], partitions: number, nowMs: number): Owners {
  const sinceMs = nowMs - SHARED_LIMITS.leaseMs - SHARED_LIMITS.leaseMarginMs;
  const living = entries.filter(({ value, storedAtMs }) => value !== undefined && storedAtMs >= sinceMs);
  const beats = new Map<string, Beat>();
  const members = new Map<string, MemberBeat & { seenAt: number }>();
  const leases = new Map<string, string>();
  for (const { key, value, storedAtMs: seenAt } of living) {
    if (value === undefined) continue;
    if (key.startsWith(PROCESS)) beats.set(key.slice(PROCESS.length), beatIn(value, seenAt));
    else if (key.startsWith(MEMBER)) members.set(key.slice(MEMBER.length), { ...decodeBeat(value), seenAt });
    else {
      const holder = holderOf(value);
      if (holder !== null) leases.set(key, nodeOfHolder(holder));
    }
  }

  const byName = [...members].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const states = Array.from({ length: partitions }, (_, partition) => {
    const owner = leases.get(PARTITION + partition);
    const standbys = byName.filter(([node, { ready }]) => node !== owner && includes(ready, partition));
    const refusing = byName.filter(([, { refuses }]) => includes(refuses, partition));
    return { partition, owner, standbys: namesOf(standbys), refusedBy: namesOf(refusing) };
  });
  const nodes = [...new Set([...beats.keys(), ...members.keys()])].toSorted();
  const processes = nodes.map((node): ProcessStatus => {
    const beat = beats.get(node);
    const member = members.get(node);
    return {
      node,
      roles: beat?.roles ?? ['actors'],
      version: beat?.version,
      startedAt: beat?.startedAt,
      format: beat?.format ?? 0,
      seenAt: Math.max(beat?.seenAt ?? 0, member?.seenAt ?? 0),
      owned: states.filter(({ owner }) => owner === node).length,
      ready: states.filter(({ standbys }) => standbys.includes(node)).length,
      refusal: member === undefined || isEmpty(member.refuses) ? undefined : (member.reason ?? 'unknown'),
    };
  });
  return { partitions: states, processes, runnerOf: (sink) => leases.get(sinkLeaseKey(sink)) };
}

const namesOf = (members: readonly (readonly [string, unknown])[]): string[] => members.map(([node]) => node);

const isEmpty = (partitions: MemberBeat['refuses']): boolean => partitions !== 'all' && partitions.size === 0;

function beatIn(value: Uint8Array, seenAt: number): Beat {
  const fields = fieldsIn(value);
  const [roles, version, startedAt, format] = ['roles', 'version', 'startedAt', 'format'].map((name) =>
    fields.get(name),
  );
  return {
    format: typeof format === 'number' ? format : 0,
    roles: Array.isArray(roles) ? roles.filter((role) => typeof role === 'string') : [],
    version: typeof version === 'string' ? version : undefined,
    startedAt: typeof startedAt === 'number' ? startedAt : undefined,
    seenAt,
  };
}

function fieldsIn(value: Uint8Array): Map<string, unknown> {
  try {
    const beat = decodeJson(value);
    return new Map(typeof beat === 'object' && beat !== null ? Object.entries(beat) : []);
  } catch {
    return new Map();
  }
}
