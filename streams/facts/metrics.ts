import { Gauge, type Registry } from 'prom-client';

/** The size of FACTS and what keeps it from being trimmed. */
export function createFactsMetrics(registers: Registry[]) {
  return {
    factsBytes: new Gauge({ name: 'facts_bytes', help: 'Bytes that FACTS holds.', registers }),
    factsLimit: new Gauge({
      name: 'facts_limit_bytes',
      help: 'Bytes of FACTS at which commands are answered 503. The rest is the reserve.',
      registers,
    }),
    factsHeld: new Gauge({
      name: 'facts_held_bytes',
      help: 'Bytes of FACTS that cannot be trimmed yet, by what has not passed them: a sink, or the mark of partition-N.',
      labelNames: ['holder'],
      registers,
    }),
    factsFullIn: new Gauge({
      name: 'facts_full_in_seconds',
      help: 'Time until held bytes reach the limit at their growth over the last 10 minutes; +Inf without growth.',
      registers,
    }),
    factsReach: new Gauge({
      name: 'facts_reach_seconds',
      help: 'Age of the oldest record of FACTS: how far back streams and recoveries reach.',
      registers,
    }),
  };
}

export type FactsMetrics = ReturnType<typeof createFactsMetrics>;
