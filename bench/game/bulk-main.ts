import { closeSync, openSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { helperSpec, tellParent } from '../helpers/helper-process.ts';
import { openLanes } from '../load/lanes.ts';
import { playerOf } from '../service/register-players.ts';
import { ID_CHARS, readPlayerIds } from './player-ids.ts';

/** What the process for many calls is told at its start. */
export interface BulkSpec {
  /** `register` writes the players' ids into the file, each in its place; `read` reads the players of these ids. */
  task: 'register' | 'read';
  /** Without a path. */
  baseUrl: string;
  key: string;
  idsFile: string;
  /** Players by their number: from, and up to but without. */
  from: number;
  to: number;
  connections: number;
}

/** What it says now and then, and at the end with `isDone`. */
export interface BulkProgress {
  done: number;
  /** Answers 503, and connections lost: those calls are made again. */
  repeated: number;
  seconds: number;
  isDone: boolean;
  /** Why it ended early. */
  fault?: string;
}

const PATH = '/v1/players/players';
const TELL_MS = 2_000;
/** A service that refuses this many is not going to take the rest. */
const MOST_REPEATED = 100_000;

/** Calls for every player, with every connection busy. Ends early when an answer is neither a success nor 503. */
async function callForAll(spec: BulkSpec): Promise<void> {
  const { from, to } = spec;
  const requestOf = spec.task === 'register' ? registrations(spec) : reads(spec);
  const isRegistering = spec.task === 'register';
  const ids = Buffer.alloc(isRegistering ? (to - from) * ID_CHARS : 0);
  const begunMs = performance.now();
  const again: number[] = [];
  let next = from;
  let done = 0;
  let repeated = 0;
  let fault: string | undefined;

  const lanes = await openLanes<number>(new URL(spec.baseUrl), spec.connections, {
    onAnswer(index, status, body) {
      if (status === 503) repeat(index);
      else if (status >= 300) fault = `${spec.task} of player ${index} was answered ${status}: ${body}`;
      else {
        done += 1;
        if (isRegistering) ids.write(idIn(body), (index - from) * ID_CHARS, 'latin1');
      }
      sendMore();
    },
    onFailed: repeat,
  });

  const isFree = (): boolean => lanes.hasIdle && fault === undefined;
  const isOver = (): boolean => done >= to - from || fault !== undefined;

  function repeat(index: number): void {
    repeated += 1;
    if (repeated > MOST_REPEATED) fault = `${spec.task} was refused ${repeated} times`;
    again.push(index);
  }

  function sendMore(): void {
    while (isFree()) {
      const index = again.pop() ?? (next < to ? next++ : undefined);
      if (index === undefined) return;
      lanes.send(requestOf(index), index, true);
    }
  }

  const progress = (isDone: boolean): BulkProgress => ({
    done,
    repeated,
    seconds: (performance.now() - begunMs) / 1000,
    isDone,
  });
  let toldMs = begunMs;
  while (!isOver()) {
    sendMore();
    if (performance.now() - toldMs >= TELL_MS) {
      toldMs = performance.now();
      tellParent(progress(false));
    }
    await sleep(1);
  }
  const told = progress(true);
  if (isRegistering && fault === undefined) writeIds(spec, ids);
  tellParent(fault === undefined ? told : { ...told, fault });
}

function registrations({ baseUrl, key }: BulkSpec): (index: number) => Buffer {
  const head = `POST ${PATH} HTTP/1.1\r\n${commonHead(baseUrl, key)}Content-Type: application/json\r\nContent-Length: `;
  return (index) => {
    const body = JSON.stringify(playerOf(index));
    return Buffer.from(`${head}${body.length}\r\n\r\n${body}`, 'latin1');
  };
}

function reads({ baseUrl, key, idsFile }: BulkSpec): (index: number) => Buffer {
  const ids = readPlayerIds(idsFile);
  const rest = ` HTTP/1.1\r\n${commonHead(baseUrl, key)}\r\n`;
  return (index) => Buffer.from(`GET ${PATH}/${ids.at(index)}${rest}`, 'latin1');
}

function commonHead(baseUrl: string, key: string): string {
  return `Host: ${new URL(baseUrl).host}\r\nX-API-Key: ${key}\r\n`;
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

// The parent ends this process once it was told that all is done.
const spec: BulkSpec = JSON.parse(helperSpec());
await callForAll(spec);
