import { Counter, type Registry } from 'prom-client';

/** What routes count of the events they receive. */
export function createApiMetrics(registers: Registry[]) {
  return {
    segmentMessages: new Counter({
      name: 'segment_messages_total',
      help:
        "Messages of Segment's protocol by type and outcome: accepted, duplicate, quarantined, refused (the key may not " +
        'send it).',
      labelNames: ['type', 'outcome'],
      registers,
    }),
    schemaViolations: new Counter({
      name: 'event_schema_violations_total',
      help: "Events that violate their schema, by the schema's mode: observe, warn, enforce.",
      labelNames: ['mode'],
      registers,
    }),
  };
}

export type ApiMetrics = ReturnType<typeof createApiMetrics>;
