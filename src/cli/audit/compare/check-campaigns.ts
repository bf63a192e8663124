import type { ClickHouse, Parameters, Whole } from '../read/clickhouse.ts';
import type { Differences } from './differences.ts';
import type { TableScope } from './table-checks.ts';

/** The limits of a campaign, from its definition. */
interface CampaignLimits {
  game: string;
  environment: string;
  id: string;
  key: string;
  version: number;
  /** Per player, in total and per UTC day; `null`: no limit. */
  total: number | null;
  perDay: number | null;
  cooldownSeconds: number;
}

/** All campaigns together, per player and UTC day (docs/campaigns.md). */
const MOST_PER_DAY = 20;

/**
 * Compares what players got with the limits of campaigns. A version of a campaign has one set of limits, and only those
 * of the newest version are known: earlier ones are not compared. What a guest got before its merge is compared by
 * itself.
 * @param documents the values of the bucket CONFIG by key
 */
export async function checkCampaigns(
  clickhouse: ClickHouse,
  documents: ReadonlyMap<string, Uint8Array>,
  { pending, last, createdMs }: TableScope,
  differences: Differences,
): Promise<void> {
  const scope: Parameters = { pending, last, created: createdMs };
  await clickhouse.each<[string, string, Whole, Whole]>(
    `SELECT toString(player_id), toString(toDate(received_at, 'UTC')) AS day, count() AS times, max(facts_sequence)
      FROM campaign_events WHERE event = 'triggered' AND ${COMPARED}
      GROUP BY game_id, environment, player_id, merged_from, day HAVING times > ${MOST_PER_DAY}`,
    scope,
    ([player, day, times, sequence]) =>
      differences.add('caps', `${player} got ${times} messages on ${day}, the last in the record ${sequence}`),
  );
  for (const campaign of campaignsOf(documents)) await checkOne(clickhouse, campaign, scope, differences);
}

const COMPARED = `player_id NOT IN (SELECT arrayJoin({pending: Array(UUID)}))
      AND NOT (facts_sequence > {last: UInt64} AND received_at >= fromUnixTimestamp64Milli({created: Int64}, 'UTC'))`;

async function checkOne(
  clickhouse: ClickHouse,
  { game, environment, id, key, version, total, perDay, cooldownSeconds }: CampaignLimits,
  scope: Parameters,
  differences: Differences,
): Promise<void> {
  const parameters = { ...scope, game, environment, campaign: id, version };
  const one = `game_id = {game: String} AND environment = {environment: String} AND campaign_id = {campaign: String}`;
  const limits = { total: total ?? 0, per_day: perDay ?? 0, cooldown: cooldownSeconds };
  await clickhouse.each<[string, Whole, Whole, Whole, Whole]>(
    `SELECT toString(player_id), facts_sequence, nth, nth_of_day, waited
      FROM (
        SELECT player_id, facts_sequence, campaign_version,
          row_number() OVER life AS nth,
          row_number() OVER (PARTITION BY player_id, merged_from, toDate(received_at, 'UTC') ORDER BY received_at, facts_sequence, facts_index)
            AS nth_of_day,
          toUnixTimestamp64Milli(received_at) - lagInFrame(toUnixTimestamp64Milli(received_at)) OVER life AS waited
        FROM campaign_events WHERE ${one} AND event = 'triggered' AND ${COMPARED}
        WINDOW life AS (PARTITION BY player_id, merged_from ORDER BY received_at, facts_sequence, facts_index
          ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
      )
      WHERE campaign_version = {version: UInt32} AND (
        ({total: UInt32} > 0 AND nth > {total: UInt32}) OR ({per_day: UInt32} > 0 AND nth_of_day > {per_day: UInt32})
        OR (nth > 1 AND waited < 1000 * {cooldown: UInt32}))`,
    { ...parameters, ...limits },
    ([player, sequence, nth, ofDay, waited]) => {
      const got = `message ${nth} of all, ${ofDay} of the day, ${Number(waited) / 1000} s behind the one before`;
      const allowed = `total ${total ?? 'any'}, per day ${perDay ?? 'any'}, cooldown ${cooldownSeconds} s`;
      differences.add('caps', `campaign ${key}: ${player} got ${got} in the record ${sequence}; limits: ${allowed}`);
    },
  );
  await clickhouse.each<[string, Whole]>(
    `SELECT toString(player_id), max(facts_sequence) FROM campaign_events
      WHERE ${one} AND campaign_version = {version: UInt32} AND ${COMPARED}
      GROUP BY player_id, merged_from
      HAVING countIf(event = 'triggered') > 0 AND countIf(reason = 'holdout') > 0`,
    parameters,
    ([player, sequence]) =>
      differences.add('caps', `campaign ${key}: ${player} of the holdout got a message; see the record ${sequence}`),
  );
}

/** Keys are `<game>.<environment>.campaign.<id>`. */
function campaignsOf(documents: ReadonlyMap<string, Uint8Array>): CampaignLimits[] {
  return [...documents].flatMap(([path, value]) => {
    const [game = '', environment = '', kind] = path.split('.');
    if (kind !== 'campaign') return [];
    const document: CampaignDocument = JSON.parse(Buffer.from(value).toString('utf8'));
    const { id, key, version, caps, cooldownSeconds } = document;
    return [{ game, environment, id, key, version, total: caps.total, perDay: caps.perDay, cooldownSeconds }];
  });
}

interface CampaignDocument {
  id: string;
  key: string;
  version: number;
  caps: { total: number | null; perDay: number | null };
  cooldownSeconds: number;
}
