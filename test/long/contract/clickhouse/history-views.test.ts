import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { given } from '../../../../actors/testing/harness.ts';
import { aCommand } from '../../../../actors/testing-players.ts';
import { compareViews } from '../../../support/history/compare-views.ts';
import {
  DAY_MS,
  USUAL_GAME,
  writeHistory,
  writePlayers,
  type GameRules,
} from '../../../../bench/lib/history/game-history.ts';
import { createRowBatch } from '../../../../clickhouse-schema/rows/row-batch.ts';
import { TABLES } from '../../../../clickhouse-schema/rows/tables/tables.ts';
import { fileFormat, type ImportKind } from '../../../../src/cli/import/files/file-formats.ts';
import { createHistoryBatch } from '../../../../src/cli/import/send/history-batch.ts';
import { readHistory } from '../../../../src/cli/import/files/read-history.ts';
import { uuidv5 } from '../../../../core/kernel/ids.ts';
import {
  createPlayerDaysTarget,
  type PlayerDaysTarget,
} from '../../../../streams/sinks/clickhouse/player-days/target.ts';
import { aCommit } from '../../../../streams/sinks/testing-commits.ts';
import { rowsOf, runSql, type TestClickhouse } from '../../../support/servers/clickhouse.ts';
import { buildDays } from '../../../support/wire/built-days.ts';
import { startWithTables } from '../../../support/wire/made-tables.ts';
import { startOfToday } from '../../../support/whole-day.ts';

/*
 * A small made game through the steps of an import: its files become commands, facts, rows and days of players. All
 * views must show the figures of its generator.
 */

const TODAY = await startOfToday();
const DAYS = 32;
/** It ends nine days ago: younger cohorts have NULL for later days, and no level is still tried. */
const rules: GameRules = {
  ...USUAL_GAME,
  seed: 11,
  players: 200,
  days: DAYS,
  startMs: TODAY - (DAYS + 9) * DAY_MS,
  isDetailed: true,
  payerShare: 0.2,
};
const CREATED = Date.UTC(2026, 0, 1);
const LINES_OF_COMMAND = 10_000;

let clickhouse: TestClickhouse;
let target: PlayerDaysTarget;
let folder: string;
let sequence = 0;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'views-'));
  clickhouse = await startWithTables();
  target = createPlayerDaysTarget(clickhouse.address);
});
afterAll(async () => {
  await target.close();
  await clickhouse.close();
  rmSync(folder, { recursive: true, force: true });
});

const harness = given([]);

/** Imports a file as the command does, and inserts its rows as the sink does. */
async function importFile(path: string, kind: ImportKind, fileKind: 'csv' | 'ndjson'): Promise<void> {
  const format = fileFormat('native', kind);
  if (format === undefined) throw new Error(`there is no format of ${kind}`);
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield readFileSync(path);
  }
  const playerIdOf = (externalId: string): string => uuidv5('5b2f1a6e-6f0e-4d5b-9a57-2d4b8f1c7e90', externalId);
  const options = { fileKind, format, importId: kind, nowMs: Date.now(), playerIdOf, exchangeOf: () => undefined };
  let batch = createHistoryBatch();
  let after = 0;
  const send = async (): Promise<void> => {
    const body = batch.close(kind, after);
    after = body.to;
    batch = createHistoryBatch();
    const { facts, reply } = harness.when(aCommand(body, { receivedAt: Date.now() }));
    expect(reply).toMatchObject({ kind: 'imported', rejected: [] });
    const rows = createRowBatch();
    sequence += 1;
    rows.add(aCommit([...facts]), { stream: new Date(CREATED).toISOString(), sequence });
    for (const { table, bytes } of rows.blocks()) {
      const sql = `INSERT INTO ${table} (${TABLES[table].columns.join(', ')}) FORMAT Native`;
      const inserted = await runSql(clickhouse, sql, { body: Buffer.from(bytes) });
      expect(inserted).toMatchObject({ status: 200 });
    }
  };
  for await (const lines of readHistory({ chunks: chunks(), share: () => undefined }, options)) {
    for (const line of lines) {
      if (line.kind === 'fault') throw new Error(line.reason);
      batch.add(line.item);
      if (batch.lines >= LINES_OF_COMMAND) await send();
    }
  }
  if (batch.lines > 0) await send();
}

async function build(from: number): Promise<void> {
  await buildDays(target, from, { createdMs: CREATED, sequence });
}

describe('the views over an imported game', () => {
  it('show exactly what its generator counted', { timeout: 120_000 }, async () => {
    const [players, events] = [join(folder, 'players.csv'), join(folder, 'events.ndjson')];
    writePlayers(players, rules);
    const made = writeHistory(events, rules);
    await importFile(players, 'players', 'csv');
    await importFile(events, 'events', 'ndjson');
    await build(0);
    const read = <Row>(sql: string) => rowsOf<Row>(clickhouse, sql);
    expect(await compareViews(read, 'demo', rules, Date.now())).toEqual([]);
    expect(made.events['purchase']).toBeGreaterThan(10);
  });

  it('differ once a figure does', async () => {
    const other = { ...rules, seed: 12 };
    const read = <Row>(sql: string) => rowsOf<Row>(clickhouse, sql);
    const faults = await compareViews(read, 'demo', other, Date.now());
    const views = new Set(faults.map((fault) => fault.split(/ (?:has|lacks|of|and|differs)|:/)[0]));
    const all = [
      'economy_daily',
      'funnel by ',
      'funnel by platform',
      'kpis_daily',
      'ltv_by_cohort',
      'progression_by_level',
      'retention by all',
      'retention by app_version',
      'retention by country',
      'retention by platform',
      'retention_24h_by_cohort',
      'sessions_daily',
    ];
    expect(views).toEqual(new Set(all));
  });
});
