import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addressesOf } from '../../../src/cli/audit/read/addresses.ts';
import { audit } from '../../../src/cli/audit/audit.ts';
import { lockName } from '../../../src/local/data-dir-lock.ts';
import { startService, type RunningService } from '../../support/servers/running-service.ts';
import { until } from '../../support/until.ts';

/*
 * Imports history into the service of `npm start` while the command and the service are killed, and compares rows and
 * players with a computation of its own.
 */

const CLI = fileURLToPath(new URL('../../../src/cli/main.ts', import.meta.url));
const EVENTS = 20_000;
const PLAYERS = 400;
const DAY_MS = 86_400_000;
const START_MS = Date.UTC(2024, 0, 1);

interface Line {
  event_id: string;
  external_id: string;
  event_name: string;
  timestamp: string;
  session_id: string;
  source: string;
  properties: object;
}

/** Two years of events of players who stop at different times, with purchases and sessions among them. */
function historyLine(n: number): Line {
  const player = (n * 7) % PLAYERS;
  const timestamp = new Date(START_MS + Math.floor((n * 600 * DAY_MS) / EVENTS) + (player % 7) * 1_000).toISOString();
  const base = { event_id: `e-${n}`, external_id: `old-${player}`, timestamp, session_id: `s-${n % 50}` };
  if (n % 10 === 3) {
    const properties = { amount: 1 + (n % 5), transaction_id: `tx-${n}` };
    return { ...base, event_name: 'purchase', source: 'service', properties };
  }
  if (n % 10 === 7) {
    const properties = { session_id: `s-${n}`, duration_seconds: n % 600 };
    return { ...base, event_name: 'session_recorded', source: 'service', properties };
  }
  return { ...base, event_name: `event_${n % 3}`, source: 'caller', properties: { n, text: 'grüße "quoted"\n' } };
}

const LINES = Array.from({ length: EVENTS }, (_, n) => historyLine(n));
let service: RunningService;
let folder: string;
let file: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'import-'));
  file = join(folder, 'history.ndjson');
  const faulty = ['{"external_id":"old-1"}', 'no json'];
  writeFileSync(file, [...LINES.map((line) => JSON.stringify(line)), ...faulty, ''].join('\n'));
  service = await startService();
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

function startImport(...more: string[]): { child: ChildProcess; output: () => string } {
  return startImportOf(file, ...more);
}

function startImportOf(path: string, ...more: string[]): { child: ChildProcess; output: () => string } {
  const line = ['import', 'events', path, '--game', 'demo', ...more];
  const child = spawn(process.execPath, [CLI, ...line], { env: { ...service.supervised.env } });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return { child, output: () => text };
}

async function endOf(child: ChildProcess): Promise<unknown> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.exitCode ?? child.signalCode;
}

const imported = async (): Promise<number> => {
  const [row] = await service.sql<{ n: string }>("SELECT count() AS n FROM events WHERE source = 'import'");
  return Number(row?.n ?? 0);
};

test('a dry run counts everything, names the faults, and imports nothing', async () => {
  const { child, output } = startImport('--dry-run');
  expect(await endOf(child)).toBe(2);
  expect(output()).toContain('20,002 lines, 20,000 good, 2 faulty');
  expect(output()).toContain('400 players, 2024-01-01T00:00:00.000Z');
  expect(output()).toContain('line 20001: `event_name` is missing.');
  expect(await imported()).toBe(0);
});

test('an import that is killed, and whose service is killed, counts each line once', async () => {
  const first = startImport();
  await until('some lines are imported', async () => (await imported()) > 500);
  first.child.kill('SIGKILL');
  await endOf(first.child);

  const second = startImport();
  await until('more lines are imported', async () => (await imported()) > 5_000 || second.child.exitCode !== null);
  const before = service.supervised.pids()?.service;
  if (typeof before === 'number') process.kill(before, 'SIGKILL');
  expect(await endOf(second.child), second.output()).toBe(2);
  expect(second.output()).toMatch(/history\.ndjson +done/);

  await until('all rows are there', async () => (await imported()) >= EVENTS);
  const [found] = await service.sql<Record<string, number>>(
    'SELECT toUInt32(count()) AS n, toUInt32(uniqExact(event_id)) AS ids, toUInt32(countIf(received_at != timestamp)) AS moved ' +
      "FROM events WHERE source = 'import'",
  );
  expect(found).toEqual({ n: EVENTS, ids: EVENTS, moved: 0 });
});

test('rejected lines are in a file, with their reasons', () => {
  const listed = readFileSync(join(service.supervised.dataDir, 'imports', rejectedName()), 'utf8');
  const rejected = listed
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
  expect(rejected).toEqual([
    { line: EVENTS + 1, reason: '`event_name` is missing.', text: '{"external_id":"old-1"}' },
    { line: EVENTS + 2, reason: 'The line is not valid JSON.', text: 'no json' },
  ]);
});

