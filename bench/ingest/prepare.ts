import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bench } from '../bench.ts';
import { prepareWorkloads, type Workload } from '../load/workload.ts';
import type { Pids } from '../measure/usage-meter.ts';
import { startBareTarget, type BareTarget } from '../service/bare-target.ts';
import { startBystanders, type Bystanders } from '../service/bystanders.ts';
import { call } from '../service/call.ts';
import { startLocalService } from '../service/local-service.ts';
import { registerPlayers } from '../service/register-players.ts';
import { remoteService } from '../service/remote-service.ts';
import type { Service } from '../service/service.ts';
import type { IngestOptions } from './ingest-options.ts';
import type { Run } from './run.ts';

/** Everything that stands while the bench runs. */
export interface IngestSetup {
  service: Service;
  /** The reference; none when the service runs elsewhere. */
  bare: BareTarget | undefined;
  bystanders: Bystanders;
  workloads: Record<Workload['kind'], Workload>;
  /** Events acknowledged so far: what ClickHouse must hold. */
  ledger: { acknowledged: number };
  /** Without a path. */
  baseUrlOf(target: Run['target']): string;
  /** The processes that work for a target. */
  pidsOf(target: Run['target']): Pids;
}

/** Options of the preparation; the rest of `ingest`'s are about what is measured. */
export type SetupOptions = Pick<IngestOptions, 'remote' | 'players' | 'batchSize' | 'folder'> & {
  nodeArguments?: readonly string[];
};

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
  const ledger = { acknowledged: 0 };
  for (const { path, sample, eventsPerRequest } of kinds) {
    sizes[path] = Buffer.byteLength(await call(service, 'POST', path, sample));
    ledger.acknowledged += eventsPerRequest;
  }
  const bystanders = await startBystanders(service);
  cleanup.add(() => bystanders.stop());
  const bare = service.kind === 'local' ? await startBareTarget({ answers: sizes }) : undefined;
  if (bare !== undefined) cleanup.add(() => bare.stop());
  return {
    service,
    bare,
    bystanders,
    workloads,
    ledger,
    baseUrlOf: (target) => (target === 'bare' && bare !== undefined ? bare.baseUrl : service.baseUrl),
    pidsOf: (target) =>
      target === 'service' ? { ...service.pids(), 'stream reader': bystanders.readerPid } : { bare: bare?.pid ?? 0 },
  };
}

async function startService({ cleanup, signal, report }: Bench, options: SetupOptions): Promise<Service> {
  const { remote, folder, nodeArguments } = options;
  if (remote !== undefined) return remoteService(remote.url, remote.key);
  const service = await startLocalService({
    report,
    signal,
    ...(folder === undefined ? {} : { parentFolder: folder }),
    ...(nodeArguments === undefined ? {} : { nodeArguments }),
  });
  cleanup.add(() => service.stop());
  return service;
}
