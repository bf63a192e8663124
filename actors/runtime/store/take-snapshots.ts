import { encodeFacts } from '../../../core/codec/codec.ts';
import type { EntitySnapshot } from '../../../core/vocabulary/facts/facts.ts';
import { OWNER_LIMITS } from '../limits.ts';
import type { Entities } from '../term/entities.ts';

/** Snapshots, and the same as values of a record. */
interface TakenSnapshots {
  snapshots: EntitySnapshot[];
  values: Uint8Array[];
  valueBytes: number;
}

/** At most half a record of snapshots, and at least one if one is due. */
export function takeSnapshots(
  entities: Pick<Entities, 'inBulk'>,
  ids: readonly string[],
  nowMs: number,
): TakenSnapshots {
  const taken: TakenSnapshots = { snapshots: [], values: [], valueBytes: 0 };
  for (const entityId of ids) {
    const state = entities.inBulk(entityId);
    if (state === undefined) continue;
    const { game, environment } = state;
    const snapshot: EntitySnapshot = { kind: 'EntitySnapshot', entityId, game, environment, at: nowMs, state };
    const values = encodeFacts([snapshot]);
    const valueBytes = values.reduce((sum, { length }) => sum + length, taken.valueBytes);
    if (valueBytes > OWNER_LIMITS.commitBytes / 2 && taken.snapshots.length > 0) break;
    taken.snapshots.push(snapshot);
    taken.values.push(...values);
    taken.valueBytes = valueBytes;
  }
  return taken;
}