test('a repeat imports nothing, with what the first run remembers and without', async () => {
  for (const more of [[], ['--from-start']]) {
    const { child, output } = startImport(...more);
    expect(await endOf(child), output()).toBe(2);
    const counts = /done(?: before)? +([\d,]+) +([\d,]+) +2 /.exec(output())?.slice(1) ?? [];
    const [fresh = 0, again = 0] = counts.map((count) => Number(count.replaceAll(',', '')));
    // Lines that were under way at a kill are counted once.
    expect([fresh, again]).toEqual(more.length > 0 ? [0, EVENTS] : [EVENTS, 0]);
    expect(output().includes('done before')).toBe(more.length === 0);
  }
  expect(await imported()).toBe(EVENTS);
});

interface Totals {
  external_id: string;
  first_seen: number;
  last_seen: number;
  sessions: number;
  playtime: number;
  purchases: number;
  revenue: number;
  stage: string;
}

test('totals, days and stages equal a naive computation from the file', async () => {
  const expected = new Map<string, Totals>();
  for (const { external_id, event_name, timestamp, properties } of LINES) {
    const at = Date.parse(timestamp);
    const one = expected.get(external_id) ?? {
      external_id,
      first_seen: at,
      last_seen: at,
      sessions: 0,
      playtime: 0,
      purchases: 0,
      revenue: 0,
      stage: 'churned',
    };
    expected.set(external_id, one);
    one.first_seen = Math.min(one.first_seen, at);
    one.last_seen = Math.max(one.last_seen, at);
    if (event_name === 'session_recorded' && 'duration_seconds' in properties) {
      one.sessions += 1;
      one.playtime += Number(properties.duration_seconds);
    }
    if (event_name === 'purchase' && 'amount' in properties) {
      one.purchases += 1;
      one.revenue += Number(properties.amount);
    }
  }
  const sorted = [...expected.values()].sort((one, other) => (one.external_id < other.external_id ? -1 : 1));
  const found: Totals[] = [];
  for (const { external_id } of sorted) {
    const { body } = await service.call(service.keys.live.server, 'GET', `/v1/players/players/external/${external_id}`);
    const lifecycle = await service.call(
      service.keys.live.server,
      'GET',
      `/v1/players/players/${String(body.data['id'])}/lifecycle`,
    );
    found.push({
      external_id,
      first_seen: Date.parse(String(body.data['first_seen_at'])),
      last_seen: Date.parse(String(body.data['last_seen_at'])),
      sessions: Number(body.data['session_count']),
      playtime: Number(lifecycle.body.data['total_playtime_seconds']),
      purchases: expected.get(external_id)?.purchases ?? 0,
      revenue: Number(body.data['total_revenue']),
      stage: String(body.data['lifecycle_stage']),
    });
  }
  expect(found).toEqual(sorted);

  const days = await service.sql<{ day: string; n: number; revenue: number }>(
    'SELECT toString(day) AS day, toUInt32(sum(purchases)) AS n, toFloat64(sum(revenue)) AS revenue ' +
      "FROM purchases_daily WHERE game_id = 'demo' GROUP BY day ORDER BY day",
  );
  const byDay = new Map<string, { day: string; n: number; revenue: number }>();
  for (const { event_name, timestamp, properties } of LINES) {
    if (event_name !== 'purchase' || !('amount' in properties)) continue;
    const day = timestamp.slice(0, 10);
    const { n, revenue } = byDay.get(day) ?? { n: 0, revenue: 0 };
    byDay.set(day, { day, n: n + 1, revenue: revenue + Number(properties.amount) });
  }
  expect(days).toEqual([...byDay.values()].sort((one, other) => (one.day < other.day ? -1 : 1)));
});

test('a reader that takes only the first lines of an export is no failure', async () => {
  const command = `"${process.execPath}" "${CLI}" export events --game demo --from 2024-01-01 --to 2025-01-01 --format ndjson | head -1`;
  const { stdout, stderr } = await promisify(execFile)('sh', ['-c', command], { env: service.supervised.env });
  expect([stdout.split('\n').length, stderr]).toEqual([2, '']);
});

