import { Gauge, Histogram, type Registry } from 'prom-client';

/** From 10 ms to the minute after which an alert fires. */
const BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10, 30, 60];

/** The freshness of the outputs of the main thread, and what it reads of the sinks' positions. */
export function createFreshnessMetrics(registers: Registry[]) {
  let readBehind = async (): Promise<ReadonlyMap<string, number>> => new Map();
  const sinkBehind: Gauge = new Gauge({
    name: 'sink_behind_seconds',
    help:
      'Age of the oldest accepted record that a sink has not handled, by sink; 0 when it has handled all. Processes ' +
      'with the role sinks report it.',
    labelNames: ['sink'],
    registers,
    async collect() {
      sinkBehind.reset();
      for (const [sink, seconds] of await readBehind()) sinkBehind.set({ sink }, seconds);
    },
  });
  return {
    sinkBehind,
    streamDelay: new Histogram({
      name: 'sse_delay_seconds',
      help: 'Time from accepted to sent to the event streams of this process, of one event a second.',
      buckets: BUCKETS,
      registers,
    }),
    streamNewestEvent: new Gauge({
      name: 'sse_newest_event_timestamp_seconds',
      help: 'When the newest event was accepted that the event streams of this process have; 0 before the first.',
      registers,
    }),
    /** Names the source of `sink_behind_seconds`; called once by main. */
    sinksBehindFrom(read: () => Promise<ReadonlyMap<string, number>>): void {
      readBehind = read;
    },
  };
}

/** The freshness of the outputs of the sinks' thread. */
export function createSinkFreshnessMetrics(registers: Registry[]) {
  return {
    sinkDelay: new Histogram({
      name: 'sink_delay_seconds',
      help:
        'Time from accepted to a row in ClickHouse, or to the answer of a webhook that took its first attempt, of one ' +
        'event a second, by sink.',
      labelNames: ['sink'],
      buckets: BUCKETS,
      registers,
    }),
    sinkNewestEvent: new Gauge({
      name: 'sink_newest_event_timestamp_seconds',
      help: 'When the newest event was accepted that a sink has handled, by sink; absent before the first.',
      labelNames: ['sink'],
      registers,
    }),
  };
}
