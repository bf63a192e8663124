import { createPlayerDaysTarget } from '../../../streams/sinks/clickhouse/player-days/target.ts';
import { insertRows, type TestClickhouse } from '../../support/servers/clickhouse.ts';
import { buildDays } from '../../support/wire/built-days.ts';
import type { Row, World } from './metric-world.ts';

const playerId = (n: number): string => `00000000-0000-5000-8000-${String(n).padStart(12, '0')}`;

/** Writes a made world into the tables, and builds its days. */
export async function insertWorld(clickhouse: TestClickhouse, world: World, idOf = playerId): Promise<void> {
  const insert = (table: string, rows: readonly object[]) => insertRows(clickhouse, table, rows);
  const common = ({ player, receivedAt, sequence }: Row) => ({
    player_id: idOf(player),
    external_id: `p${player}`,
    received_at: receivedAt,
    facts_sequence: sequence + 1,
  });
  const of = (source: Row['source']) => world.rows.filter((row) => row.source === source);
  await insert(
    'events',
    of('events').map((row) => ({
      ...common(row),
      event_id: `e${row.sequence}`,
      event_name: row.values['event_name'],
      country: row.values['country'],
      platform: row.values['platform'],
      app_version: row.values['app_version'],
      build: row.values['build'],
      is_payer: row.values['is_payer'] === 'true',
      timestamp: row.deviceAt,
      properties: JSON.stringify({ mode: row.values['property:mode'], score: row.numbers['property:score'] ?? 'none' }),
    })),
  );
  await insert(
    'sessions',
    of('sessions').map((row) => ({
      ...common(row),
      session_id: `s${row.sequence}`,
      start_time: row.deviceAt,
      duration_seconds: row.seconds,
      end_reason: row.values['end_reason'],
      platform: row.values['platform'],
      app_version: row.values['app_version'],
      build: row.values['build'],
    })),
  );
  await insert(
    'purchases',
    of('purchases').map((row) => ({
      ...common(row),
      amount: row.amount,
      counts: row.counts,
      kind: row.isRefund ? 'refund' : row.counts < 0 ? 'replaced' : 'purchase',
      product_id: row.values['product_id'],
      currency: row.values['currency'],
      recorded_by: row.values['recorded_by'],
    })),
  );
  await insert(
    'player_snapshots',
    world.players.map(({ attributes }, n) => ({
      kind: 'player',
      player_id: idOf(n),
      external_id: `p${n}`,
      attributes: JSON.stringify(attributes),
    })),
  );
  const members = world.players.flatMap(({ isMember }, n) => (isMember ? [idOf(n)] : []));
  const segment = { segment_id: 's1', segment_key: 'whales', version: 1, exited: 0 };
  await insert(
    'segment_membership_states',
    members.map((player_id) => ({ ...segment, player_id })),
  );
  const target = createPlayerDaysTarget(clickhouse.address);
  await buildDays(target, 0, { createdMs: 1, sequence: 10_000 });
  await target.close();
}
