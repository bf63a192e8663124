import type { decodeScores } from '../../../../core/codec/codec.ts';
import { keyKindOf, saidCells } from '../compare/event-columns.ts';
import { bool, money, optionalTime, time, wellFormed, type Cell } from './cells.ts';
import type { ExpectedRow, Fact, Of, RowOf } from './fact-rows.ts';
import { rowsOfTargeting } from './targeting-rows.ts';
import { unpackEvents } from './unpack-events.ts';

type Score = ReturnType<typeof decodeScores>[number];
/** The rows of imported events of one fact differ in the upper half of `facts_index`. */
const PLACES_OF_FACT = 65_536;

/** The rows that docs/analytics.md promises for a fact. */
export function rowsOfFact(fact: Fact, sequence: number, index: number): ExpectedRow[] {
  if (fact.kind === 'SnapshotMark') return [];
  const scope = [fact.game, fact.environment];
  const row: RowOf = (table, cells, place = 0) => ({
    table,
    sequence,
    index: index + PLACES_OF_FACT * place,
    owner: fact.entityId.toLowerCase(),
    cells: cells.map(wellFormed),
  });
  const player = 'externalId' in fact ? [fact.entityId.toLowerCase(), fact.externalId] : [fact.entityId.toLowerCase()];
  switch (fact.kind) {
    case 'EventTracked':
    case 'EventImported':
    case 'EventsImported':
    case 'EventQuarantined':
      return rowsOfEvent(fact, scope, row);
    case 'SessionClosed':
    case 'SessionRecorded':
    case 'SessionImported':
      return [rowOfSession(fact, [...scope, fact.sessionId, ...player], row)];
    case 'PurchaseRecorded':
    case 'PurchaseHeld':
    case 'ReceiptDecided':
    case 'PurchaseImported':
    case 'PurchaseReversed':
    case 'PurchaseRefunded':
    case 'RefundImported':
      return [rowOfPurchase(fact, [...scope, ...player], row)];
    case 'PlayerImported': {
      if (fact.begunAt === undefined) return [];
      return [
        row('player_beginnings', [...scope, fact.entityId, fact.player.externalId, time(fact.begunAt), time(fact.at)]),
      ];
    }
    case 'LifecycleChanged': {
      const times = [time(fact.changedAt), time(fact.at)];
      return [row('lifecycle_transitions', [...scope, ...player, fact.from, fact.to, ...times])];
    }
    case 'SegmentEntered':
    case 'SegmentExited':
    case 'FlagExposed':
    case 'FlagsServed':
    case 'InterventionTriggered':
    case 'InterventionSuppressed':
    case 'InterventionOffered':
    case 'InterventionShown':
    case 'InterventionClicked':
    case 'InterventionDismissed':
      return rowsOfTargeting(fact, scope, player, row);
    case 'PlayerErased':
      return [
        {
          ...row('erasures', [...scope, fact.entityId.toLowerCase(), time(fact.at), time(fact.at)]),
          staysOnMerge: true,
        },
      ];
    case 'PlayerAbsorbed':
    case 'GuestReleased':
      return fact.guest.length > 0 ? [rowOfMerge(fact, scope, row)] : [];
    // The player's next snapshot has what these change.
    case 'ChurnRiskChanged':
    case 'EntitySnapshot':
    case 'FlagOverridden':
    case 'GuardrailTripped':
    case 'HistoryImported':
    case 'IdempotencyKeyUsed':
    case 'ImportAdvanced':
    case 'LifecycleScheduled':
    case 'PlayerListed':
    case 'PlayerRegistered':
    case 'PlayerUpdated':
    case 'PropertiesChanged':
    case 'PropertiesDropped':
    case 'PropertyFilled':
    case 'SegmentsScheduled':
    case 'SessionFlagsTold':
    case 'SessionOpened':
    case 'SessionSynced':
    case 'TestPlayersCounted':
    case 'PlayerMerged':
    case 'MergeFinished':
    case 'MergeCancelled':
    case 'UnmergeBegun':
    case 'PlayerUnmerged':
    case 'MergeSettled':
      return [];
  }
}

