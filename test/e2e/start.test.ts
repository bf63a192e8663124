import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decodeJson, encodeJson } from '../../core/codec/codec.ts';
import { systemClock } from '../../core/kernel/clock.ts';
import { connectJetStream } from '../../streams/log/jetstream/log-jetstream.ts';
import type { Bucket, BucketEntry } from '../../streams/log/log.ts';
import { panelStatements, serviceMetricsInUse } from '../support/browser/monitoring-files.ts';
import { silentLogger } from '../support/in-memory/silent-logger.ts';
import { reservedPort } from '../support/servers/reserved-port.ts';
import { queryAsReader } from '../support/servers/running-service.ts';
import {
  freshEnvironment,
  isAlive,
  launch,
  stopAndRemove,
  untilReady,
  type Supervised,
} from '../support/servers/supervised.ts';
import { until } from '../support/until.ts';

/* `npm start` and `npm run cli` as a new user runs them. */

/** All entries of a bucket. */
function entriesOf(bucket: Bucket): Promise<BucketEntry[]> {
  const entries: BucketEntry[] = [];
  return new Promise((resolve) => {
    const stop = bucket.watch({
      onEntry: (entry) => entries.push(entry),
      onCurrent() {
        stop();
        resolve(entries);
      },
    });
  });
}

/** The keys by which processes take part, in OWNERS. */
const membersIn = (entries: readonly BucketEntry[]): string[] =>
  entries
    .map(({ key }) => key)
    .filter((key) => /^(member|process)\./.test(key))
    .toSorted();

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../', import.meta.url));

