import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DAY_MS, USUAL_GAME } from '../../../bench/lib/history/game-history.ts';
import { compareExport } from '../../../bench/lib/products/compare-export.ts';
import { PRODUCT_WRITERS, isProduct, type Product } from '../../../bench/lib/products/product-lines.ts';
import { writeExport, type Truth } from '../../../bench/lib/products/write-export.ts';
import { startService, type RunningService } from '../../support/servers/running-service.ts';
import { until } from '../../support/until.ts';
import { startOfToday } from '../../support/whole-day.ts';

/* Made exports of other products, imported by the operator's command. The service shows what their generator knows. */

const TODAY = await startOfToday();
const CLI = fileURLToPath(new URL('../../../src/cli/main.ts', import.meta.url));
const DAYS = 30;
const RULES = {
  ...USUAL_GAME,
  seed: 5,
  players: 60,
  days: DAYS,
  startMs: TODAY - (DAYS + 10) * DAY_MS,
  payerShare: 0.3,
};
const PRODUCTS = Object.keys(PRODUCT_WRITERS).filter(isProduct);
/** Exports of these products say of no event that it is a purchase. */
const PURCHASES: Partial<Record<Product, string[]>> = {
  mixpanel: ['--purchase', 'Purchase'],
  posthog: ['--purchase', 'pack_bought=revenue'],
};

let service: RunningService;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'products-'));
  service = await startService();
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface Ended {
  code: number | null;
  output: string;
}

function run(...line: string[]): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(process.execPath, [CLI, ...line], { env: { ...service.supervised.env } }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : null;
      resolve({ code, output: stdout + stderr });
    });
  });
}

const importing = (product: Product, game: string, ...more: string[]): string[] => [
  'import',
  '--from',
  product,
  '--game',
  game,
  ...(PURCHASES[product] ?? []),
  ...more,
];

const eventsOf = async (game: string): Promise<number> => {
  const [row] = await service.sql<{ n: string }>(`SELECT count() AS n FROM events WHERE game_id = '${game}'`);
  return Number(row?.n ?? 0);
};

const truths = new Map<Product, Truth>();

describe.each(PRODUCTS)('an export of %s', (product) => {
  const game = `made-${product}`;
  const paths = ['a.json', 'b.json.gz', 'c.json'].map((name) => `${product}-${name}`);
  const files = (): string[] => paths.map((name) => join(folder, name));

  test('is checked without a change, and what is kept of its lines is shown', { timeout: 120_000 }, async () => {
    const truth = writeExport(files(), product, RULES);
    truths.set(product, truth);
    await service.cli('games', 'create', game);
    const { code, output } = await run(...importing(product, game, '--dry-run', ...files()));
    expect(code, output).toBe(0);
    const counted = [...output.matchAll(/: ([\d,]+) lines, ([\d,]+) good, 0 faulty/g)].map(([, , good = '']) =>
      Number(good.replaceAll(',', '')),
    );
    expect(counted.reduce((sum, one) => sum + one, 0)).toBe(truth.lines + truth.repeated);
    for (const name of truth.events.keys()) expect(output).toContain(` ${name}\n    line `);
    expect(output.match(/is kept as: player /g)).toHaveLength(truth.events.size);
    expect(output).toMatch(/dropped of it: /);
    expect(await eventsOf(game)).toBe(0);
  });

  test('is imported, each event once, though the command is killed and repeated', { timeout: 240_000 }, async () => {
    const truth = truths.get(product);
    if (truth === undefined) throw new Error('there is no export');
    const child = spawn(process.execPath, [CLI, ...importing(product, game, ...files())], {
      env: { ...service.supervised.env },
    });
    await until('some lines are imported, or all', async () => (await eventsOf(game)) > 50 || child.exitCode !== null);
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    const whole = await run(...importing(product, game, ...files()));
    expect(whole.code, whole.output).toBe(0);
    await until('all rows are there', async () => (await eventsOf(game)) >= truth.lines);
    const again = await run(...importing(product, game, '--from-start', ...files()));
    expect(again.code, again.output).toBe(0);
    expect(again.output).not.toMatch(/done +[1-9]/);
    expect(await eventsOf(game)).toBe(truth.lines);
  });
});

test.each(PRODUCTS)(
  'events, days, revenue, sessions and retention of %s are those of the generator',
  { timeout: 600_000 },
  async (product) => {
    const truth = truths.get(product);
    if (truth === undefined) throw new Error('there is no export');
    let faults: string[] = [];
    const read = (sql: string) => service.sql<Record<string, unknown>>(sql);
    const untilMs = Date.now() + 500_000;
    await until(
      'days of players are built',
      async () => {
        faults = await compareExport(read, `made-${product}`, truth);
        return faults.length === 0 || Date.now() > untilMs;
      },
      550_000,
    );
    expect(faults).toEqual([]);
    expect(truth.revenueCents).toBeGreaterThan(0);
  },
);