test.each(['ndjson', 'csv', 'parquet'])(
  'an export as %s can be imported again, into another environment',
  async (format) => {
    const output = join(folder, `exported {1,2}*.${format}`);
    const range = ['--from', '2024-01-01', '--to', '2024-02-01T12:00:00Z'];
    await service.cli('export', 'events', '--game', 'demo', ...range, '--format', format, '--output', output);
    const wanted = LINES.filter(({ timestamp }) => timestamp < '2024-02-01T12:00:00.000Z');
    const reported = await service.cli(
      'import',
      'events',
      output,
      '--game',
      'demo',
      '--environment',
      'test',
      '--dry-run',
    );
    expect(reported).toContain(`${wanted.length.toLocaleString('en-US')} good, 0 faulty`);
    if (format !== 'parquet') return;
    await service.cli('import', 'events', output, '--game', 'demo', '--environment', 'test');
    const rows = await until('all rows are there', async () => {
      const some = await service.sql<Line>(
        'SELECT event_id, external_id, event_name, properties FROM events ' +
          "WHERE environment = 'test' ORDER BY received_at, facts_sequence, facts_index",
      );
      return some.length >= wanted.length ? some : undefined;
    });
    expect(new Set(rows.map((row) => JSON.stringify(row)))).toEqual(
      new Set(
        wanted.map(({ event_id, external_id, event_name, properties }) =>
          JSON.stringify({ event_id, external_id, event_name, properties: JSON.stringify(properties) }),
        ),
      ),
    );
  },
);

test('the members of a segment can be exported', async () => {
  const segment = { key: 'payers', name: 'Payers', conditions: { is_payer: true }, enabled: true };
  const made = await service.call(service.keys.live.server, 'POST', '/v1/segments/segments', segment);
  expect(made.status).toBe(201);
  const payers = new Set(LINES.filter(({ event_name }) => event_name === 'purchase').map((line) => line.external_id));
  await until('all members are there', async () => {
    const csv = await service.cli('export', 'segment', 'payers', '--game', 'demo', '--format', 'csv');
    const [header, ...rows] = csv.split('\n');
    if (rows.length < payers.size) return false;
    expect(header).toBe('external_id,player_id,entered_at');
    expect(new Set(rows.map((row) => row.split(',')[0]))).toEqual(payers);
    return true;
  });
});

test('ids and names of any characters are texts, and what a terminal would act on is spelled out', async () => {
  const names = ['__proto__', 'constructor', 'a\nb', '\u001B]0;title\u0007', '\u202Eabc', "'; DROP TABLE events --"];
  const lines = names.map((name) => {
    const properties = `{"__proto__":{"admin":true},"constructor":${JSON.stringify(name)}}`;
    const [id, own] = [JSON.stringify(`hostile ${name}`), JSON.stringify(name)];
    const ids = `"event_id":${own},"external_id":${id},"event_name":${own},"session_id":${own}`;
    return { name, properties, line: `{${ids},"timestamp":"2024-01-01","properties":${properties}}` };
  });
  const path = join(folder, 'hostile.ndjson');
  writeFileSync(path, `\uFEFF${lines.map(({ line }) => line).join('\r\n')}\r\n\u0000\r\n`);
  const dry = startImportOf(path, '--dry-run');
  expect(await endOf(dry.child)).toBe(2);
  expect(dry.output()).toContain(String.raw`1 \u001b]0;title\u0007`);
  expect(dry.output()).not.toContain('\u001B]');
  const { child, output } = startImportOf(path);
  expect(await endOf(child), output()).toBe(2);
  const rows = () =>
    service.sql<Line & { name: string }>(
      'SELECT event_id, external_id, event_name, session_id, properties FROM events ' +
        "WHERE startsWith(external_id, 'hostile ') ORDER BY facts_sequence, facts_index",
    );
  await until('the rows are there', async () => (await rows()).length >= lines.length);
  expect(new Set((await rows()).map((row) => JSON.stringify(row)))).toEqual(
    new Set(
      lines.map(({ name, properties }) => {
        const ids = { event_id: name, external_id: `hostile ${name}`, event_name: name, session_id: name };
        return JSON.stringify({ ...ids, properties });
      }),
    ),
  );
});

test('files that overlap, and a corrected copy of a file, import each event_id once', async () => {
  const added = (n: number, timestamp: string) => {
    const ids = { event_id: `late-${n}`, external_id: `late-${n % 3}` };
    return JSON.stringify({ ...ids, event_name: 'late', timestamp, properties: { n } });
  };
  const first = join(folder, 'overlap.json');
  const fresh = Array.from({ length: 10 }, (_, n) => added(n, '2025-12-01T00:00:00Z'));
  // A JSON array: a part of the first file, a line twice, and one that is faulty.
  writeFileSync(
    first,
    `[${[...LINES.slice(900, 1_300).map((line) => JSON.stringify(line)), ...fresh, fresh[3], added(10, 'soon')].join(',\n')}]`,
  );
  const once = startImportOf(first);
  expect(await endOf(once.child), once.output()).toBe(2);
  expect(once.output()).toMatch(/done +10 +401 +1 /);

  const corrected = join(folder, 'corrected.ndjson');
  writeFileSync(corrected, [...fresh, added(10, '2025-12-02T00:00:00Z')].join('\n'));
  const again = startImportOf(corrected);
  expect(await endOf(again.child), again.output()).toBe(0);
  expect(again.output()).toMatch(/done +1 +10 +0\n/);

  const rows = () =>
    service.sql<{ n: number; ids: number }>(
      "SELECT toUInt32(count()) AS n, toUInt32(uniqExact(event_id)) AS ids FROM events WHERE source = 'import' AND environment = 'live' AND NOT startsWith(external_id, 'hostile ')",
    );
  await until('the rows are there', async () => ((await rows())[0]?.n ?? 0) >= EVENTS + 11);
  expect(await rows()).toEqual([{ n: EVENTS + 11, ids: EVENTS + 11 }]);
});

