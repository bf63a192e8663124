import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bench } from '../bench.ts';
import { prepareWorkloads, type Workload, type WorkloadKind } from '../load/workload.ts';
import { startBareTarget } from '../service/bare-target.ts';
import { startBystanders, type Bystanders } from '../service/bystanders.ts';
import { call } from '../service/call.ts';
import { registerPlayers } from '../service/register-players.ts';
import { createStage, type Stage } from '../service/stage.ts';
import { startService, type StartOptions } from '../service/start-service.ts';
import type { IngestOptions } from './ingest-options.ts';

/** Everything that stands while the bench runs. */
export interface IngestSetup extends Stage {
  bystanders: Bystanders;
  workloads: Record<WorkloadKind, Workload>;
}

/** Options of the preparation; the rest of `ingest`'s are about what is measured. */
export type SetupOptions = StartOptions & Pick<IngestOptions, 'players' | 'batchSize'>;

/** Starts the service and its reference, registers players and prepares what will be sent. */
export async function prepare(bench: Bench, options: SetupOptions): Promise<IngestSetup> {
  const { cleanup, signal, report } = bench;
  const service = await startService(bench, options);
  report(`registering ${options.players} players`);
  const playerIds = await registerPlayers(service, options.players, signal);
  const folder = mkdtempSync(join(tmpdir(), 'player-analytics-bench-bodies-'));
  cleanup.add(async () => rmSync(folder, { recursive: true, force: true }));
  const workloads = prepareWorkloads(folder, playerIds, options.batchSize);

  // The bare server answers bodies of the size that the service answers to the same requests.
  const kinds = Object.values(workloads);
  const sizes: Record<string, number> = {};
  let acknowledged = 0;
  for (const { path, sample, eventsPerRequest } of kinds) {
    sizes[path] = Buffer.byteLength(await call(service, 'POST', path, sample));
    acknowledged += eventsPerRequest;
  }
  const bystanders = await startBystanders(service);
  cleanup.add(() => bystanders.stop());
  const bare = service.kind === 'local' ? await startBareTarget({ answers: sizes }) : undefined;
  if (bare !== undefined) cleanup.add(() => bare.stop());
  const stage = createStage(service, bare, { 'stream reader': bystanders.readerPid });
  stage.ledger.acknowledged = acknowledged;
  return { ...stage, bystanders, workloads };
}
