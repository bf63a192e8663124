import { connect } from 'node:net';
import { createArrivalLog, monotonicMs, type Observer } from '../../load/traffic/arrivals.ts';
import type { Owner } from '../../bench.ts';
import { createFieldScanner } from '../../load/field-scanner.ts';
import { sum, times } from '../../figures/statistics.ts';
import { defineWorker } from '../worker.ts';

interface StreamReadersSpec {
  /** The stream, with its path. */
  url: string;
  key: string;
  /** Readers that take everything as it comes, and readers that take nothing at all. */
  readers: number;
  stalled: number;
}

/** What the readers have received; stalled ones are left out. */
export interface ReadersReport {
  /** Events over all readers, and those of the reader with the fewest and of the one with the most. */
  messages: number;
  fewest: number;
  most: number;
  /** Events whose id did not follow the one before: out of order, or repeated. */
  disordered: number;
  /** Streams that the service ended. */
  ended: number;
}

/** Readers of the event stream in a process of their own; the arrivals are those at the first of them. */
export interface StreamReaders extends Observer {
  report(): Promise<ReadersReport>;
}

const STREAM = '/v1/events/events/stream';

/** Connects readers; resolves when every stream has begun. */
export async function startStreamReaders(
  owner: Owner,
  { baseUrl, key }: { baseUrl: string; key: string },
  readers: number,
  stalled = 0,
): Promise<StreamReaders> {
  const process = await streamReaders.start(owner, { url: baseUrl + STREAM, key, readers, stalled });
  return { ...process, report: () => process.ask('report') };
}

/** Connections opened at a time: a server's accept queue holds a few hundred. */
const OPENED_AT_ONCE = 128;
/** Every reader reads into the same memory; a read is handled before the next one begins. */
const READ_BUFFER = Buffer.allocUnsafeSlow(64 * 1024);
/** A commit holds fewer facts: sequence and place together are one exact number. */
const FACTS_IN_RECORD = 100_000;
/** The id of an event: incarnation of the log, record, place in it. Heartbeats carry ids too. */
const EVENT = /^[0-9a-f]+-(\d+)-(\d+)\ndata: \{"type":"event"$/;

/**
 * Many readers of the event stream over bare sockets. Each reader checks only that the ids of events grow: one that
 * counts as many as were accepted has every event, once and in order. The first one records arrival times.
 */
const streamReaders = defineWorker(import.meta.url, async (spec: StreamReadersSpec) => {
  const log = createArrivalLog();
  const messages = times(spec.readers, () => 0);
  let disordered = 0;
  let ended = 0;

  function readerOf(index: number): (bytes: Buffer) => void {
    let last = -1;
    const scanIds = createFieldScanner('id: ', ',', (text) => {
      const [, sequence, place] = EVENT.exec(text) ?? [];
      if (sequence === undefined) return;
      const position = Number(sequence) * FACTS_IN_RECORD + Number(place);
      if (position <= last) disordered += 1;
      last = position;
      messages[index] = (messages[index] ?? 0) + 1;
    });
    if (index > 0) return scanIds;
    let atMs = 0;
    const scanNumbers = createFieldScanner('"n":', ',', (text) => log.record(Number(text), 0, atMs));
    return (bytes) => {
      atMs = monotonicMs();
      scanIds(bytes);
      scanNumbers(bytes);
    };
  }

  const opening = [
    ...messages.map((_, index) => () => openReader(spec, readerOf(index), () => (ended += 1))),
    ...times(spec.stalled, () => () => openStalled(spec)),
  ];
  for (let at = 0; at < opening.length; at += OPENED_AT_ONCE) {
    await Promise.all(opening.slice(at, at + OPENED_AT_ONCE).map((open) => open()));
  }
  const report = (): ReadersReport => ({
    messages: sum(messages),
    fewest: messages.reduce((least, count) => Math.min(least, count), Number.POSITIVE_INFINITY),
    most: messages.reduce((most, count) => Math.max(most, count), 0),
    disordered,
    ended,
  });
  return { ...log.methods, report };
});

/** Resolves when the stream has begun. */
function openReader(spec: StreamReadersSpec, onBytes: (bytes: Buffer) => void, onEnded: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    let begun = false;
    const socket = connect({
      ...addressOf(spec),
      onread: {
        buffer: READ_BUFFER,
        callback(sizeBytes) {
          const bytes = READ_BUFFER.subarray(0, sizeBytes);
          if (!begun) begin(bytes.toString('latin1'));
          onBytes(bytes);
          return true;
        },
      },
    });
    function begin(text: string): void {
      begun = true;
      if (text.startsWith('HTTP/1.1 200')) resolve();
      else reject(new Error(`the stream was answered ${text.slice(0, 200)}`));
    }
    socket.once('connect', () => socket.write(requestOf(spec)));
    socket.on('error', reject);
    socket.on('close', onEnded);
  });
}

/** Requests the stream and never reads it. */
function openStalled(spec: StreamReadersSpec): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(addressOf(spec));
    socket.pause();
    socket.once('connect', () => socket.write(requestOf(spec), () => resolve()));
    socket.on('error', reject);
  });
}

function addressOf({ url }: StreamReadersSpec): { host: string; port: number } {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) };
}

function requestOf({ url, key }: StreamReadersSpec): string {
  const { pathname, host } = new URL(url);
  return `GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\nX-API-Key: ${key}\r\nAccept: text/event-stream\r\n\r\n`;
}
