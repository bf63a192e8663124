import { ClickHouseError } from '@clickhouse/client';
import type { Clock } from '../../core/kernel/clock.ts';
import { QUERY_LIMITS } from './limits.ts';
import type { Logger } from '../../core/kernel/logger.ts';
import type { ClickhouseAddress } from '../clickhouse-address.ts';
import { createStatementSlots } from './statements/statement-slots.ts';
import { auditQuery, type AuditQuery, type AuditRow, type FoundEntry, foundEntry } from './audit-query.ts';
import { type CampaignReport, type CampaignReportQuery, findCampaignReport } from './campaign-report.ts';
import { type EventPage, type EventQuery, findEvents } from './events/event-query.ts';
import { type Dictionary, type DictionaryQuery, findDictionary } from './events/event-dictionary.ts';
import { createLookups, type Lookups } from './lookups/lookups.ts';
import { type Baseline, type BaselineQuery, findBaseline } from './experiments/baseline.ts';
import { type ArrivalDay, findArrivals } from './experiments/experiment-arrivals.ts';
import type { ExperimentPeriod, ExperimentQuery, ReadoutQuery } from './experiments/experiment-query.ts';
import { findExperiment, findReadout, type MeasuredVariant, type Readout } from './experiments/experiment-readout.ts';
import {
  countDrawnPlayers,
  type DrawnPlayersQuery,
  type ExposureDay,
  type ExposureDaysQuery,
  findExposureDays,
  findFlagUsage,
  type FlagUsage,
  type FlagUsageQuery,
} from './experiments/flag-usage.ts';
import { findHoldout, type HoldoutQuery } from './experiments/holdout.ts';
import { knownNamesQuery, type KnownNamesQuery } from './events/known-names.ts';
import { missedEventsQuery, type MissedEventsQuery } from './events/missed-events.ts';
import { openClient } from '../open-client.ts';
import {
  findFlagOverrides,
  findSegmentPlayers,
  type FlagOverridesQuery,
  type OverriddenPlayer,
  type SegmentPlayer,
  type SegmentPlayersQuery,
} from './player-pages.ts';
import { findScoringReport, type ScoringReport, type ScoringReportQuery } from './scoring-report.ts';
import { findWebhookAttempts, type WebhookAttempts, type WebhookAttemptsQuery } from './webhook-attempts.ts';
import type { Asked } from './questions/asked.ts';
import { createQuestions } from './questions/run-question.ts';
import type { QuestionResult } from './questions/statement-of.ts';
import { findPlayerRows, NEWEST_ERASURE, type PlayerRowsPage, type PlayerRowsQuery } from '../rows/player-rows.ts';
import {
  quarantinePage,
  type QuarantinePage,
  quarantineQuery,
  type QuarantineQuery,
  type QuarantineRow,
} from './events/quarantine-query.ts';
import { TRANSIENT_CODES } from '../transient-codes.ts';
import {
  type AttemptRow,
  DELIVERED_FACT,
  deliveredFact,
  type DeliveredFact,
  type DeliveredFactRow,
  type DeliveryQuery,
  loggedAttempt,
  type LoggedAttempt,
  webhookDeliveriesQuery,
  type WebhookDeliveriesQuery,
} from './webhook-delivery-query.ts';
import type { QueryResult } from '../query-result.ts';

/**
 * The queries that routes run in ClickHouse. Rows arrive about one second after the decision. Concurrency, time, memory
 * and results of statements are bounded, so readers never delay the sink for long.
 */