test('properties that do not fit are stored as those of Segment clients are, and the result says so', async () => {
  const path = join(folder, 'unfit.ndjson');
  const line = (n: number, properties: string) =>
    `{"event_id":"unfit-${n}","external_id":"unfit","event_name":"unfit","timestamp":"2025-11-01","properties":${properties}}`;
  const texts = [`{"a":"${'x'.repeat(9_000)}"}`, '{"n":9007199254740993}', String.raw`{"a":"\ud800"}`, '{"ok":true}'];
  writeFileSync(path, texts.map((properties, n) => line(n, properties)).join('\n'));
  const { child, output } = startImportOf(path);
  expect(await endOf(child), output()).toBe(2);
  expect(output()).toContain('1 lines were cut, and their events are in quarantine');
  expect(output()).toContain('line 1: `/properties/a` must be a string of at most 8192 bytes');
  expect(output()).toContain('2 lines had characters or numbers that cannot be stored');
  const stored = () =>
    service.sql<{ properties: string }>("SELECT properties FROM events WHERE event_name = 'unfit' ORDER BY event_id");
  const kept = () =>
    service.sql<{ properties: string; at: string }>(
      "SELECT properties, toString(timestamp) AS at FROM quarantined_events WHERE event_name = 'unfit'",
    );
  await until('the rows are there', async () => (await stored()).length + (await kept()).length === 4);
  expect((await stored()).map(({ properties }) => properties)).toEqual([
    '{"n":9007199254740992}',
    '{"a":"\uFFFD"}',
    '{"ok":true}',
  ]);
  expect(await kept()).toEqual([
    { properties: JSON.stringify({ a: 'x'.repeat(2_730) }), at: '2025-11-01 00:00:00.000' },
  ]);
});

test('players without times get them and their stage from their events', async () => {
  const path = join(folder, 'players.csv');
  writeFileSync(path, 'external_id,attributes\nold-1,"{""vip"":true}"\nunseen,{}\n');
  const line = ['import', 'players', path, '--game', 'demo'];
  expect(await service.cli(...line)).toMatch(/done +2 +0 +0/);
  const read = async (id: string) =>
    (await service.call(service.keys.live.server, 'GET', `/v1/players/players/external/${id}`)).body.data;
  const old = await read('old-1');
  expect([old['lifecycle_stage'], old['attributes']]).toEqual(['churned', { vip: true }]);
  expect(Date.parse(String(old['last_seen_at']))).toBeLessThan(Date.UTC(2026, 0, 1));
  expect(await read('unseen')).toMatchObject({ lifecycle_stage: 'new', last_seen_at: null });
});

test('two commands do not write the same files at once', async () => {
  const rejected = join(folder, 'rejected.ndjson');
  const lock = await lockName(`import ${rejected}`);
  const { child, output } = startImport('--rejected', rejected);
  expect(await endOf(child)).toBe(1);
  expect(output()).toContain(`Another command imports ${file} now, or writes to ${rejected}. Wait until it has ended.`);
  if (lock.kind === 'taken') lock.release();
  const own = startImport('--rejected', file);
  expect([await endOf(own.child), own.output()]).toEqual([1, `--rejected would write over ${file} itself.\n`]);
});

test('an audit of the imported history finds no difference', async () => {
  const addresses = addressesOf(service.supervised.env);
  // player_days of two years may be built long after.
  const { compared, differences, players } = await audit({ addresses, waitMs: 5_000, note: () => {} });
  expect(differences.lines()).toEqual([]);
  expect(compared.get('events')).toBeGreaterThanOrEqual(EVENTS);
  expect(players.compared).toBeGreaterThanOrEqual(PLAYERS);
});

function rejectedName(): string {
  const [name] = readFileNames().filter((each) => each.endsWith('.rejected.ndjson'));
  if (name === undefined) throw new Error('there is no file with rejected lines');
  return name;
}

function readFileNames(): string[] {
  return readdirSync(join(service.supervised.dataDir, 'imports'));
}
