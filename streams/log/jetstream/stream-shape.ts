import { JetStreamApiError } from '@nats-io/jetstream';
import type { Clock } from '../../../core/kernel/clock.ts';
import { BUCKETS, STREAMS } from '../stream-definitions.ts';
import type { BucketName } from '../stream-definitions.ts';
import { API_ERRORS, untilAnswered } from './api.ts';
import type { Link } from './link.ts';

/** What the deployment decides about its streams; everything else is in `stream-definitions.ts`. */
export interface StreamShape {
  /** Brokers that store each record. */
  replicas: number;
  /** Maximum size of FACTS in bytes; at it, writes are refused. */
  factsMaxBytes: number;
}

export interface ReshapeOptions {
  /** Whether a stream that has more gets less. */
  lower: boolean;
  /** Called before each stream is changed. False: the shape no longer applies, and the rest of the streams stay. */
  still?: () => boolean;
}

/** A stream as it is on the broker. */
export interface ExistingStream {
  name: string;
  replicas: number;
  /** -1: without a limit. */
  maxBytes: number;
  sizeBytes: number;
}

/** The stream behind a bucket. */
export const bucketStream = (name: BucketName): string => `KV_${name}`;

const STREAM_NAMES = [...Object.keys(STREAMS), ...BUCKETS.map(bucketStream)];

/** The streams that exist now, in the order of their definitions. */
export async function existingStreams(link: Link, clock: Clock): Promise<ExistingStream[]> {
  const held: ExistingStream[] = [];
  for (const name of STREAM_NAMES) {
    const found = await describe(link, clock, name);
    if (found !== undefined) held.push(found);
  }
  return held;
}

/**
 * The shape of the streams that exist: the most replicas that any of them has, because another program may
 * have lowered some, and the size of FACTS.
 */
export function shapeOf(held: readonly ExistingStream[]): Partial<StreamShape> {
  const facts = held.find(({ name }) => name === STREAMS.FACTS.name);
  return {
    ...(held.length === 0 ? {} : { replicas: Math.max(...held.map(({ replicas }) => replicas)) }),
    ...(facts === undefined || facts.maxBytes <= 0 ? {} : { factsMaxBytes: facts.maxBytes }),
  };
}

/**
 * Gives every stream the given parts of a shape. Only for the operator's command: nothing else may lower what a
 * deployment holds. Rejects with the library's `JetStreamApiError` when the broker refuses.
 */
export async function reshapeStreams(
  link: Link,
  clock: Clock,
  shape: Partial<StreamShape>,
  { lower, still = () => true }: ReshapeOptions,
): Promise<void> {
  const next = (held: number, wanted = held): number => (lower ? wanted : Math.max(held, wanted));
  for (const { name, replicas, maxBytes } of await existingStreams(link, clock)) {
    const change = {
      num_replicas: next(replicas, shape.replicas),
      max_bytes: name === STREAMS.FACTS.name ? next(maxBytes, shape.factsMaxBytes) : maxBytes,
    };
    if (change.num_replicas === replicas && change.max_bytes === maxBytes) continue;
    if (!still()) return;
    await untilAnswered(link, clock, ({ streams }) => streams.update(name, change));
  }
}

async function describe(link: Link, clock: Clock, name: string): Promise<ExistingStream | undefined> {
  try {
    const { config, state } = await untilAnswered(link, clock, ({ streams }) => streams.info(name), {
      streamMayBeMissing: true,
    });
    const fields = new Map<string, unknown>(Object.entries(config));
    const number = (key: string, absent: number): number => {
      const value = fields.get(key);
      return typeof value === 'number' ? value : absent;
    };
    return {
      name,
      replicas: number('num_replicas', 1),
      maxBytes: number('max_bytes', -1),
      sizeBytes: state.bytes,
    };
  } catch (error) {
    if (error instanceof JetStreamApiError && error.code === API_ERRORS.streamNotFound) return undefined;
    throw error;
  }
}