export interface Analytics {
  /** Members of a segment by player id, in ClickHouse's order of UUIDs, after `afterPlayerId` if given. */
  segmentPlayers(query: SegmentPlayersQuery): Promise<QueryResult<SegmentPlayer[]>>;
  /** Players with an override of a flag, in the same order. */
  flagOverrides(query: FlagOverridesQuery): Promise<QueryResult<OverriddenPlayer[]>>;
  /** The measurements of an experiment, by variant. */
  experiment(query: ExperimentQuery): Promise<QueryResult<MeasuredVariant[]>>;
  /** The same for several metrics, and by groups of players. */
  experimentReadout(query: ReadoutQuery): Promise<QueryResult<Readout>>;
  /** A metric before an experiment, and how players come. */
  experimentBaseline(query: BaselineQuery): Promise<QueryResult<Baseline>>;
  /** The players of an experiment by the day of their first exposure and variant, in order of days. */
  experimentArrivals(query: ExperimentPeriod): Promise<QueryResult<ArrivalDay[]>>;
  /** The measurements of the players in the holdout of a game, and of those who took part in experiments. */
  holdout(query: HoldoutQuery): Promise<QueryResult<MeasuredVariant[]>>;
  /** The latest erasure of a player; `undefined`: none. */
  erasure(query: PlayerQuery): Promise<QueryResult<KnownErasure | undefined>>;
  /** A page of one player's rows in one table, oldest first. */
  playerRows(query: PlayerRowsQuery): Promise<QueryResult<PlayerRowsPage>>;
  /** A page of events, newest first. */
  events(query: EventQuery): Promise<QueryResult<EventPage>>;
  /** Counts the events for a reader of the stream that are no longer in FACTS. */
  missedEvents(query: MissedEventsQuery): Promise<QueryResult<number>>;
  /** Delivery attempts of a webhook, newest first. */
  webhookDeliveries(query: WebhookDeliveriesQuery): Promise<QueryResult<LoggedAttempt[]>>;
  /** Changes that people, keys and operators made, newest first. */
  auditEntries(query: AuditQuery): Promise<QueryResult<FoundEntry[]>>;
  /** The position of a delivery's fact; `undefined`: no attempt is recorded. */
  deliveredFact(query: DeliveryQuery): Promise<QueryResult<DeliveredFact | undefined>>;
  /** Names of events, of attributes or of properties that occur; not all beyond `namesKnown`. */
  knownNames(query: KnownNamesQuery): Promise<QueryResult<string[]>>;
  /** Names of events, or the properties of one. */
  eventDictionary(query: DictionaryQuery): Promise<QueryResult<Dictionary>>;
  /** Exposures of all flags since a time. */
  flagUsage(query: FlagUsageQuery): Promise<QueryResult<FlagUsage[]>>;
  /** Exposures of one flag by UTC day and variant, in order of days. */
  exposureDays(query: ExposureDaysQuery): Promise<QueryResult<ExposureDay[]>>;
  /** Players of one flag for whom a variant was drawn since a time. */
  drawnPlayers(query: DrawnPlayersQuery): Promise<QueryResult<number>>;
  /** A page of quarantined events. */
  quarantined(query: QuarantineQuery): Promise<QueryResult<QuarantinePage>>;
  /** The steps of a campaign, and treatment beside holdout. */
  campaignReport(query: CampaignReportQuery): Promise<QueryResult<CampaignReport>>;
  /** Scores, drift, calibration and challengers of the last days. */
  scoringReport(query: ScoringReportQuery): Promise<QueryResult<ScoringReport>>;
  /** Attempts to deliver of a game's webhooks, by webhook. */
  webhookAttempts(query: WebhookAttemptsQuery): Promise<QueryResult<WebhookAttempts[]>>;
  /** The version of ClickHouse. */
  version(): Promise<QueryResult<string>>;
  /** Answers a question with rows of one game. Questions have a slot of their own beside the other statements. */
  ask(question: Asked): Promise<QuestionResult>;
  readonly lookups: Lookups;
  close(): Promise<void>;
}

export type PlayerQuery = Pick<PlayerRowsQuery, 'game' | 'environment' | 'playerId'>;

export interface KnownErasure {
  /** Epoch milliseconds. */
  erasedAt: number;
  /** Number of deleted rows; `undefined` until the deletion is complete. */
  rowsDeleted: number | undefined;
}

export interface AnalyticsOptions {
  address: ClickhouseAddress;
  /** Concurrent statements of this process. */
  statements?: number;
  clock: Clock;
  logger: Logger;
}

