import type { StoreVerifier } from '../../../src/receipts/store-verifier.ts';

/** Stores that do not answer. */
export const NO_STORES: StoreVerifier = {
  appleReceipt: async () => SILENT,
  googleReceipt: async () => SILENT,
  appleNotice: async () => SILENT,
  googleSender: async () => SILENT,
};

const SILENT = { kind: 'unavailable', why: 'a test has no store' } as const;
