import { setTimeout as sleep } from 'node:timers/promises';
import { temporaryFolder, type Bench } from './bench.ts';
import { call, createWebhook, registerPlayers } from './load/calls.ts';
import { remoteService, startLocalService, type LocalServiceOptions } from './service/service.ts';
import { createStage, type Stage } from './stage.ts';
import { sum } from './figures/statistics.ts';
import { defineWorker, type WorkerProcess } from './service/worker.ts';
import { eventWorkloads, type Workload } from './load/traffic/workload.ts';

/** A stage whose sinks all work while events are tracked: one reads the event stream, and one webhook is matched. */
export interface IngestStage extends Stage {
  workloads: { single: Workload; batch: Workload };
  /** What the reader of the event stream has seen so far. */
  streamSeen(): Promise<StreamSeen>;
}

export interface StreamSeen {
  messages: number;
  /** Times the service ended the stream, or refused it. */
  interruptions: number;
}

export interface IngestStageOptions extends LocalServiceOptions {
  players: number;
  batchSize: number;
  /** A deployment to measure instead of one of the bench's own. */
  remote?: { url: string; key: string } | undefined;
}

/** Starts the service and its reference, registers players and prepares the requests. */
export async function prepareIngest(bench: Bench, options: IngestStageOptions): Promise<IngestStage> {
  const { signal, report } = bench;
  const { remote, players, batchSize } = options;
  const service = remote === undefined ? await startLocalService(bench, options) : remoteService(remote);
  report(`registering ${players} players`);
  const playerIds = await registerPlayers(service, players, signal);
  const workloads = eventWorkloads(temporaryFolder(bench, 'bodies'), playerIds, batchSize);

  const probes = Object.values(workloads);
  const sizes: Record<string, number> = {};
  for (const { path, sample } of probes) sizes[path] = Buffer.byteLength(await call(service, 'POST', path, sample));
  // Nothing is to stay behind in a remote deployment.
  if (service.kind === 'local') await createWebhook(service, NEVER_FIRES.url, NEVER_FIRES.filters);
  const reader: WorkerProcess<{ seen: () => StreamSeen }> = await streamReader.start(bench, service);
  const acknowledged = sum(probes.map(({ eventsPerRequest }) => eventsPerRequest));
  const stage = await createStage(bench, service, sizes, acknowledged, { 'stream reader': reader.pid });
  return { ...stage, workloads, streamSeen: () => reader.ask('seen') };
}

/** Every event is matched against it, and none passes its filter. */
const NEVER_FIRES = { url: 'http://127.0.0.1:9/', filters: { 'properties.level': { gt: 1_000_000 } } };

const RECONNECT_MS = 200;
const NEWLINE = 10;

/** Reads the whole event stream as a dashboard does, and parses nothing. Ready once the stream has begun. */
const streamReader = defineWorker(
  import.meta.url,
  ({ baseUrl, key }: { baseUrl: string; key: string }) =>
    new Promise<{ seen: () => StreamSeen }>((resolve) => {
      const seen: StreamSeen = { messages: 0, interruptions: 0 };
      const onBegun = () => resolve({ seen: () => seen });
      void readStream(`${baseUrl}/v1/events/events/stream`, key, seen, onBegun);
    }),
);

async function readStream(url: string, key: string, seen: StreamSeen, onBegun: () => void): Promise<void> {
  for (;;) {
    try {
      const response = await fetch(url, { headers: { 'X-API-Key': key, Accept: 'text/event-stream' } });
      if (!response.ok || response.body === null) throw new Error(`the stream was answered ${response.status}`);
      let last = 0;
      for await (const chunk of response.body) {
        onBegun();
        seen.messages += endsIn(chunk, last);
        last = chunk.at(-1) ?? 0;
      }
    } catch {
      // An ended and a refused stream are both counted below, and opened again, as a browser does.
    }
    seen.interruptions += 1;
    await sleep(RECONNECT_MS);
  }
}

/** Blank lines, each the end of a message. @param last the byte before the chunk */
function endsIn(chunk: Uint8Array, last: number): number {
  let ends = last === NEWLINE && chunk[0] === NEWLINE ? 1 : 0;
  for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) {
    if (chunk[at + 1] === NEWLINE) ends += 1;
  }
  return ends;
}