test('files that overlap and say more of who is who import each event once', { timeout: 120_000 }, async () => {
  const game = 'overlap';
  await service.cli('games', 'create', game);
  const at = (n: number) => new Date(TODAY - 20 * DAY_MS + n * 60_000).toISOString();
  const line = (n: number, distinct_id: string, event = 'e', properties = {}) =>
    JSON.stringify({ uuid: `u-${n}`, event, distinct_id, timestamp: at(n), properties });
  const [early, late] = [join(folder, 'early.jsonl'), join(folder, 'late.jsonl')];
  writeFileSync(early, [line(1, 'phone'), line(2, 'phone')].join('\n'));
  // The same events again, and then who the phone belongs to.
  const identify = line(4, 'ann', '$identify', { $anon_distinct_id: 'phone' });
  writeFileSync(late, [line(2, 'phone'), line(3, 'phone'), identify, line(5, 'ann')].join('\n'));
  expect((await run(...importing('posthog', game, early))).output).toMatch(/done +2 +0 +0\n/);
  expect((await run(...importing('posthog', game, late))).output).toMatch(/done +3 +1 +0\n/);
  await until('the rows are there', async () => (await eventsOf(game)) >= 5);
  const rows = await service.sql<{ external_id: string; ids: string[] }>(
    `SELECT external_id, arraySort(groupArray(event_id)) AS ids FROM events WHERE game_id = '${game}' GROUP BY external_id ORDER BY external_id`,
  );
  expect(rows).toEqual([
    { external_id: 'ann', ids: ['u-3', 'u-4', 'u-5'] },
    { external_id: 'phone', ids: ['u-1', 'u-2'] },
  ]);
});

describe('a file that is not as it should be', () => {
  const game = 'hostile';
  const line = (n: number, name = 'e'): string =>
    JSON.stringify({ event: name, properties: { time: TODAY / 1_000 - n, distinct_id: 'ann', $insert_id: `i-${n}` } });

  beforeAll(async () => void (await service.cli('games', 'create', game)));

  test('loses no line to a cut end, and fails', { timeout: 60_000 }, async () => {
    const path = join(folder, 'cut.json.gz');
    writeFileSync(path, gzipSync(Array.from({ length: 3_000 }, (_, n) => line(n)).join('\n')));
    truncateSync(path, statSync(path).size - 100);
    const { code, output } = await run(...importing('mixpanel', game, path));
    expect([code, output]).toEqual([1, expect.stringMatching(/cut\.json\.gz: unexpected end of file/)]);
    await until('its lines are there', async () => (await eventsOf(game)) > 1_000);
  });

  test('has faults in single lines, of any size, and the others are imported', { timeout: 120_000 }, async () => {
    const path = join(folder, 'odd.jsonl');
    writeFileSync(path, `\uFEFF${line(10_001)}\r\n`);
    appendFileSync(path, `{"event":"${'x'.repeat(50 * 1024 * 1024)}"}\r\n`);
    const other = JSON.stringify({ event_type: 'e', event_time: '2025-01-01', user_id: 'ann' });
    const early = JSON.stringify({ event: 'e', properties: { time: 60, distinct_id: 'ann' } });
    const late = JSON.stringify({ event: 'e', properties: { time: 4_102_444_800, distinct_id: 'ann' } });
    const none = JSON.stringify({ event: 'e', properties: { time: TODAY / 1_000 - 9, distinct_id: 'null' } });
    appendFileSync(path, [other, early, late, none, line(10_002), 'no json', ''].join('\r\n'));
    const dry = await run(...importing('mixpanel', game, '--dry-run', path));
    expect(dry.code).toBe(2);
    expect(dry.output).toContain('8 lines, 2 good, 6 faulty');
    expect(dry.output).toMatch(/line 2: The line is longer than 1048576 bytes\.\n +Mend or shorten the line/);
    expect(dry.output).toMatch(/line 3: .* It looks like one of Amplitude\.\n +Import the file of Amplitude by itself/);
    expect(dry.output).toMatch(/line 4: `time` is before 2000-01-01\.\n/);
    expect(dry.output).toMatch(/line 5: `time` is in the future\.\n/);
    expect(dry.output).toMatch(/line 6: `distinct_id` is a missing value/);
    const before = await eventsOf(game);
    const rejected = join(folder, 'odd.rejected.ndjson');
    const { code, output } = await run(...importing('mixpanel', game, path, '--rejected', rejected));
    expect([code, output]).toEqual([2, expect.stringMatching(/done +2 +0 +6 /)]);
    expect(readFileSync(rejected, 'utf8').split('\n')).toHaveLength(7);
    await until('its lines are there', async () => (await eventsOf(game)) >= before + 2);
  });

  test('may name each event differently: the report stays short', { timeout: 120_000 }, async () => {
    const path = join(folder, 'names.jsonl');
    writeFileSync(path, Array.from({ length: 30_000 }, (_, n) => line(20_000 + n, `event ${n}`)).join('\n'));
    const { code, output } = await run(...importing('mixpanel', game, '--dry-run', path));
    expect(code, output).toBe(0);
    expect(output).toContain('29,950 of other names');
    expect(output.split('\n').length).toBeLessThan(200);
  });
});
