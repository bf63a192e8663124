import { countedPlayers } from '../counted-players.ts';
import type { QueryResult } from '../query-result.ts';

/** What became of a campaign. */
export interface CampaignReportQuery {
  game: string;
  environment: string;
  campaignId: string;
  /** The event that counts as converted; empty: none. */
  conversionEvent: string;
  /** Hours from a player's entry in which events and purchases count. */
  windowHours: number;
}

/** How often something happened between the campaign and players. */
export interface CampaignStep {
  /** 'triggered', 'suppressed', 'offered', 'shown' or 'clicked'. */
  event: string;
  /** Of 'suppressed', else empty. */
  reason: string;
  players: number;
  times: number;
}

/** The players who got messages, or those who were held out. */
export interface CampaignArm {
  arm: 'treatment' | 'holdout';
  players: number;
  /** Players whose window is not over. */
  inside: number;
  converted: number;
  payers: number;
  /** Less what was refunded of it. */
  revenue: number;
  grossRevenue: number;
  /** Sample deviation of the revenue per player; NaN: fewer than two players. */
  revenueDeviation: number;
  /** Third and fourth central moments of the revenue per player, μ₃/σ³ and μ₄/σ⁴; NaN: no value varies. */
  revenueSkewness: number;
  revenueKurtosis: number;
}

export interface CampaignReport {
  steps: CampaignStep[];
  /** Empty in the test environment, which no analytics view has. */
  arms: CampaignArm[];
}

type RunQuery = <Row>(sql: string, parameters: Record<string, unknown>) => Promise<QueryResult<Row[]>>;

/** Counts the steps, and compares treatment and holdout as `campaign_readout` does. */
export async function findCampaignReport(
  runQuery: RunQuery,
  { game, environment, campaignId, conversionEvent, windowHours }: CampaignReportQuery,
): Promise<QueryResult<CampaignReport>> {
  const steps = await runQuery<StepRow>(STEPS, { game, environment, campaign: campaignId });
  if (steps.kind === 'unavailable') return steps;
  const counted = steps.value.map(({ event, reason, players, times }) => ({
    event,
    reason,
    players: Number(players),
    times: Number(times),
  }));
  if (environment !== 'live' || counted.length === 0) return { kind: 'answered', value: { steps: counted, arms: [] } };
  const arms = await runQuery<ArmRow>(ARMS, { game, campaign: campaignId, event: conversionEvent, hours: windowHours });
  if (arms.kind === 'unavailable') return arms;
  const compared = arms.value.map((row) => ({
    arm: row.arm,
    players: Number(row.players),
    inside: Number(row.inside),
    converted: Number(row.converted),
    payers: Number(row.payers),
    revenue: Number(row.revenue),
    grossRevenue: Number(row.gross),
    revenueDeviation: row.deviation ?? Number.NaN,
    revenueSkewness: row.skewness ?? Number.NaN,
    revenueKurtosis: row.kurtosis ?? Number.NaN,
  }));
  return { kind: 'answered', value: { steps: counted, arms: compared } };
}

interface StepRow {
  event: string;
  reason: string;
  players: string | number;
  times: string | number;
}

interface ArmRow {
  arm: 'treatment' | 'holdout';
  players: string | number;
  inside: string | number;
  converted: string | number;
  payers: string | number;
  revenue: string | number;
  gross: string | number;
  deviation: number | null;
  skewness: number | null;
  kurtosis: number | null;
}

const STEPS = `
SELECT event, reason, uniqExact(player_id) AS players, count() AS times
FROM campaign_events
WHERE game_id = {game:String} AND environment = {environment:String} AND campaign_id = {campaign:String}
  AND ${countedPlayers()}
GROUP BY event, reason
ORDER BY event, reason`;

const ARMS = `
SELECT arm, players, players_inside AS inside, converted, payers, toFloat64(revenue) AS revenue,
  toFloat64(gross_revenue) AS gross, revenue_deviation AS deviation, revenue_skewness AS skewness,
  revenue_kurtosis AS kurtosis
FROM campaign_readout(game = {game:String}, campaign = {campaign:String}, conversion_event = {event:String},
  window_hours = {hours:UInt32})
ORDER BY arm`;
