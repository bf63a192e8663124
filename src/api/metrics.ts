import { Counter, type Registry } from 'prom-client';
import { GUARDRAIL_ACTIONS } from '../../core/vocabulary/documents/experiments.ts';

/** What routes count of the events they receive, and keepers of the experiments they look at. */
export function createApiMetrics(registers: Registry[]) {
  const metrics = {
    segmentMessages: new Counter({
      name: 'segment_messages_total',
      help:
        "Messages of Segment's protocol by type and outcome: accepted, duplicate, quarantined, refused (the key may not " +
        'send it).',
      labelNames: ['type', 'outcome'],
      registers,
    }),
    guardrailChecks: new Counter({
      name: 'guardrail_checks_total',
      help: 'Looks at the guardrails of an experiment, by outcome: judged, unavailable (no answer of ClickHouse), failed.',
      labelNames: ['outcome'],
      registers,
    }),
    guardrailTrips: new Counter({
      name: 'guardrail_trips_total',
      help: 'Guardrails that found a variant harmful, by what was done: notify, pause, roll_back.',
      labelNames: ['action'],
      registers,
    }),
    schemaViolations: new Counter({
      name: 'event_schema_violations_total',
      help: "Events that violate their schema, by the schema's mode: observe, warn, enforce.",
      labelNames: ['mode'],
      registers,
    }),
  };
  // The first look or trip counts as an increase.
  for (const outcome of ['judged', 'unavailable', 'failed']) metrics.guardrailChecks.inc({ outcome }, 0);
  for (const action of GUARDRAIL_ACTIONS) metrics.guardrailTrips.inc({ action }, 0);
  return metrics;
}

export type ApiMetrics = ReturnType<typeof createApiMetrics>;
