import { createdMs, ORIGIN, SCOPE } from '../common-columns.ts';
import { text, time, uint64, uint8, uuid } from '../column-types.ts';
import { factTable } from './table.ts';

/**
 * Merges of guests into accounts, and their take-backs, with how far their rows are moved. An account that gives back
 * what it had not absorbed has no rows of the guest.
 */
const player_merges = factTable(['PlayerAbsorbed', 'GuestReleased'], (fact) => (fact.guest.length > 0 ? [fact] : []))({
  placing: 'facts',
  onMerge: 'keep',
  replacing: true,
  receivedMs: (fact) => fact.at,
  columns: {
    ...SCOPE,
    player_id: uuid((fact) => fact.guestId),
    external_id: text((fact) => fact.guestExternalId),
    into_player_id: uuid((fact) => fact.entityId),
    into_external_id: text((fact) => fact.externalId),
    merge_id: text((fact) => fact.mergeId),
    merged_at: time((fact) => (fact.kind === 'PlayerAbsorbed' ? fact.mergedAt : fact.at)),
    received_at: time((fact) => fact.at),
    undone: uint8((fact) => (fact.kind === 'GuestReleased' ? 1 : 0)),
    step: uint8(() => 0),
    facts_created: uint64((_, origin) => createdMs(origin.stream)),
    ...ORIGIN,
  },
});

export const MERGE_TABLES = { player_merges };
