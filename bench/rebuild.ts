import { migrate } from '../clickhouse-schema/migrations/migrate.ts';
import { createRowBatch } from '../clickhouse-schema/rows/row-batch.ts';
import { createClickhouseTarget } from '../streams/sinks/clickhouse/block-target.ts';
import type { ClickhouseAddress } from '../clickhouse-schema/clickhouse-address.ts';
import { BenchError, inPhase, temporaryFolder, type Bench } from './lib/bench.ts';
import { choice, counts, defineCase } from './lib/case.ts';
import { readUsage, watchUsage } from './lib/figures/usage.ts';
import { section, tableOf } from './lib/report/table.ts';
import { type LocalClickhouse, startLocalClickhouse } from './lib/service/clickhouse.ts';
import { FACTS_CREATED, type RebuildReferences, type Rebuilt, rebuilder } from './lib/service/rebuilder.ts';
import { newPlayer, typicalPlayer } from './lib/service/samples/sample-states.ts';

const KINDS = { typical: typicalPlayer, new: newPlayer };

interface RebuildFigures extends Rebuilt {
  players: number;
  references: RebuildReferences;
  /** ClickHouse's CPU time during the take-over. */
  clickhouseCpuSeconds: number;
  /** ClickHouse's memory before the take-over, and the most during it. */
  clickhouseStartMiB: number;
  clickhousePeakMiB: number;
}

export const rebuild = defineCase({
  name: 'rebuild',
  description: 'Take a partition over without a local store, from the snapshots of many players in ClickHouse.',
  options: {
    players: counts('--players <list>', 'players of the partition', [200_000, 1_000_000]),
    kind: choice<keyof typeof KINDS>('--kind <kind>', 'what the players have done', ['typical', 'new']),
  },
  async run(bench, settings, save) {
    const figures: RebuildFigures[] = [];
    for (const players of settings.players) {
      figures.push(
        await inPhase(bench, async (phase) => {
          const clickhouse = await startLocalClickhouse(phase, settings.folder);
          await migrate(clickhouse);
          await fillSnapshots(phase, clickhouse, players, KINDS[settings.kind]);
          return takeOverCold(phase, clickhouse, players, settings.folder);
        }),
      );
    }
    save({ results: { figures }, tables: section(`cold take-over, ${settings.kind} players`, tableFor(figures)) });
  },
});

const INSERT_PLAYERS = 10_000;

/** Inserts snapshots as the sink does. */
async function fillSnapshots(
  { report, signal }: Bench,
  address: ClickhouseAddress,
  players: number,
  make: (turn: number) => ReturnType<typeof newPlayer>,
): Promise<void> {
  const target = createClickhouseTarget(address);
  const batch = createRowBatch();
  for (let from = 0; from < players; from += INSERT_PLAYERS) {
    signal.throwIfAborted();
    batch.clear();
    const states = Array.from({ length: Math.min(INSERT_PLAYERS, players - from) }, (_, index) => make(from + index));
    const facts = states.map((state) => {
      const { id: entityId, game, environment, lastSeenAt: at } = state;
      return { kind: 'EntitySnapshot', entityId, game, environment, at, state } as const;
    });
    const record = { partition: 0, epoch: 1, owner: 'bench', committedAt: 0, position: null, configRevision: 0, facts };
    batch.add(record, { stream: FACTS_CREATED, sequence: from + 1 });
    for (const { table, bytes } of batch.blocks()) {
      const outcome = await target.insert(table, bytes, `${table}/${from}`);
      if (outcome.kind === 'failed') throw new BenchError(outcome.message);
    }
    if ((from / INSERT_PLAYERS) % 20 === 19) report(`${from + INSERT_PLAYERS} snapshots inserted`);
  }
  await target.close();
}

async function takeOverCold(
  bench: Bench,
  clickhouse: LocalClickhouse,
  players: number,
  folder: string | undefined,
): Promise<RebuildFigures> {
  const path = temporaryFolder(bench, 'players', folder);
  const { pid } = clickhouse;
  const clickhouseCpu = () => readUsage(pid)?.cpuSeconds ?? Number.NaN;
  const watch = watchUsage({ clickhouse: pid });
  try {
    const clickhouseStartMiB = readUsage(pid)?.rssMiB ?? Number.NaN;
    const cpuBegan = clickhouseCpu();
    const rebuilt = await rebuilder.use(bench.signal, { clickhouse, path, players }, (process) => process.ask('run'));
    const clickhouseCpuSeconds = clickhouseCpu() - cpuBegan;
    const clickhousePeakMiB = watch.seen().peakRssMiB['clickhouse'] ?? Number.NaN;
    if (rebuilt.entities !== players) throw new BenchError(`${rebuilt.entities} of ${players} players were rebuilt`);
    const spec = { clickhouse, path: temporaryFolder(bench, 'reference', folder), players };
    const references = await rebuilder.use(bench.signal, spec, (process) => process.ask('references'));
    return { players, references, ...rebuilt, clickhouseCpuSeconds, clickhouseStartMiB, clickhousePeakMiB };
  } finally {
    watch.stop();
  }
}

function tableFor(figures: readonly RebuildFigures[]): string {
  return tableOf(figures, {
    players: ({ players }) => players.toLocaleString('en-US'),
    seconds: ({ seconds }) => seconds,
    'its CPU': ({ cpuSeconds }) => cpuSeconds,
    "ClickHouse's CPU": ({ clickhouseCpuSeconds }) => clickhouseCpuSeconds,
    'bare read, seconds': ({ references }) => references.read.seconds,
    'its CPU ': ({ references }) => references.read.cpuSeconds,
    'bare sorted LMDB, seconds': ({ references }) => references.put.seconds,
    'its CPU  ': ({ references }) => references.put.cpuSeconds,
    'bytes each': ({ bytesEach }) => bytesEach,
    'RSS before, MiB': ({ startMiB }) => startMiB,
    'RSS peak': ({ peakMiB }) => peakMiB,
    'unmapped above before': ({ startUnmappedMiB, peakUnmappedMiB }) => peakUnmappedMiB - startUnmappedMiB,
    'heap peak': ({ peakHeapMiB }) => peakHeapMiB,
    'buffers peak': ({ peakExternalMiB }) => peakExternalMiB,
    'longest stall, ms': ({ longestStallMs }) => longestStallMs,
    'ClickHouse above before': ({ clickhouseStartMiB, clickhousePeakMiB }) => clickhousePeakMiB - clickhouseStartMiB,
  });
}
