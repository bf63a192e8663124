import { Counter, Gauge, type Registry } from 'prom-client';
import { fromZero, labelled } from '../../../../core/kernel/metrics/counter-from-zero.ts';

/** Webhooks: their deliveries, what waits, and receivers that fail. */
export function createWebhookMetrics(registers: Registry[]) {
  return {
    deliveries: new Counter({
      name: 'webhook_attempts_total',
      help: 'Webhook delivery attempts, by outcome.',
      labelNames: ['outcome'],
      registers,
    }),
    attemptsUnlogged: new Counter({
      name: 'webhook_attempts_unlogged_total',
      help: 'Webhook delivery attempts missing from webhook_deliveries, because RECORDS did not accept them in time.',
      registers,
    }),
    webhookGamesBehind: new Gauge({
      name: 'webhook_games_behind',
      help: 'Games with more deliveries than can be queued at once. They are matched separately until they catch up.',
      registers,
    }),
    deliveriesOverflowed: new Counter({
      name: 'webhook_deliveries_overflowed_total',
      help: 'Deliveries not queued because too many were waiting for their webhook or game. A recovery queues them.',
      registers,
    }),
    webhooksDisabled: fromZero(
      labelled('reason', ['gone', 'failing']),
      new Counter({
        name: 'webhooks_disabled_total',
        help: 'Webhooks that this process disabled, by reason.',
        labelNames: ['reason'],
        registers,
      }),
    ),
    oldestUndelivered: new Gauge({
      name: 'webhook_oldest_undelivered_seconds',
      help:
        'Age of the oldest delivery that this process has not delivered yet, over all webhooks. ' +
        'Take the maximum over processes.',
      registers,
    }),
    deliveriesPending: new Gauge({
      name: 'webhook_deliveries_pending',
      help: 'Waiting records of 1 to 64 deliveries, due now or scheduled, over all webhooks and processes.',
      registers,
    }),
    deliveriesInFlight: new Gauge({
      name: 'webhook_deliveries_in_flight',
      help: 'Requests to receivers in flight in this process.',
      registers,
    }),
    openCircuits: new Gauge({
      name: 'webhook_open_circuits',
      help:
        'Webhooks whose receiver does not respond to this process. They receive one attempt at a time; ' +
        'other deliveries are deferred.',
      registers,
    }),
  };
}

export type WebhookMetrics = ReturnType<typeof createWebhookMetrics>;
