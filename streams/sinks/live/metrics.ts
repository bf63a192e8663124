import { Counter, Gauge, type Registry } from 'prom-client';

/** The event streams of players and servers. */
export function createLiveMetrics(registers: Registry[]) {
  return {
    streamLag: new Gauge({
      name: 'sse_lag_records',
      help: 'FACTS records that are stored but not yet sent to the event stream of this process.',
      registers,
    }),
    streamReaders: new Gauge({ name: 'sse_readers', help: 'Open event streams.', registers }),
    streamBehind: new Gauge({
      name: 'sse_readers_behind',
      help: 'SSE connections that are catching up: resuming, slow, or waiting for the log.',
      registers,
    }),
    streamBuffered: new Gauge({
      name: 'sse_buffered_bytes',
      help: 'Bytes waiting for the network, over all SSE connections.',
      registers,
    }),
    streamGaps: new Counter({
      name: 'sse_gaps_total',
      help: 'gap messages sent to SSE readers: events that can no longer be replayed.',
      registers,
    }),
    streamDisconnects: new Counter({
      name: 'sse_disconnects_total',
      help: 'SSE readers that were disconnected, by reason: stalled, too_far_behind, buffers_full, unreadable.',
      labelNames: ['reason'],
      registers,
    }),
  };
}

export type LiveMetrics = ReturnType<typeof createLiveMetrics>;
