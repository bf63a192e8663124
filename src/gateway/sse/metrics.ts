import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Streams of changed flags. */
export function createChangesMetrics(registers: Registry[]) {
  return {
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

export type ChangesMetrics = ReturnType<typeof createChangesMetrics>;