/** Runs queries in one ClickHouse. Connects at the first query. */
export function createAnalytics(options: AnalyticsOptions): Analytics {
  const { logger } = options;
  const client = openClient(options.address, 'analytics', QUERY_LIMITS.analyticsRequestMs);
  const slots = createStatementSlots({
    places: options.statements ?? QUERY_LIMITS.analyticsStatements,
    waiting: QUERY_LIMITS.analyticsWaiting,
    waitMs: QUERY_LIMITS.analyticsWaitMs,
    clock: options.clock,
  });

  const ask = createQuestions({ client, clock: options.clock, logger });

  async function runQuery<Row>(query: string, query_params: Record<string, unknown>): Promise<QueryResult<Row[]>> {
    const { game } = query_params;
    let release = () => {};
    try {
      // One game with many slow questions must not keep the others waiting.
      release = await slots.take(typeof game === 'string' ? game : '');
      const result = await client.query({
        query,
        query_params,
        format: 'JSONEachRow',
        clickhouse_settings: STATEMENT_BOUNDS,
      });
      return { kind: 'answered', value: await result.json<Row>() };
    } catch (error) {
      if (error instanceof ClickHouseError && !TRANSIENT_CODES.has(Number(error.code))) throw error;
      logger.warn({ err: error }, 'a ClickHouse query failed');
      return { kind: 'unavailable' };
    } finally {
      release();
    }
  }

  return {
    segmentPlayers: (query) => findSegmentPlayers(runQuery, query),
    flagOverrides: (query) => findFlagOverrides(runQuery, query),
    experiment: (query) => findExperiment(runQuery, query),
    experimentReadout: (query) => findReadout(runQuery, query),
    experimentBaseline: (query) => findBaseline(runQuery, query),
    experimentArrivals: (query) => findArrivals(runQuery, query),
    holdout: (query) => findHoldout(runQuery, query),
    async missedEvents(query) {
      const { sql, parameters } = missedEventsQuery(query);
      const result = await runQuery<{ missed: string | number }>(sql, parameters);
      if (result.kind === 'unavailable') return result;
      return { kind: 'answered', value: Number(result.value[0]?.missed ?? 0) };
    },
    async erasure({ game, environment, playerId }) {
      const result = await runQuery<{ erased_at: string | number; rows_deleted: string | number; step: number }>(
        NEWEST_ERASURE,
        { game, environment, player: playerId },
      );
      if (result.kind === 'unavailable') return result;
      const [row] = result.value;
      if (row === undefined) return { kind: 'answered', value: undefined };
      const rowsDeleted = row.step >= ERASURE_DONE ? Number(row.rows_deleted) : undefined;
      return { kind: 'answered', value: { erasedAt: Number(row.erased_at), rowsDeleted } };
    },
    playerRows: (query) => findPlayerRows(runQuery, query),
    events: (query) => findEvents(runQuery, query),
    async webhookDeliveries(query) {
      const { sql, parameters } = webhookDeliveriesQuery(query);
      const result = await runQuery<AttemptRow>(sql, parameters);
      return result.kind === 'unavailable' ? result : { kind: 'answered', value: result.value.map(loggedAttempt) };
    },
    async auditEntries(query) {
      const { sql, parameters } = auditQuery(query);
      const result = await runQuery<AuditRow>(sql, parameters);
      return result.kind === 'unavailable' ? result : { kind: 'answered', value: result.value.map(foundEntry) };
    },
    async deliveredFact({ game, environment, webhookId, deliveryId }) {
      const parameters = { game, environment, webhook: webhookId, delivery: deliveryId };
      const result = await runQuery<DeliveredFactRow>(DELIVERED_FACT, parameters);
      if (result.kind === 'unavailable') return result;
      const [row] = result.value;
      return { kind: 'answered', value: row === undefined ? undefined : deliveredFact(row) };
    },
    async knownNames(query) {
      const { sql, parameters } = knownNamesQuery(query);
      const result = await runQuery<{ name: string }>(sql, parameters);
      return result.kind === 'unavailable' ? result : { kind: 'answered', value: result.value.map(({ name }) => name) };
    },
    eventDictionary: (query) => findDictionary(runQuery, query),
    flagUsage: (query) => findFlagUsage(runQuery, query),
    exposureDays: (query) => findExposureDays(runQuery, query),
    drawnPlayers: (query) => countDrawnPlayers(runQuery, query),
    async quarantined(query) {
      const { sql, parameters } = quarantineQuery(query);
      const result = await runQuery<QuarantineRow>(sql, parameters);
      return result.kind === 'unavailable' ? result : { kind: 'answered', value: quarantinePage(result.value) };
    },
    campaignReport: (query) => findCampaignReport(runQuery, query),
    scoringReport: (query) => findScoringReport(runQuery, query),
    webhookAttempts: (query) => findWebhookAttempts(runQuery, query),
    async version() {
      const result = await runQuery<{ version: string }>('SELECT version() AS version', {});
      return result.kind === 'unavailable' ? result : { kind: 'answered', value: result.value[0]?.version ?? '' };
    },
    ask,
    lookups: createLookups(runQuery),
    close: () => client.close(),
  };
}

/** The `step` of an erasure whose rows are deleted (0010_erasures.sql, erasure-target.ts). */
const ERASURE_DONE = 2;

/** ClickHouse cancels a statement beyond any of these, with a code that counts as `unavailable`. */
const STATEMENT_BOUNDS = {
  date_time_output_format: 'iso',
  max_execution_time: QUERY_LIMITS.analyticsSeconds,
  max_memory_usage: String(QUERY_LIMITS.analyticsMemoryBytes),
  max_bytes_before_external_group_by: String(QUERY_LIMITS.analyticsMemoryBytes / 2),
  max_threads: QUERY_LIMITS.analyticsThreads,
} as const;