/** The row of a merge is deleted with either player. */
function rowOfMerge(fact: Of<'PlayerAbsorbed' | 'GuestReleased'>, scope: readonly Cell[], row: RowOf): ExpectedRow {
  const [guest, account] = [fact.guestId.toLowerCase(), fact.entityId.toLowerCase()];
  const isUndone = fact.kind === 'GuestReleased';
  const players = [guest, fact.guestExternalId, account, fact.externalId];
  const times = [time(isUndone ? fact.at : fact.mergedAt), time(fact.at)];
  const cells = [...scope, ...players, fact.mergeId, ...times, isUndone ? 1 : 0];
  return { ...row('player_merges', cells), named: [guest], staysOnMerge: true };
}

/** Events, sent and imported, and those that quarantine holds. */
function rowsOfEvent(
  fact: Of<'EventTracked' | 'EventImported' | 'EventsImported' | 'EventQuarantined'>,
  scope: readonly Cell[],
  row: RowOf,
): ExpectedRow[] {
  switch (fact.kind) {
    case 'EventTracked': {
      const { release } = fact;
      const rows = [row('events', [...sentEvent(fact), ...saidCells(fact)])];
      if (release === undefined) return rows;
      const { number, quarantinedAt, guestId = fact.entityId } = release;
      const released = [
        fact.eventId,
        fact.eventName,
        number,
        guestId.toLowerCase(),
        time(quarantinedAt),
        time(fact.at),
      ];
      return [...rows, row('quarantine_releases', [...scope, fact.entityId.toLowerCase(), ...released])];
    }
    case 'EventImported': {
      const said = saidCells({ ...fact, by: 'import' });
      return [row('events', [...sentEvent({ ...fact, timestamp: fact.at }), ...said])];
    }
    case 'EventsImported': {
      const { entityId, game, environment, externalId, country, playedWith = {} } = fact;
      return unpackEvents(fact.packed).map((event, place) => {
        const sent = sentEvent({ entityId, game, environment, externalId, timestamp: event.at, ...event });
        const isPayer = place >= fact.payerFrom;
        return row(
          'events',
          [...sent, ...saidCells({ ...event, ...playedWith, isPayer, country, by: 'import' })],
          place,
        );
      });
    }
    case 'EventQuarantined':
      return [
        {
          ...row('quarantined_events', [
            ...sentEvent(fact),
            fact.number,
            fact.reason.schemaVersion,
            keyKindOf(fact.by),
          ]),
          named: fact.reason.named ?? [],
        },
      ];
  }
}

/** @param head what all rows of sessions begin with: game, environment, session and player */
function rowOfSession(
  fact: Of<'SessionClosed' | 'SessionRecorded' | 'SessionImported'>,
  head: readonly Cell[],
  row: RowOf,
): ExpectedRow {
  switch (fact.kind) {
    case 'SessionClosed': {
      const { reason, openedAt, endedAt, durationSeconds, eventCount, achievements } = fact;
      const counts = [eventCount, achievements, fact.interventionsShown, fact.interventionsClicked, time(fact.at)];
      const times = [time(openedAt), time(endedAt), Math.round(durationSeconds)];
      return row('sessions', [...head, reason, ...times, ...counts, ...playCells(fact)]);
    }
    case 'SessionRecorded': {
      const times = [optionalTime(fact.startedAt), optionalTime(fact.endedAt), Math.round(fact.durationSeconds)];
      const rest = [...times, 0, [], 0, 0, time(fact.at), ...playCells(fact)];
      return row('sessions', [...head, 'recorded', ...rest]);
    }
    case 'SessionImported': {
      const start = fact.at - Math.round(fact.durationSeconds * 1_000);
      const times = [time(start), time(fact.at), Math.round(fact.durationSeconds)];
      const rest = [...times, 0, [], 0, 0, time(fact.at), ...playCells(fact)];
      return row('sessions', [...head, 'imported', ...rest]);
    }
  }
}

