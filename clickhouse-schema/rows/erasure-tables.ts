import { timeText } from './column-values.ts';
import { createdMs, ORIGIN, SCOPE } from './common-columns.ts';
import { factTable } from './table.ts';

/** Erasures of players and their progress. The rows are kept after the player's own rows are deleted. */

const erasures = factTable(['PlayerErased'], (fact) => [fact])({
  placing: null,
  replacing: true,
  receivedMs: (fact) => fact.at,
  columns: {
    ...SCOPE,
    player_id: (fact) => fact.entityId,
    erased_at: (fact) => timeText(fact.at),
    received_at: (fact) => timeText(fact.at),
    rows_deleted: () => 0,
    step: () => 0,
    facts_created: (_, origin) => String(createdMs(origin.stream)),
    ...ORIGIN,
    device_id: (fact) => fact.deviceId ?? '',
  },
});

export const ERASURE_TABLES = { erasures };
