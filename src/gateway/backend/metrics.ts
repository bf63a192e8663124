import { Counter, Histogram, type Registry } from 'prom-client';

/** Commands on their way from this gateway to owners. */
export function createBackendMetrics(registers: Registry[]) {
  return {
    commandBatchSize: new Histogram({
      name: 'gateway_batch_commands',
      help: 'Commands per REQUESTS message.',
      buckets: [1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 2000],
      registers,
    }),
    commandsHandedOver: new Counter({
      name: 'gateway_commands_handed_over_total',
      help: 'Commands that an owner in the same process took in memory, without a message.',
      registers,
    }),
    commandsTimedOut: new Counter({
      name: 'gateway_commands_timed_out_total',
      help: 'Commands answered 503 because their deadline passed without a reply.',
      registers,
    }),
  };
}

export type BackendMetrics = ReturnType<typeof createBackendMetrics>;