/** @param head what all rows of purchases begin with: game, environment and player */
function rowOfPurchase(
  fact: Of<
    | 'PurchaseRecorded'
    | 'PurchaseHeld'
    | 'ReceiptDecided'
    | 'PurchaseImported'
    | 'PurchaseReversed'
    | 'PurchaseRefunded'
    | 'RefundImported'
  >,
  head: readonly Cell[],
  row: RowOf,
): ExpectedRow {
  const purchase = (sign: number, when: readonly Cell[], receipt: readonly Cell[] = NO_RECEIPT): ExpectedRow => {
    const paid = fact.paid === undefined ? null : money(sign * fact.paid.amount);
    const what = [fact.currency, paid, fact.productId, fact.transactionId];
    return row('purchases', [...head, money(sign * fact.amount), ...what, ...when, ...receipt]);
  };
  switch (fact.kind) {
    case 'PurchaseReversed':
      return purchase(-1, [time(fact.recordedAt), 'client', -1, 'replaced', null]);
    case 'PurchaseRefunded':
    case 'RefundImported': {
      const by = fact.kind === 'RefundImported' ? 'import' : 'server';
      return purchase(-1, [time(fact.at), by, fact.remaining > 0 ? 0 : -1, 'refund', fact.refundId]);
    }
    case 'ReceiptDecided': {
      const { counts, verdict, store, reason, provenProductId } = fact;
      const receipt = [store, verdict, reason ?? '', null, provenProductId];
      return purchase(counts, [time(fact.recordedAt), fact.by, counts, verdict, null], receipt);
    }
    case 'PurchaseImported':
      return purchase(1, [time(fact.at), 'import', 1, 'purchase', null], reported(fact));
    case 'PurchaseRecorded':
      return purchase(
        1,
        [time(fact.firstReportedAt ?? fact.at), keyKindOf(fact.by), 1, 'purchase', null],
        reported(fact),
      );
    case 'PurchaseHeld':
      return purchase(0, [time(fact.firstReportedAt ?? fact.at), keyKindOf(fact.by), 0, 'held', null], reported(fact));
  }
}

const NO_RECEIPT = ['', '', '', null, null];

/** What the row of a report says of its receipt. */
function reported(fact: Of<'PurchaseRecorded' | 'PurchaseHeld' | 'PurchaseImported'>): Cell[] {
  const { store = '', state = '', reason = '' } = ('receipt' in fact ? fact.receipt : undefined) ?? {};
  return [store, state, reason, money(fact.amount), null];
}

/** The row of an answered score. */
export function rowOfScore(score: Score, sequence: number, index: number): ExpectedRow {
  const { features } = score;
  const inputs = [features.loot_distinct_types, features.sess_duration_total, features.match_avg_fight_time];
  const others = [features.match_wins, features.install_hour, features.vpay_count];
  const answer = [score.score, score.bucket, score.modelVersion, bool(score.forced), time(score.scoredAt)];
  const { recordId, game, tenant, environment, deviceId } = score;
  const cells = [recordId.toLowerCase(), game, tenant, environment, deviceId, ...inputs, ...others, ...answer];
  const table = score.challenger ? 'challenger_scores' : 'scores';
  return { table, sequence, index, owner: deviceId, cells: cells.map(wellFormed) };
}

interface SentEvent {
  eventId: string;
  game: string;
  environment: string;
  entityId: string;
  externalId: string;
  eventName: string;
  sessionId: string | null;
  properties: string;
  timestamp: number;
  at: number;
}

function sentEvent(event: SentEvent): Cell[] {
  const { eventId, game, environment, entityId, externalId, eventName, sessionId, properties, timestamp, at } = event;
  const player = [entityId.toLowerCase(), externalId];
  return [eventId, game, environment, ...player, eventName, sessionId, properties, time(timestamp), time(at)];
}

interface Played {
  platform?: string;
  appVersion?: string;
  build?: string;
  country?: string;
}

const playCells = ({ platform = '', appVersion = '', build = '', country = '' }: Played): Cell[] => [
  platform,
  appVersion,
  build,
  country,
];
