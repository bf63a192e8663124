import { connect } from 'node:net';
import { helperSpec, onAsked, tellParent } from '../helpers/helper-process.ts';
import { monotonicMs } from '../measure/monotonic-ms.ts';
import { createArrivalLog } from './arrivals.ts';
import { createFieldScanner } from './field-scanner.ts';

/** What a process of stream readers is told at its start. */
export interface StreamReadersSpec {
  /** The stream, with its path. */
  url: string;
  key: string;
  /** Readers that take everything as it comes, and readers that take nothing at all. */
  readers: number;
  stalled: number;
}

/** What it says when it is asked for the readers. The stalled ones are left out. */
export interface ReadersReport {
  /** Events over all readers, and those of the reader that had the fewest and of the one that had the most. */
  messages: number;
  fewest: number;
  most: number;
  /** Events whose id did not follow the one before: out of order, or again. */
  disordered: number;
  /** Streams that the service ended. */
  ended: number;
}

/** Connections opened at a time: a server's queue of those it has not accepted yet holds a few hundred. */
const OPENED_AT_ONCE = 128;
/** Every read of every reader into the same memory; it is looked through before the next one begins. */
const READ_BUFFER = Buffer.allocUnsafeSlow(64 * 1024);
/** A commit holds fewer facts: position and place together are one exact number. */
const FACTS_IN_RECORD = 100_000;

/**
 * Many readers of the event stream over bare sockets. Of every event each reader looks at the id only, which must grow:
 * a reader with as many as were accepted has every one, once and in order. The first one notes when they came.
 */
async function openReaders(spec: StreamReadersSpec): Promise<void> {
  const log = createArrivalLog();
  const messages = Array.from({ length: spec.readers }, () => 0);
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
    const scanNumbers = createFieldScanner('"n":', ',', (text) => log.note(Number(text), 0, atMs));
    return (bytes) => {
      atMs = monotonicMs();
      scanIds(bytes);
      scanNumbers(bytes);
    };
  }

  onAsked((what) => {
    if (what === 'take') tellParent(log.take());
    else if (what === 'count') tellParent({ count: log.count });
    else tellParent(reportOf(messages, disordered, ended));
  });
  const opening = [
    ...messages.map((_, index) => () => openReader(spec, readerOf(index), () => (ended += 1))),
    ...Array.from({ length: spec.stalled }, () => () => openStalled(spec)),
  ];
  for (let at = 0; at < opening.length; at += OPENED_AT_ONCE) {
    await Promise.all(opening.slice(at, at + OPENED_AT_ONCE).map((open) => open()));
  }
  tellParent({ ready: true });
}

/** The id of an event: incarnation of the log, record, place in it. Heartbeats carry ids too. */
const EVENT = /^[0-9a-f]+-(\d+)-(\d+)\ndata: \{"type":"event"$/;

function reportOf(messages: readonly number[], disordered: number, ended: number): ReadersReport {
  return {
    messages: messages.reduce((sum, count) => sum + count, 0),
    fewest: messages.reduce((least, count) => Math.min(least, count), Number.POSITIVE_INFINITY),
    most: messages.reduce((most, count) => Math.max(most, count), 0),
    disordered,
    ended,
  };
}

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

/** Asks for the stream and never reads what comes. */
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

const spec: StreamReadersSpec = JSON.parse(helperSpec());
await openReaders(spec);
