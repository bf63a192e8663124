import { closeSync, openSync, writeSync } from 'node:fs';
import { playerOf } from './calls.ts';
import { postRequests } from './connections.ts';
import { asConnectionsAllow } from './pace.ts';
import { openScheduler, type Job } from './scheduler.ts';
import { ID_CHARS, readPlayerIds } from './traffic/player-ids.ts';
import { defineWorker } from '../service/worker.ts';

export interface BulkSpec {
  /** `register` writes the players' ids into the file, each in its place; `read` reads the players of these ids. */
  task: 'register' | 'read';
  /** Without a path. */
  baseUrl: string;
  key: string;
  idsFile: string;
  /** Players by their number: `from` inclusive, `to` exclusive. */
  from: number;
  to: number;
  connections: number;
}

export interface BulkProgress {
  done: number;
  /** Answers 503, and lost connections: those requests are repeated. */
  repeated: number;
  seconds: number;
}

const PATH = '/v1/players/players';
/** A service that refuses this many will not accept the rest. */
const MOST_REPEATED = 100_000;

/** Makes a request for each of many players with every connection busy, in a process of its own. */
export const bulk = defineWorker(import.meta.url, (spec: BulkSpec) => {
  const progress: BulkProgress = { done: 0, repeated: 0, seconds: 0 };
  return {
    /** Throws when an answer is neither a success nor 503. */
    run: () => callForAll(spec, progress),
    progress: () => progress,
  };
});

async function callForAll(spec: BulkSpec, progress: BulkProgress): Promise<BulkProgress> {
  const { from, to } = spec;
  const isRegistering = spec.task === 'register';
  const requestOf = isRegistering ? registrations(spec) : reads(spec);
  const ids = Buffer.alloc(isRegistering ? (to - from) * ID_CHARS : 0);
  const beganMs = performance.now();
  let fault: string | undefined;

  const scheduler = await openScheduler<Job & { index: number }>(new URL(spec.baseUrl), spec.connections, {
    requestOf: ({ index }) => requestOf(index),
    wantsBody: () => true,
    onAnswered({ index }, status, body) {
      if (status === 503) repeat({ index });
      else if (status >= 300) fault ??= `${spec.task} of player ${index} was answered ${status}: ${body}`;
      else {
        progress.done += 1;
        progress.seconds = (performance.now() - beganMs) / 1000;
        if (isRegistering) ids.write(idIn(body), (index - from) * ID_CHARS, 'latin1');
      }
    },
    onFailed: repeat,
  });

  function repeat({ index }: { index: number }): void {
    progress.repeated += 1;
    if (progress.repeated > MOST_REPEATED) fault ??= `${spec.task} was refused ${progress.repeated} times`;
    if (fault === undefined) scheduler.due({ index, dueMs: performance.now() });
  }

  const begin = (turn: number, dueMs: number) => scheduler.due({ index: from + turn, dueMs });
  const everyPlayer = asConnectionsAllow(to - from, Infinity, () => scheduler.hasIdle, begin);
  await scheduler.run(beganMs, [(elapsedMs) => fault === undefined && everyPlayer(elapsedMs)], Infinity);
  if (fault !== undefined) throw new Error(fault);
  if (isRegistering) writeIds(spec, ids);
  return progress;
}

function registrations({ baseUrl, key }: BulkSpec): (index: number) => Buffer {
  const post = postRequests(new URL(baseUrl), key, PATH);
  return (index) => post(JSON.stringify(playerOf(index)));
}

function reads({ baseUrl, key, idsFile }: BulkSpec): (index: number) => Buffer {
  const ids = readPlayerIds(idsFile);
  const rest = ` HTTP/1.1\r\nHost: ${new URL(baseUrl).host}\r\nX-API-Key: ${key}\r\n\r\n`;
  return (index) => Buffer.from(`GET ${PATH}/${ids.at(index)}${rest}`, 'latin1');
}

function idIn(body: string): string {
  const id = /"id":"([^"]+)"/.exec(body)?.[1];
  if (id?.length !== ID_CHARS) throw new Error(`no id in ${body}`);
  return id;
}

function writeIds({ idsFile, from }: BulkSpec, ids: Buffer): void {
  const file = openSync(idsFile, from === 0 ? 'w' : 'r+');
  writeSync(file, ids, 0, ids.length, from * ID_CHARS);
  closeSync(file);
}
