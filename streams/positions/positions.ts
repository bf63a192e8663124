import type { StreamName } from '../../core/vocabulary/stream-name.ts';
import { decodeJson } from '../../core/codec/codec.ts';
import type { Log, StreamBounds } from '../log/log.ts';
import { createStoredValue, type StoredValue } from '../stored-value.ts';
import { sinksOf, type SinkName } from './sink-registry.ts';

/**
 * Positions of sinks: JSON documents in the bucket POSITIONS, one key a sink, readable with any NATS tool. The bucket
 * also holds rebuild marks (`rebuild-mark.ts`) and the progress of segment sweeps.
 */
export interface SinkPosition {
  /** The stream's creation, as the broker spells it: a position in another incarnation means nothing. */
  stream: string;
  /** Every record up to and including this sequence is handled. */
  sequence: number;
  /** Records being handled now; a restart repeats exactly these, as one. Both ends included. */
  intent?: { from: number; to: number };
  /** The sequence that ClickHouse itself confirmed last (`sink_positions`). Absent until the first confirmation. */
  confirmedTo?: number;
  /** An operator moved the position back from this sequence: up to it, rows may be in ClickHouse already. */
  replayTo?: number;
  /** ClickHouse is behind `confirmedTo`: it lost rows. Nothing of the stream is trimmed meanwhile. */
  lost?: true;
}

/** The stored position of a sink, to be moved by the holder of its lease. */
export function storedPosition<T>(
  log: Pick<Log, 'bucket'>,
  sink: SinkName,
  parse: (value: unknown) => T | undefined,
): StoredValue<T> {
  return createStoredValue(log.bucket('POSITIONS'), sink, parse);
}

/**
 * Reads a position and the bounds of its stream as of one moment: if the position moves in between, both are read
 * again. With older bounds the stream would seem to have lost records; with newer ones, to be trimmed beyond the
 * position.
 */
export async function loadWithBounds<T>(
  position: StoredValue<T>,
  log: Pick<Log, 'info'>,
  stream: StreamName = 'FACTS',
): Promise<{ stored: T | undefined; bounds: StreamBounds }> {
  let stored = await position.load();
  for (;;) {
    const bounds = await log.info(stream);
    const again = await position.load();
    if (JSON.stringify(again) === JSON.stringify(stored)) return { stored, bounds };
    stored = again;
  }
}

/** The stored position of a sink. `undefined`: it has none yet. */
export async function readSinkPosition(log: Pick<Log, 'bucket'>, sink: SinkName): Promise<SinkPosition | undefined> {
  const entry = await log.bucket('POSITIONS').get(sink);
  return entry?.value === undefined ? undefined : parseSinkPosition(decodeJson(entry.value));
}

/** How far a sink has handled its stream, without its intent: what rows and versions in ClickHouse compare with. */
export interface HandledTo {
  /** The stream's creation, epoch milliseconds. */
  createdMs: number;
  sequence: number;
}

/** The stored position of a sink as a place in its stream. `undefined`: it has none yet. */
export async function readHandledTo(log: Pick<Log, 'bucket'>, sink: SinkName): Promise<HandledTo | undefined> {
  const position = await readSinkPosition(log, sink);
  return position && { createdMs: Date.parse(position.stream), sequence: position.sequence };
}

/**
 * Up to which sequence every sink of a stream has handled it. 0 while a sink has no position, has one in another
 * incarnation of the stream, or has lost what it wrote: then nothing may be trimmed.
 */
export async function handledByAllSinks(
  log: Pick<Log, 'bucket'>,
  stream: StreamName,
  created: string,
): Promise<number> {
  const positions = await Promise.all(sinksOf(stream).map((sink) => readSinkPosition(log, sink)));
  return Math.min(
    ...positions.map((position) =>
      position?.stream === created && position.lost === undefined ? position.sequence : 0,
    ),
  );
}

/** Parses a sink's position; `undefined` for anything else. */
export function parseSinkPosition(value: unknown): SinkPosition | undefined {
  if (typeof value !== 'object' || value === null || !('stream' in value) || !('sequence' in value)) return undefined;
  const { stream, sequence } = value;
  if (typeof stream !== 'string' || typeof sequence !== 'number') return undefined;
  const intent = 'intent' in value ? parseIntent(value.intent) : undefined;
  const confirmedTo = 'confirmedTo' in value && typeof value.confirmedTo === 'number' ? value.confirmedTo : undefined;
  const replayTo = 'replayTo' in value && typeof value.replayTo === 'number' ? value.replayTo : undefined;
  const lost = 'lost' in value && value.lost === true ? true : undefined;
  return {
    stream,
    sequence,
    ...(intent === undefined ? {} : { intent }),
    ...(confirmedTo === undefined ? {} : { confirmedTo }),
    ...(replayTo === undefined ? {} : { replayTo }),
    ...(lost === undefined ? {} : { lost }),
  };
}

function parseIntent(value: unknown): { from: number; to: number } | undefined {
  if (typeof value !== 'object' || value === null || !('from' in value) || !('to' in value)) return undefined;
  const { from, to } = value;
  return typeof from === 'number' && typeof to === 'number' ? { from, to } : undefined;
}
