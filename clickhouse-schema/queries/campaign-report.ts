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
  /** The version from which on the variants are drawn as they are; 0: there are none. */
  variantsSince: number;
}

/** How often something happened between the campaign and players. */
export interface CampaignStep {
  /** 'triggered', 'suppressed', 'offered', 'shown', 'clicked' or 'dismissed'. */
  event: string;
  /** Of 'suppressed', else empty. */
  reason: string;
  players: number;
  times: number;
}

/** How often a button was clicked. */
export interface ButtonClicks {
  /** Empty: the game named none. */
  button: string;
  /** Empty: the message had none. */
  variant: string;
  players: number;
  times: number;
}

/** The players who got messages, or those who were held out; or those who got a variant. */
export interface CampaignArm {
  /** 'treatment', 'holdout', or the key of a variant. */
  arm: string;
  players: number;
  shown: number;
  clicked: number;
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
  buttons: ButtonClicks[];
  /** Empty in the test environment, which no analytics view has. */
  arms: CampaignArm[];
  /** The players of each variant. Empty without variants, and in the test environment. */
  variants: CampaignArm[];
}

type RunQuery = <Row>(sql: string, parameters: Record<string, unknown>) => Promise<QueryResult<Row[]>>;

/** Counts the steps, and compares treatment and holdout as `campaign_readout` does. */
export async function findCampaignReport(
  runQuery: RunQuery,
  { game, environment, campaignId, conversionEvent, windowHours, variantsSince }: CampaignReportQuery,
): Promise<QueryResult<CampaignReport>> {
  const about = { game, environment, campaign: campaignId };
  const steps = await runQuery<StepRow>(STEPS, about);
  if (steps.kind === 'unavailable') return steps;
  const counted = steps.value.map(({ event, reason, players, times }) => ({
    event,
    reason,
    players: Number(players),
    times: Number(times),
  }));
  const clicked = counted.some(({ event }) => event === 'clicked')
    ? await runQuery<ButtonRow>(BUTTONS, about)
    : ({ kind: 'answered', value: [] } as const);
  if (clicked.kind === 'unavailable') return clicked;
  const buttons = clicked.value.map(({ button, variant, players, times }) => ({
    button,
    variant,
    players: Number(players),
    times: Number(times),
  }));
  if (environment !== 'live' || counted.length === 0) {
    return { kind: 'answered', value: { steps: counted, buttons, arms: [], variants: [] } };
  }
  const compare = (since: number) =>
    findArms(runQuery, { game, campaign: campaignId, event: conversionEvent, hours: windowHours, since });
  const arms = await compare(0);
  if (arms.kind === 'unavailable') return arms;
  const variants = variantsSince === 0 ? undefined : await compare(variantsSince);
  if (variants?.kind === 'unavailable') return variants;
  return { kind: 'answered', value: { steps: counted, buttons, arms: arms.value, variants: variants?.value ?? [] } };
}

async function findArms(
  runQuery: RunQuery,
  parameters: Record<'game' | 'campaign' | 'event', string> & Record<'hours' | 'since', number>,
): Promise<QueryResult<CampaignArm[]>> {
  const arms = await runQuery<ArmRow>(ARMS, parameters);
  if (arms.kind === 'unavailable') return arms;
  const value = arms.value.map((row) => ({
    arm: row.arm,
    players: Number(row.players),
    shown: Number(row.shown),
    clicked: Number(row.clicked),
    inside: Number(row.inside),
    converted: Number(row.converted),
    payers: Number(row.payers),
    revenue: Number(row.revenue),
    grossRevenue: Number(row.gross),
    revenueDeviation: row.deviation ?? Number.NaN,
    revenueSkewness: row.skewness ?? Number.NaN,
    revenueKurtosis: row.kurtosis ?? Number.NaN,
  }));
  return { kind: 'answered', value };
}

interface StepRow {
  event: string;
  reason: string;
  players: string | number;
  times: string | number;
}

interface ButtonRow extends Omit<StepRow, 'event' | 'reason'> {
  button: string;
  variant: string;
}

interface ArmRow {
  arm: string;
  players: string | number;
  shown: string | number;
  clicked: string | number;
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

const BUTTONS = `
SELECT button, variant, uniqExact(player_id) AS players, count() AS times
FROM campaign_events
WHERE game_id = {game:String} AND environment = {environment:String} AND campaign_id = {campaign:String}
  AND ${countedPlayers()} AND event = 'clicked'
GROUP BY button, variant
ORDER BY times DESC, button, variant
LIMIT 100`;

const ARMS = `
SELECT arm, players, players_inside AS inside, shown, clicked, converted, payers, toFloat64(revenue) AS revenue,
  toFloat64(gross_revenue) AS gross, revenue_deviation AS deviation, revenue_skewness AS skewness,
  revenue_kurtosis AS kurtosis
FROM campaign_readout(game = {game:String}, campaign = {campaign:String}, conversion_event = {event:String},
  window_hours = {hours:UInt32}, variants_since = {since:UInt32})
ORDER BY arm`;
