import { sampleEvent, type SampleEvent } from './workload.ts';

/** How the events of a load are numbered, beside a game's own properties. */
export interface Numbering {
  /** Every so many-th event is `sampled`, for outputs that take only a part. */
  sampledEvery: number;
  /** Callers, who take turns, and the shards that each caller's events walk over. */
  callers: number;
  shards: number;
  /** Characters of padding in the properties. */
  padding: number;
}

/** Whether the event of that number is one of those that are sampled. */
export function isSampled(number: number, { sampledEvery }: Pick<Numbering, 'sampledEvery'>): boolean {
  return number % sampledEvery === 0;
}

/** The caller of an event. */
export function callerOf(number: number, { callers }: Pick<Numbering, 'callers'>): number {
  return number % callers;
}

export function shardOf(number: number, { callers, shards }: Pick<Numbering, 'callers' | 'shards'>): number {
  return Math.floor(number / callers) % shards;
}

/** The event of that number. `n` comes first and other names hold none: a reader of bytes finds it by `"n":`. */
export function numberedEvent(playerId: string, number: number, numbering: Numbering): SampleEvent {
  const { properties, ...event } = sampleEvent(playerId, number);
  const padding = numbering.padding === 0 ? {} : { padding: 'x'.repeat(numbering.padding) };
  const numbers = { n: number, shard: shardOf(number, numbering), sampled: isSampled(number, numbering) };
  return { ...event, properties: { ...numbers, ...properties, ...padding } };
}