describe('a running service', () => {
  let service: Supervised;

  beforeAll(async () => {
    service = launch({ entry: 'npm start', env: await freshEnvironment() });
    await untilReady(service);
    await until('it prints the first request', () => service.output().includes('Press Ctrl-C'));
  });
  afterAll(() => stopAndRemove(service));

  /** Runs an operator's command; rejects if its exit code is not 0. */
  const cli = (...line: string[]) =>
    run(process.execPath, [join(ROOT, 'src/cli/main.ts'), ...line], { env: { ...service.env }, cwd: ROOT });

  async function statusWith(key: string): Promise<number> {
    const response = await fetch(`${service.baseUrl}/v1/players/players`, {
      method: 'POST',
      headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
      body: JSON.stringify({ external_id: 'somebody' }),
    });
    await response.arrayBuffer();
    return response.status;
  }

  test('prints its addresses, the file of the keys, and a first request that works as printed', async () => {
    const keys = join(service.dataDir, 'demo-keys.json');
    expect(service.output()).toContain(`Ready: ${service.baseUrl}`);
    expect(service.output()).toContain(keys);
    expect(statSync(keys).mode & 0o777).toBe(0o600);
    const line = /^curl .*$/m.exec(service.output())?.[0] ?? '';
    const { stdout } = await run('bash', ['-c', line]);
    expect(JSON.parse(stdout)).toMatchObject({ success: true, data: { external_id: 'player-1' } });
  });

  test('prints none of the keys', () => {
    expect(service.output()).not.toMatch(/[ps]k_(live|test)_\w/);
  });

  test('accepts a key that the CLI creates, and refuses it once it is revoked', async () => {
    await cli('games', 'create', 'other-game');
    const create = [
      'keys',
      'create',
      '--game',
      'other-game',
      '--kind',
      'server',
      '--environment',
      'live',
      '--tier',
      'pro',
    ];
    const { stdout } = await cli(...create);
    const key = stdout.trim();
    expect(stdout).toMatch(/^sk_live_\w{32}\n$/);
    await until('the key opens the service', async () => (await statusWith(key)) === 201);
    expect((await cli('keys', 'list', '--game', 'other-game')).stdout.split('\n')).toHaveLength(3);
    await cli('keys', 'revoke', key);
    await until('the key is refused', async () => (await statusWith(key)) === 401);
  });

  test('lets the CLI query ClickHouse, and change it only with the option for it', async () => {
    expect((await cli('sql', 'SELECT 1 AS one')).stdout).toBe('one\n1\n');
    expect((await cli('sql', '--format', 'JSONEachRow', 'SELECT 1 AS one')).stdout).toBe('{"one":1}\n');
    const create = 'CREATE TABLE scratch (a Int8) ENGINE = MergeTree ORDER BY a';
    await expect(cli('sql', create)).rejects.toThrow(/readonly[\s\S]*--write/i);
    await cli('sql', '--write', create);
    expect((await cli('sql', 'SELECT count() AS n FROM scratch')).stdout).toBe('n\n0\n');
    await cli('sql', '--write', 'DROP TABLE scratch');
  });

  test('shows every metric that dashboards and alerts read, with the labels of the checks', async () => {
    const text = await (await fetch(`${service.baseUrl}/metrics`)).text();
    const shown = new Set<string>();
    for (const [, name = '', type] of text.matchAll(/^# TYPE (\S+) (\S+)/gm)) {
      shown.add(name);
      if (type === 'histogram') for (const suffix of ['bucket', 'sum', 'count']) shown.add(`${name}_${suffix}`);
    }
    const read = serviceMetricsInUse();
    expect(read.length).toBeGreaterThan(60);
    expect(read.filter((name) => !shown.has(name))).toEqual([]);
    expect(text).toContain('readiness_check{check="log",required="true"} 1');
    expect(text).toContain('readiness_check{check="partitions",required="false"} 1');
    // `increase` needs a sample before the first event.
    expect(text).toContain('webhooks_disabled_total{reason="gone"} 0');
    expect(text).toContain('sink_failures_total{sink="clickhouse",reason="lost"} 0');
  });

  test('answers the SQL of every panel to a reader without a password', async () => {
    const statements = panelStatements();
    expect(statements.length).toBeGreaterThan(10);
    const { live } = JSON.parse(readFileSync(join(service.dataDir, 'demo-keys.json'), 'utf8'));
    const headers = { 'X-API-Key': live.server, 'Content-Type': 'application/json' };
    const post = async (path: string, body: object): Promise<{ data: { id: string } }> => {
      const answer = await fetch(service.baseUrl + path, { method: 'POST', headers, body: JSON.stringify(body) });
      expect(answer.ok).toBe(true);
      return JSON.parse(await answer.text());
    };
    const player = await post('/v1/players/players', { external_id: 'seen' });
    await post('/v1/events/events', { player_id: player.data.id, event_name: 'level_up' });
    const ask = (sql: string): Promise<object[]> => queryAsReader(service.clickhouseUrl, sql);
    await until('the event has its row', async () => (await ask('SELECT 1 FROM events')).length > 0);
    const rows = new Map<string, object[]>();
    for (const { place, sql } of statements) rows.set(place, await ask(sql));
    const active = statements.find(({ place }) => place === 'pa-game-kpis: Active players by country');
    await until('the player has its day', async () => (await ask(active?.sql ?? '')).length > 0);
    expect(await ask(active?.sql ?? '')).toMatchObject([{ players: 1 }]);
    expect(rows.get('pa-game-kpis: Events')).toMatchObject([{ event_name: 'level_up', total: 1 }]);
    expect(rows.get('pa-game-kpis: Variable game')).toEqual([{ game_id: 'demo' }]);
  });

  test('has applied all migrations', async () => {
    expect((await cli('migrate')).stdout).toBe('');
  });

  test('ends a process that finds data of another format, with the remedy, and changes nothing', async () => {
    const broker = { url: service.natsUrl, logger: silentLogger, clock: systemClock, patienceMs: 30_000 };
    const log = await connectJetStream({ ...broker, replicas: 1, factsMaxBytes: 1 });
    const config = log.bucket('CONFIG');
    const address = '_._.deployment.settings';
    const stored = await config.get(address);
    const own = stored?.value ?? new Uint8Array();
    const dataDir = mkdtempSync(join(tmpdir(), 'another-format-'));
    try {
      await config.put(address, encodeJson({ ...Object(decodeJson(own)), format: 2 }));
      const before = [await entriesOf(config), membersIn(await entriesOf(log.bucket('OWNERS')))];
      const env = { ...service.env, NATS_URL: service.natsUrl, DATA_DIR: dataDir, PORT: String(await reservedPort()) };
      const start = run(process.execPath, [join(ROOT, 'src/main.ts')], { env: { ...env, ROLES: 'gateway,actors' } });
      const output = expect.stringMatching(
        /^The data of this deployment has the format 2; this version reads format 1 only\. Start the version that wrote/,
      );
      await expect(start).rejects.toMatchObject({ code: 78, stderr: output });
      const after = [await entriesOf(config), membersIn(await entriesOf(log.bucket('OWNERS')))];
      expect(after).toEqual(before);
    } finally {
      await config.put(address, own);
      await log.close();
      rmSync(dataDir, { recursive: true, force: true });
    }
  });

  test('ends with 0 after SIGTERM to the whole process group of npm, and no process remains', async () => {
    const { services = {}, ...others } = service.pids() ?? {};
    const pids = [...new Set(Object.values({ ...others, ...services }).map(Number))];
    expect(pids).toHaveLength(3 + Number(service.env['PROCESSES']));
    service.signal('SIGTERM');
    expect(await service.ended).toBe(0);
    expect(pids.filter(isAlive)).toEqual([]);
  });
});

describe('operator commands', () => {
  const cli = (env: Record<string, string | undefined>, ...line: string[]) =>
    run(process.execPath, [join(ROOT, 'src/cli/main.ts'), ...line], { env });

  test('print their usage with --help', async () => {
    const { stdout } = await cli({ ...process.env }, 'keys', 'create', '--help');
    expect(stdout).toContain('Usage: npm run cli -- keys create');
  });

  test('name the remedy when no service is running', async () => {
    const env = await freshEnvironment();
    try {
      await expect(cli(env, 'keys', 'list')).rejects.toMatchObject({
        code: 1,
        stderr: `No service is running on ${env['DATA_DIR']}. Start it with npm start, or set DATA_DIR or NATS_URL.\n`,
      });
      await expect(cli(env, 'sql', 'SELECT 1')).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/npm start/),
      });
    } finally {
      rmSync(env['DATA_DIR'] ?? '', { recursive: true, force: true });
    }
  });
});
