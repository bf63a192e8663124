import { decodeJson, encodeJson } from '../../core/codec/codec.ts';
import { isPlainObject } from '../../core/kernel/validation/plain-object.ts';
import type { Environment, Scope } from '../../core/vocabulary/documents/scope.ts';
import { RECEIPT_STORES, type ReceiptStore } from '../../core/vocabulary/state/receipt.ts';

/** A receipt that waits for its verification. */
export interface ReceiptJob extends Scope {
  id: string;
  playerId: string;
  transactionId: string;
  store: ReceiptStore;
  /** Apple: the signed transaction. Google: the purchase token. */
  payload: string;
  /** When it was reported, epoch milliseconds. */
  queuedAt: number;
  /** Attempts so far that got no answer of the store. */
  attempts: number;
}

export const encodeJob = (job: ReceiptJob): Uint8Array => encodeJson(job);

/** `undefined`: it is none that this program can read. */
export function decodeJob(data: Uint8Array): ReceiptJob | undefined {
  const job = decodeJson(data);
  return isJob(job) ? job : undefined;
}

function isJob(job: unknown): job is ReceiptJob {
  if (!isPlainObject(job)) return false;
  const texts = ['id', 'game', 'playerId', 'transactionId', 'payload'];
  const numbers = ['queuedAt', 'attempts'];
  const environments: readonly Environment[] = ['live', 'test'];
  return (
    texts.every((name) => typeof job[name] === 'string') &&
    numbers.every((name) => typeof job[name] === 'number') &&
    environments.some((one) => one === job['environment']) &&
    RECEIPT_STORES.some((one) => one === job['store'])
  );
}

/** Receipts that are due, of a game and environment. */
export const dueReceipts = ({ game, environment }: Scope): string => `receipts.due.${game}.${environment}`;
/** One that is due later. */
export const laterReceipt = ({ game, environment, id }: ReceiptJob): string =>
  `receipts.at.${game}.${environment}.${id}`;
/** All of a game and environment that are due later. */
export const laterReceipts = ({ game, environment }: Scope): string => `receipts.at.${game}.${environment}.*`;
export const ALL_DUE_RECEIPTS = 'receipts.due.*.*';
