import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench } from '../bench.ts';
import { median } from '../measure/statistics.ts';
import type { IngestOptions } from './ingest-options.ts';
import { ingestPhases, type Comparison, type OpenLoopComparison } from './ingest-phases.ts';
import { prepare } from './prepare.ts';
import type { Run } from './run.ts';

/** Everything that was measured; parts that were not wanted are missing. */
export interface IngestFigures {
  few: Comparison | undefined;
  many: Comparison | undefined;
  batches: Comparison | undefined;
  sustained: Run | undefined;
  open: OpenLoopComparison | undefined;
  soak: Run | undefined;
  /** Events acknowledged in the whole run, and rows in ClickHouse a moment after it; undefined when it isn't asked. */
  total: { acknowledged: number; rows: number } | undefined;
  /** What the reader of the event stream saw of it all. */
  stream: { messages: number; interruptions: number };
}

/** Long enough for a row that came twice to show. */
const SETTLE_MS = 1_000;

/** Measures ingest as `options` say. What it starts is ended by `bench.cleanup`. Throws when the signal comes. */
export async function measureIngest(bench: Bench, options: IngestOptions): Promise<IngestFigures> {
  const setup = await prepare(bench, options);
  const { single, batch } = setup.workloads;
  const { parts, batchSize, batchConnections } = options;
  const phases = ingestPhases(bench, setup, options);

  await phases.warmUp();
  const few = parts.has('single-64') ? await phases.compare('single events, 64 connections', single, 64) : undefined;
  const many = parts.has('single-512')
    ? await phases.compare('single events, 512 connections', single, 512)
    : undefined;
  const batchName = `batches of ${batchSize}, ${batchConnections} connections`;
  const batches = parts.has('batch') ? await phases.compare(batchName, batch, batchConnections) : undefined;
  const sustained = parts.has('sustained') ? await phases.sustainedBatches() : undefined;

  const rate = options.openRequestsPerSecond ?? halfOf(many);
  const open = parts.has('open') && rate !== undefined ? await phases.openLoop(rate) : undefined;
  const { soakSeconds } = options;
  const soak = soakSeconds === undefined || rate === undefined ? undefined : await phases.soak(rate, soakSeconds);

  await sleep(SETTLE_MS);
  const rows = await setup.service.countRows?.();
  return {
    few,
    many,
    batches,
    sustained,
    open,
    soak,
    total: rows === undefined ? undefined : { acknowledged: setup.ledger.acknowledged, rows },
    stream: await setup.bystanders.seen(),
  };
}

/** Half of the service's median rate; undefined when it was not measured. */
function halfOf(comparison: Comparison | undefined): number | undefined {
  if (comparison === undefined) return undefined;
  return Math.round(median(comparison.rounds.map(({ service }) => service.requestsPerSecond)) / 2);
}
