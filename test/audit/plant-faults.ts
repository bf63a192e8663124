import type { Addresses } from '../../src/cli/audit/read/addresses.ts';
import type { DifferenceKind } from '../../src/cli/audit/compare/differences.ts';

/** A fault planted into the rows of a running service, and what an audit must say of it. */
export interface PlantedFault {
  statements: readonly string[];
  expected: readonly { kind: DifferenceKind; text: string }[];
}

/** What the faults are planted in. */
export interface Targets {
  /** Ids of events: one to remove, one to double, one to change. */
  events: readonly [removed: string, doubled: string, changed: string];
  /** A transaction id. */
  purchase: string;
  /** Players with a snapshot in ClickHouse. */
  stage: string;
  member: string;
  /** A player that was erased. */
  erased: string;
  /** A player with a message of the campaign. */
  messaged: string;
  /** A player with a day of activity. */
  active: string;
  /** A level with an event. */
  level: string;
  /** A test player, one that no longer is one, and one that never was. */
  testers: { lost: string; unmarked: string; never: string };
  /** Players with an override of a flag of the game, and one whose override was removed. */
  overridden: { flag: string; lost: string; changed: string; removed: string; never: string };
}

const RELATED = 'facts_sequence, facts_index';

export function plantedFaults({ events, purchase, ...players }: Targets): PlantedFault[] {
  const [removed, doubled, changed] = events;
  const { stage, member, erased, messaged, active, level, testers, overridden } = players;
  return [
    {
      statements: [`ALTER TABLE events DELETE WHERE event_id = '${removed}'`],
      expected: [{ kind: 'missing', text: removed }],
    },
    {
      statements: [`INSERT INTO events SELECT * FROM events WHERE event_id = '${doubled}'`],
      expected: [{ kind: 'doubled', text: doubled }],
    },
    {
      statements: [
        `INSERT INTO events SELECT * REPLACE ('{"n":2}' AS properties) FROM events WHERE event_id = '${changed}'`,
        `ALTER TABLE events DELETE WHERE event_id = '${changed}' AND properties != '{"n":2}'`,
      ],
      expected: [{ kind: 'differs', text: String.raw`properties is "{\"n\":2}", the log says "{\"n\":1}"` }],
    },
    {
      statements: [
        `INSERT INTO purchases SELECT * REPLACE (toDecimal64('4.9901', 4) AS amount)
          FROM purchases WHERE transaction_id = '${purchase}'`,
        `ALTER TABLE purchases DELETE WHERE transaction_id = '${purchase}' AND amount != toDecimal64('4.9901', 4)`,
      ],
      expected: [
        { kind: 'differs', text: 'amount is "4.9901", the log says "4.99"' },
        { kind: 'totals', text: 'revenue 4.99, of rows 4.9901' },
      ],
    },
    {
      statements: [
        `INSERT INTO player_snapshots SELECT * REPLACE ('churned' AS lifecycle_stage)
          FROM player_snapshots FINAL WHERE player_id = '${stage}'`,
      ],
      expected: [{ kind: 'totals', text: 'lifecycle_stage is churned, not active' }],
    },
    {
      statements: [
        `INSERT INTO segment_membership_states
          SELECT game_id, environment, 'seg_planted', player_id, 'planted', external_id, received_at, 0, 1
          FROM players WHERE player_id = '${member}'`,
      ],
      expected: [{ kind: 'memberships', text: `segment seg_planted: the player ${member} is a member` }],
    },
    {
      statements: [
        `ALTER TABLE test_players DELETE WHERE player_id = '${testers.lost}'`,
        `INSERT INTO test_players SELECT game_id, environment, player_id, external_id, received_at, 0, 0
          FROM players WHERE player_id = '${testers.never}'`,
        `INSERT INTO test_players SELECT * REPLACE (0 AS unmarked, version + 1 AS version)
          FROM test_players WHERE player_id = '${testers.unmarked}' ORDER BY version DESC LIMIT 1`,
      ],
      expected: [
        { kind: 'missing', text: `test_players: ${testers.lost}, whom the log marks` },
        { kind: 'unexplained', text: `test_players: ${testers.never}, marked in no record` },
        { kind: 'unexplained', text: `test_players: ${testers.unmarked}, marked in no record` },
      ],
    },
    {
      statements: [
        `ALTER TABLE flag_override_states DELETE WHERE player_id = '${overridden.lost}'`,
        `INSERT INTO flag_override_states SELECT * REPLACE ('false' AS value, version + 1 AS version)
          FROM flag_override_states FINAL WHERE player_id = '${overridden.changed}'`,
        `INSERT INTO flag_override_states SELECT * REPLACE ('true' AS value, 0 AS removed, version + 1 AS version)
          FROM flag_override_states WHERE player_id = '${overridden.removed}' ORDER BY version DESC LIMIT 1`,
        `INSERT INTO flag_override_states
          SELECT game_id, environment, 'planted', player_id, external_id, '1', received_at, 0, 1
          FROM players WHERE player_id = '${overridden.never}'`,
      ],
      expected: [
        {
          kind: 'missing',
          text: `flag_override_states: ${overridden.lost} demo/live/${overridden.flag}, which the log`,
        },
        { kind: 'differs', text: `${overridden.changed} demo/live/${overridden.flag} has false, the log says true` },
        { kind: 'unexplained', text: `${overridden.removed} demo/live/${overridden.flag} has true, set in no record` },
        { kind: 'unexplained', text: `${overridden.never} demo/live/planted has 1, set in no record` },
      ],
    },
    {
      statements: [
        `INSERT INTO events SELECT * REPLACE (toUUID('${erased}') AS player_id, 1 AS facts_sequence, 0 AS facts_index)
          FROM events WHERE event_id = '${doubled}' LIMIT 1`,
      ],
      expected: [{ kind: 'unexplained', text: erased }],
    },
    {
      statements: [
        `INSERT INTO campaign_events SELECT * REPLACE (facts_index + 1000 AS facts_index)
          FROM campaign_events WHERE player_id = '${messaged}' AND event = 'triggered' ORDER BY ${RELATED} LIMIT 1`,
      ],
      expected: [
        { kind: 'unexplained', text: messaged },
        { kind: 'caps', text: messaged },
      ],
    },
    {
      statements: [
        `INSERT INTO player_days SELECT * REPLACE (sessions + 1 AS sessions, version + 1 AS version)
          FROM player_days FINAL WHERE player_id = '${active}' LIMIT 1`,
      ],
      expected: [{ kind: 'days', text: active }],
    },
    {
      statements: [
        `INSERT INTO player_levels SELECT * REPLACE (fails + 1 AS fails, version + 1 AS version)
          FROM player_levels FINAL WHERE level = '${level}'`,
      ],
      expected: [{ kind: 'days', text: `in player_levels, level ${level}` }],
    },
  ];
}

/** Runs a statement with the account of the service; a deletion resolves when it is done. */
export async function writeRows(address: Addresses['clickhouse'], statement: string): Promise<void> {
  const target = new URL(address.url);
  target.searchParams.set('database', address.database);
  target.searchParams.set('mutations_sync', '1');
  const headers = { 'X-ClickHouse-User': address.user, 'X-ClickHouse-Key': address.password };
  const answer = await fetch(target, { method: 'POST', body: statement, headers });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
}
