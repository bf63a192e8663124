import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../src/local/free-port.ts';
import type { Bench } from '../bench.ts';
import { defineSamples } from '../flags/define-samples.ts';
import { startLocalService, type LocalService } from '../service/local-service.ts';
import { defineCampaigns } from './define-campaigns.ts';
import type { GameOptions } from './game-options.ts';

/** A service with segments, flags and campaigns, and no players yet. */
export interface GameSetup {
  service: LocalService;
  /** Where the service opens its inspector when it is signalled to. */
  inspectorPort: number;
  /** See `readPlayerIds`; not there until players are registered. */
  idsFile: string;
}

/** Starts the service and defines what a game would. What it starts is ended by `bench.cleanup`. */
export async function prepareGame({ cleanup, signal, report }: Bench, { folder }: GameOptions): Promise<GameSetup> {
  const inspectorPort = await freePort();
  const service = await startLocalService({
    report,
    signal,
    ...(folder === undefined ? {} : { parentFolder: folder }),
    nodeArguments: [`--inspect-port=127.0.0.1:${inspectorPort}`],
  });
  cleanup.add(() => service.stop());
  await defineSamples(service);
  await defineCampaigns(service);
  const ownFolder = mkdtempSync(join(tmpdir(), 'player-analytics-bench-ids-'));
  cleanup.add(async () => rmSync(ownFolder, { recursive: true, force: true }));
  return { service, inspectorPort, idsFile: join(ownFolder, 'ids') };
}
