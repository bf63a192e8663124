import { Counter, Gauge, type Registry } from 'prom-client';
import { SECONDS } from '../../../core/kernel/metrics/buckets.ts';
import { RequestCounter, RequestDurations } from './request-metrics.ts';

/** HTTP requests, and answers that wait for their readers. */
export function createHttpMetrics(registers: Registry[]) {
  return {
    httpRequests: new RequestCounter({
      name: 'http_requests_total',
      help: 'HTTP responses, by route and status.',
      labelNames: ['route', 'status'],
      registers,
    }),
    httpDuration: new RequestDurations({
      name: 'http_request_duration_seconds',
      help: 'Time from the first byte of a request to its response, by route.',
      labelNames: ['route'],
      buckets: SECONDS,
      registers,
    }),
    unreadAnswerBytes: new Gauge({
      name: 'http_unread_answer_bytes',
      help: 'Bytes of answers that wait for clients to read; event streams are apart (sse_buffered_bytes).',
      registers,
    }),
    slowReadersClosed: new Counter({
      name: 'http_slow_readers_closed_total',
      help:
        'Connections closed with an unread response, by reason: slow (not read in time), full (all unread responses ' +
        'together were too large, and this caller held the most).',
      labelNames: ['reason'],
      registers,
    }),
  };
}

export type HttpMetrics = ReturnType<typeof createHttpMetrics>;
