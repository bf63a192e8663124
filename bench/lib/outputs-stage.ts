import { startBareServer } from './service/bare-server.ts';
import type { Bench, Owner } from './bench.ts';
import { create, registerPlayers } from './load/calls.ts';
import { EVENT_PATHS } from './load/traffic/event-load.ts';
import { numberedEvent } from './load/traffic/numbered-event.ts';
import { startLocalService, type LocalService } from './service/service.ts';
import { times } from './figures/statistics.ts';
import type { Pids } from './figures/usage.ts';

/** What takes events: the service, or the bare relay under the service's key. */
export interface OutputsTarget {
  baseUrl: string;
  key: string;
  /** The processes that work for it. */
  pids(): Pids;
}

/** A service with players whose events are tracked. */
export interface OutputsStage {
  service: LocalService;
  playerIds: string[];
  /** Starts a bare relay that answers what the service answers. */
  startRelay(owner: Owner, hooks: string[]): Promise<OutputsTarget>;
}

const PLAYERS = 2_000;

/** Starts the service and registers players; the service ends with the bench. */
export async function prepareOutputs(
  bench: Bench,
  folder: string | undefined,
  batchSize: number,
): Promise<OutputsStage> {
  const service = await startLocalService(bench, { folder });
  const playerIds = await registerPlayers(service, PLAYERS, bench.signal);
  const event = numberedEvent(playerIds[0] ?? '', 0, { sampledEvery: 1, callers: 1, shards: 1, padding: 0 });
  const { single, batch } = EVENT_PATHS;
  const answers = {
    [single]: await create(service, single, event),
    [batch]: await create(service, batch, { events: times(batchSize, () => event) }),
  };
  return {
    service,
    playerIds,
    async startRelay(owner, hooks) {
      const { baseUrl, pid } = await startBareServer(owner, { answers, hooks });
      return { baseUrl, key: service.key, pids: () => ({ relay: pid }) };
    },
  };
}
