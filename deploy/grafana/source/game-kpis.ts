import type { Dashboard } from './dashboard.ts';

/** A daily view, on the days and for the game that the dashboard shows. */
function daily(columns: string, view: string, groupBy = ''): string {
  const group = groupBy === '' ? 'day' : `day, ${groupBy}`;
  const where = 'game_id = ${game:sqlstring} AND $__dateFilter(day)';
  return `SELECT toDateTime(day) AS time, ${columns} FROM ${view} WHERE ${where} GROUP BY ${group} ORDER BY time`;
}

/** Rows of a view with one row for each day, or for each day and text, as they are. */
function rows(columns: string, view: string, day: string): string {
  const where = `game_id = \${game:sqlstring} AND $__dateFilter(${day})`;
  return `SELECT toDateTime(${day}) AS time, ${columns} FROM ${view} WHERE ${where} ORDER BY time`;
}

/** A view of the present state, for the game that the dashboard shows. */
function state(columns: string, view: string, rest: string): string {
  return `SELECT ${columns} FROM ${view} WHERE game_id = \${game:sqlstring} ${rest}`;
}

export const GAME_KPIS: Dashboard = {
  uid: 'pa-game-kpis',
  title: 'Player analytics: game',
  description: 'Figures of one game, from the daily views in ClickHouse. docs/analytics.md defines each.',
  source: 'tables',
  rows: [
    {
      title: 'Players',
      panels: [
        {
          title: 'Active players',
          description: 'Players with an event, a session or a purchase on the UTC day, and in the 7 and 30 days to it.',
          queries: [{ expr: rows('dau AS daily, wau AS weekly, mau AS monthly', 'kpis_daily', 'day') }],
        },
        {
          title: 'New and returning players',
          description: 'By first day.',
          stacked: true,
          queries: [{ expr: rows('new_players AS beginners, returning_players AS others', 'kpis_daily', 'day') }],
        },
        {
          title: 'Retention by first day',
          description:
            'Share of the players of a first day who were active exactly N days later. Young cohorts have none.',
          queries: [{ expr: rows('d1, d7, d30', 'retention_by_cohort', 'cohort_day') }],
        },
        {
          title: 'Active players by country',
          description: 'The ten largest countries of the time shown. A player with two counts in both.',
          stacked: true,
          queries: [
            {
              expr:
                'SELECT toDateTime(day) AS time, country, sum(players) AS players FROM active_players_daily ' +
                'WHERE game_id = ${game:sqlstring} AND $__dateFilter(day) AND country IN (' +
                'SELECT country FROM active_players_daily WHERE game_id = ${game:sqlstring} AND $__dateFilter(day) ' +
                'GROUP BY country ORDER BY sum(players) DESC LIMIT 10) GROUP BY time, country ORDER BY time',
            },
          ],
        },
        {
          title: 'Players by stage',
          description: 'All known players now.',
          kind: 'table',
          queries: [
            { expr: state('lifecycle_stage, players, payers, revenue', 'players_by_stage', 'ORDER BY players DESC') },
          ],
        },
      ],
    },
    {
      title: 'Play and money',
      panels: [
        {
          title: 'Sessions',
          description: 'Sessions that began on the day and are over, and players that had one.',
          queries: [{ expr: rows('sessions AS total, players AS people', 'sessions_daily', 'day') }],
        },
        {
          title: 'Length of sessions',
          description: 'Median, and the length below which nine of ten are.',
          unit: 's',
          queries: [{ expr: rows('median_seconds AS median, p90_seconds AS p90', 'sessions_daily', 'day') }],
        },
        {
          title: 'Play time per player',
          description: 'Seconds of the sessions of a day, by the players that had one.',
          unit: 's',
          queries: [{ expr: rows('playtime_per_player AS playtime', 'sessions_daily', 'day') }],
        },
        {
          title: 'Revenue',
          description: "In the game's currency.",
          queries: [{ expr: rows('toFloat64(revenue) AS total', 'kpis_daily', 'day') }],
        },
        {
          title: 'ARPDAU and ARPPU',
          description: 'Revenue by active player, and by payer of the day.',
          queries: [{ expr: rows('arpdau, arppu', 'kpis_daily', 'day') }],
        },
        {
          title: 'Payers',
          description: 'Players that bought something on the day, and those who did for the first time.',
          queries: [{ expr: rows('payers, first_time_payers AS beginners', 'kpis_daily', 'day') }],
        },
        {
          title: 'Virtual currencies',
          description: 'Earned less spent, by currency.',
          queries: [{ expr: rows('currency, toFloat64(flow) AS flow', 'economy_daily', 'day') }],
        },
        {
          title: 'Levels',
          description: 'Of all time.',
          kind: 'table',
          queries: [
            {
              expr: state(
                'level, players, starts, fails, completes, completion_rate, drop_off',
                'progression_by_level',
                'ORDER BY level_number, level LIMIT 200',
              ),
            },
          ],
        },
      ],
    },
    {
      title: 'Events',
      panels: [
        {
          title: 'Events',
          description: 'Of the ten most frequent names of the time shown.',
          stacked: true,
          queries: [
            {
              expr:
                'SELECT toDateTime(day) AS time, event_name, sum(events) AS total FROM event_counts_daily ' +
                'WHERE game_id = ${game:sqlstring} AND $__dateFilter(day) AND event_name IN (' +
                'SELECT event_name FROM event_counts_daily WHERE game_id = ${game:sqlstring} AND $__dateFilter(day) ' +
                'GROUP BY event_name ORDER BY sum(events) DESC LIMIT 10) GROUP BY time, event_name ORDER BY time',
            },
          ],
        },
        {
          title: 'Segments',
          description: 'Members now.',
          kind: 'table',
          queries: [{ expr: state('segment_key, players', 'segment_sizes', 'ORDER BY players DESC LIMIT 50') }],
        },
        {
          title: 'Exposures of flags',
          description: 'Players that were served a variant, by day.',
          queries: [
            {
              expr: daily(
                "concat(flag_key, ' ', variant_key) AS variant, sum(players) AS people",
                'flag_exposures_daily',
                'variant',
              ),
            },
          ],
        },
        {
          title: 'Campaigns',
          description: 'Messages shown and clicked, and what was suppressed.',
          queries: [
            {
              expr: daily(
                "concat(campaign_key, ' ', event) AS what, sum(events) AS total",
                'campaign_events_daily',
                'what',
              ),
            },
          ],
        },
      ],
    },
    {
      title: 'Scoring',
      panels: [
        {
          title: 'Scores by bucket',
          description: 'Without forced ones.',
          stacked: true,
          queries: [{ expr: daily('bucket, sum(scores) AS total', 'scores_daily', 'bucket') }],
        },
        {
          title: 'Drift',
          description: 'Population stability index by input. Below 0.1 is stable; above 0.25 is another population.',
          red: 0.25,
          queries: [{ expr: daily('measure, max(psi) AS stability', 'score_drift_daily', 'measure') }],
        },
      ],
    },
  ],
};
