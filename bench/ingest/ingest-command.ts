import { Command, Option } from 'commander';
import { beginReport } from '../begin-report.ts';
import type { Bench, WithBench } from '../bench.ts';
import { addPlaceOptions, count, duration, requireWrk, type PlaceFlags } from '../cli-options.ts';
import { INGEST_PARTS, type IngestPart } from './ingest-options.ts';
import { measureIngest } from './ingest.ts';
import { ingestTables } from '../report/ingest-tables.ts';
import { ingestPictures } from '../report/ingest-pictures.ts';

/** The options as the command line gives them. */
interface Flags extends PlaceFlags {
  url?: string;
  key?: string;
  only?: IngestPart[];
  seconds: number;
  rounds: number;
  players: number;
  batchSize: number;
  batchConnections: number;
  sustained: number;
  open: number;
  rate?: number;
  openConnections: number;
  soak?: number;
  threads: number;
}

/** `bench -- ingest`: how fast events are taken in, beside a bare HTTP server that parses the same bodies. */
export function ingestCommand(withBench: WithBench): Command {
  const command = new Command('ingest')
    .description(
      'Measure ingest with all sinks on, interleaved with a bare uWebSockets.js server that parses the same bodies: single ' +
        'events at 64 and 512 connections, batches, and an open loop at half of the maximum. Needs wrk.',
    )
    .addOption(new Option('--only <parts...>', 'measure only these').choices(INGEST_PARTS))
    .option('--seconds <time>', 'length of one run', duration, 10)
    .option('--rounds <n>', 'runs on each target; medians are told', count, 3)
    .option('--players <n>', 'players registered beforehand', count, 10_000)
    .option('--batch-size <n>', 'events in one batch', count, 100)
    .option('--batch-connections <n>', 'connections that send batches', count, 32)
    .option('--sustained <time>', 'length of the long run of batches', duration, 30)
    .option('--open <time>', 'length of the open loop', duration, 30)
    .option('--rate <n>', 'requests/s of the open loop and the soak (default: half of the measured maximum)', count)
    .option('--open-connections <n>', 'connections of the open loop', count, 512)
    .option(
      '--soak <time>',
      'afterwards, watch memory under the rate of the open loop for this long, e.g. 10m',
      duration,
    )
    .option('--threads <n>', 'threads of wrk', count, 1)
    .addOption(
      new Option(
        '--url <url>',
        'a deployment to measure instead: no bare server, no process figures, no webhook, ClickHouse is not asked',
      ),
    )
    .addOption(
      new Option('--key <key>', "a server key of the enterprise tier there; the bench's players and events stay"),
    );
  return addPlaceOptions(command).action(async (flags: Flags) => {
    requireWrk(command);
    if ((flags.url === undefined) !== (flags.key === undefined)) command.error('--url and --key go together');
    if (needsRate(flags)) command.error('the open loop and the soak need --rate, or single-512 measured before them');
    await withBench((bench) => measureAndTell(bench, flags));
  });
}

async function measureAndTell(bench: Bench, flags: Flags): Promise<void> {
  const tell = beginReport(bench, flags);
  const figures = await measureIngest(bench, {
    remote: flags.url === undefined || flags.key === undefined ? undefined : { url: flags.url, key: flags.key },
    parts: new Set(flags.only ?? INGEST_PARTS),
    seconds: flags.seconds,
    rounds: flags.rounds,
    players: flags.players,
    batchSize: flags.batchSize,
    batchConnections: flags.batchConnections,
    sustainedSeconds: flags.sustained,
    openSeconds: flags.open,
    openRequestsPerSecond: flags.rate,
    openConnections: flags.openConnections,
    soakSeconds: flags.soak,
    wrkThreads: flags.threads,
    folder: flags.folder,
  });
  tell({
    name: 'ingest',
    settings: { ...flags, key: undefined, environment: inherited() },
    results: figures,
    tables: ingestTables(figures),
    pictures: ingestPictures(figures),
  });
}

/** Whether a part is wanted whose rate neither the command line nor a measurement before it would tell. */
function needsRate({ only, rate, soak }: Flags): boolean {
  if (rate !== undefined || only === undefined || only.includes('single-512')) return false;
  return only.includes('open') || soak !== undefined;
}

/** What the environment may change of the service that is measured. */
const SETTINGS = ['PARTITIONS', 'LOG_LEVEL', 'NODE_OPTIONS', 'UV_THREADPOOL_SIZE', 'FACTS_MAX_BYTES'];

function inherited(): Record<string, string> {
  return Object.fromEntries(
    SETTINGS.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}
