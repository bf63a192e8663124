import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BenchError, temporaryFolder, type Bench } from './lib/bench.ts';
import { count, defineCase, type Place, text } from './lib/case.ts';
import { watchUsage } from './lib/figures/usage.ts';
import { DAY_MS, USUAL_GAME } from './lib/history/game-history.ts';
import { compareExport } from './lib/products/compare-export.ts';
import { isProduct, PRODUCT_WRITERS, type Product } from './lib/products/product-lines.ts';
import { writeExport } from './lib/products/write-export.ts';
import { figure, section, tableOf } from './lib/report/table.ts';
import { runCli } from './lib/service/cli.ts';
import { queryClickhouse } from './lib/service/clickhouse.ts';
import { startLocalService, type LocalService } from './lib/service/service.ts';

const FILES = ['a.json', 'b.json.gz', 'c.json'];

interface ProductFigures {
  product: Product;
  lines: number;
  repeated: number;
  players: number;
  megabytes: number;
  /** Until the command ended. */
  seconds: number;
  peakMiB: number;
  faults: string[];
}

export const productImportsCase = defineCase({
  name: 'product-imports',
  description: 'Import made exports of other products, and compare the figures with those of their generator.',
  options: {
    players: count('--players <n>', 'players of each export; each has about 70 events', 1_500),
    days: count('--days <n>', 'days of each export', 60),
    seed: count('--seed <n>', 'of the exports', 1),
    wait: count('--wait <s>', 'for the days of players, which are built up to ten minutes after their rows', 1_200),
    products: text('--products <names>', 'which, separated by commas', Object.keys(PRODUCT_WRITERS).join(',')),
  },
  check: ({ products }) => {
    const unknown = products.split(',').find((name) => !isProduct(name));
    return unknown === undefined ? undefined : `there is no product ${unknown}`;
  },
  async run(bench, settings, save) {
    const service = await startLocalService(bench, { folder: settings.folder });
    const figures: ProductFigures[] = [];
    for (const product of settings.products.split(',').filter(isProduct)) {
      figures.push(await importProduct(bench, service, product, settings));
    }
    const named = Object.fromEntries(figures.map((one) => [one.product, one]));
    const of = (name: string, pick: (one: ProductFigures) => number): number => {
      const one = named[name];
      return one === undefined ? Number.NaN : pick(one);
    };
    const tables = section(
      'imports',
      tableOf(Object.keys(named), {
        product: (name) => name,
        events: (name) => of(name, ({ lines }) => lines),
        repeated: (name) => of(name, ({ repeated }) => repeated),
        players: (name) => of(name, ({ players }) => players),
        MiB: (name) => of(name, ({ megabytes }) => megabytes),
        seconds: (name) => of(name, ({ seconds }) => seconds),
        'events/s': (name) => of(name, ({ lines, repeated, seconds }) => (lines + repeated) / seconds),
        'peak MiB of the command': (name) => of(name, ({ peakMiB }) => peakMiB),
        differences: (name) => of(name, ({ faults }) => faults.length),
      }),
    );
    save({ results: { figures }, tables });
    const faults = figures.flatMap(({ product, faults: some }) =>
      some.slice(0, 20).map((fault) => `${product}: ${fault}`),
    );
    if (faults.length > 0) throw new BenchError(['figures differ from the generator:', ...faults].join('\n'));
  },
});

async function importProduct(
  bench: Bench,
  service: LocalService,
  product: Product,
  { players, days, seed, wait, folder }: Readonly<Record<'players' | 'days' | 'seed' | 'wait', number>> & Place,
): Promise<ProductFigures> {
  const { report, signal } = bench;
  const place = temporaryFolder(bench, product, folder);
  const paths = FILES.map((name) => join(place, name));
  const startMs = (Math.floor(Date.now() / DAY_MS) - days - 10) * DAY_MS;
  const truth = writeExport(paths, product, { ...USUAL_GAME, players, days, seed, startMs });
  const megabytes = paths.reduce((sum, path) => sum + statSync(path).size / 2 ** 20, 0);
  report(
    `${product}: ${figure(truth.lines)} events and ${figure(truth.repeated)} repeated ones, ${figure(megabytes)} MiB`,
  );
  const game = `made-${product}`;
  await runCli(bench, service, ['games', 'create', game]);
  const watch = watchUsage(service.pids());
  const begunMs = performance.now();
  const purchases = ['mixpanel', 'posthog'].includes(product) ? ['--purchase', PURCHASES[product] ?? ''] : [];
  const command = ['import', '--from', product, ...paths, '--game', game, ...purchases];
  report(await runCli(bench, service, command, (pid) => watch.add('import', pid)));
  const seconds = (performance.now() - begunMs) / 1_000;
  const { peakRssMiB } = watch.seen();
  watch.stop();
  const read = async (sql: string): Promise<Record<string, unknown>[]> => {
    const answer = await queryClickhouse(service.clickhouse, `${sql} FORMAT JSONEachRow`);
    const lines = answer.split('\n').filter((line) => line !== '');
    return lines.map((line): Record<string, unknown> => JSON.parse(line));
  };
  const untilMs = performance.now() + wait * 1_000;
  let faults = await compareExport(read, game, truth);
  while (faults.length > 0 && performance.now() < untilMs) {
    signal.throwIfAborted();
    await sleep(2_000);
    faults = await compareExport(read, game, truth);
  }
  const peak = figure(peakRssMiB['import'] ?? Number.NaN);
  const outcome = faults.length === 0 ? 'all figures agree' : `${faults.length} differ`;
  report(`${product}: ${figure(seconds)} s, at most ${peak} MiB; ${outcome}`);
  const { lines, repeated, players: came } = truth;
  return {
    product,
    lines,
    repeated,
    players: came,
    megabytes,
    seconds,
    peakMiB: peakRssMiB['import'] ?? Number.NaN,
    faults,
  };
}

/** Events that are purchases in exports of products that have no such event of their own. */
const PURCHASES: Readonly<Record<string, string>> = { mixpanel: 'Purchase', posthog: 'pack_bought=revenue' };
