import type { Bench } from '../bench.ts';
import { call } from '../service/call.ts';
import { startLocalService, type LocalService } from '../service/local-service.ts';
import { registerPlayers } from '../service/register-players.ts';
import type { Service } from '../service/service.ts';
import type { EventFlow, EventLoadSpec } from './event-load-main.ts';
import { numberedEvent } from './numbered-event.ts';

/** A service with players whose events are tracked. */
export interface OutputsSetup {
  service: LocalService;
  playerIds: string[];
}

/** Who takes events: the service, or the bare relay under the service's key. */
export interface Target {
  baseUrl: string;
  key: string;
}

const PLAYERS = 2_000;
const LOAD_CONNECTIONS = 64;

/** Starts the service and registers players. What it starts is ended by `bench.cleanup`. */
export async function prepareOutputs(bench: Bench, folder: string | undefined): Promise<OutputsSetup> {
  const service = await startOutputsService(bench, folder);
  return { service, playerIds: await registerPlayers(service, PLAYERS, bench.signal) };
}

/** The service by itself. */
export async function startOutputsService(
  { cleanup, signal, report }: Bench,
  folder: string | undefined,
): Promise<LocalService> {
  const service = await startLocalService({
    report,
    signal,
    ...(folder === undefined ? {} : { parentFolder: folder }),
  });
  cleanup.add(() => service.stop());
  return service;
}

/** A load of one caller's events on a target. Numbers start at 1: 0 is the number of probes. */
export function loadOn(
  { baseUrl, key }: Target,
  playerIds: readonly string[],
  flows: readonly EventFlow[],
  firstNumber: number,
  extra: Partial<Pick<EventLoadSpec, 'sampledEvery' | 'padding' | 'connections'>> = {},
): EventLoadSpec {
  return {
    baseUrl,
    callers: [{ key, playerIds }],
    flows,
    firstNumber,
    connections: LOAD_CONNECTIONS,
    sampledEvery: 1,
    shards: 1,
    padding: 0,
    ...extra,
  };
}

/** What the service answers to a single event and to a batch, by path: the bare relay says the same. */
export async function probeAnswers(
  service: Service,
  playerId: string,
  batchSize: number,
): Promise<Record<string, string>> {
  const event = numberedEvent(playerId, 0, { sampledEvery: 1, callers: 1, shards: 1, padding: 0 });
  const batch = { events: Array.from({ length: batchSize }, () => event) };
  const [single, several] = ['/v1/events/events', '/v1/events/events/batch'];
  return {
    [single]: await call(service, 'POST', single, JSON.stringify(event)),
    [several]: await call(service, 'POST', several, JSON.stringify(batch)),
  };
}

/** Creates a webhook for tracked events that its filters let through. */
export async function createWebhook(service: Service, url: string, filters: object): Promise<void> {
  const webhook = { name: 'bench', url, events: ['event.*'], enabled: true, filters };
  await call(service, 'POST', '/v1/integrations/webhooks', JSON.stringify(webhook));
}
