import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** The metrics of Server-Sent Events: event streams, and streams of changed flags. */
export function createStreamMetrics(registers: Registry[]) {
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
    changeReaders: new Gauge({ name: 'sse_change_readers', help: 'Open streams of changed flags.', registers }),
    changeMessages: new Counter({
      name: 'sse_change_messages_total',
      help: 'Messages about changed flags sent to streams.',
      registers,
    }),
    changeDelay: new Histogram({
      name: 'sse_change_delay_seconds',
      help: 'Time from the first untold change of a flag or segment to the message to the last stream of this process.',
      buckets: [0.25, 0.3, 0.4, 0.5, 0.75, 1, 2.5, 5, 10],
      registers,
    }),
    changeDisconnects: new Counter({
      name: 'sse_change_disconnects_total',
      help: 'Streams of changed flags that the service ended, by reason: slow.',
      labelNames: ['reason'],
      registers,
    }),
  };
}
