import { createdMs, ORIGIN, SCOPE } from '../common-columns.ts';
import { text, time, uint64, uint8, uuid } from '../column-types.ts';
import { factTable } from './table.ts';

/** Erasures of players and their progress. The rows are kept after the player's own rows are deleted. */

const erasures = factTable(['PlayerErased'], (fact) => [fact])({
  placing: null,
  onMerge: null,
  replacing: true,
  receivedMs: (fact) => fact.at,
  columns: {
    ...SCOPE,
    player_id: uuid((fact) => fact.entityId),
    erased_at: time((fact) => fact.at),
    received_at: time((fact) => fact.at),
    rows_deleted: uint64(() => 0),
    step: uint8(() => 0),
    facts_created: uint64((_, origin) => createdMs(origin.stream)),
    ...ORIGIN,
    device_id: text((fact) => fact.deviceId ?? ''),
  },
});

export const ERASURE_TABLES = { erasures };
