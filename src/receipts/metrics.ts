import { Counter, type Registry } from 'prom-client';

/** Receipts of purchases. */
export function createReceiptMetrics(registers: Registry[]) {
  return {
    receipts: new Counter({
      name: 'purchase_receipts_total',
      help: 'Attempts to verify receipts, by store and outcome. retried: the store did not answer, it is tried again.',
      labelNames: ['store', 'outcome'],
      registers,
    }),
  };
}

export type ReceiptMetrics = ReturnType<typeof createReceiptMetrics>;
