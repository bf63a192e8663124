import { decodeJson, encodeJson } from '../../core/codec/codec.ts';
import { type Clock, within } from '../../core/kernel/clock.ts';
import { isPlainObject } from '../../core/kernel/validation/plain-object.ts';
import type { Scope } from '../../core/vocabulary/documents/scope.ts';
import type { ReceiptStore } from '../../core/vocabulary/state/receipt.ts';
import type { BucketEntry, Log } from '../../streams/log/log.ts';
import { RECEIPT_LIMITS } from './limits.ts';

/*
 * Which player has a transaction of a store. Players are in different partitions, so this is no state of theirs: it is
 * one key of the bucket CLAIMS for each transaction, which only its first writer gets.
 *
 * Invariants
 * 1. A transaction belongs to one player of a game and environment, for as long as the bucket keeps it.
 * 2. An erasure takes the player out, and leaves the transaction taken.
 */
export interface ReceiptClaims {
  /** The player who has the transaction afterwards; `null`: one who was erased. */
  claim(transaction: Transaction, playerId: string): Promise<Claimed>;
  /** `undefined`: no player has it. */
  holderOf(transaction: Transaction): Promise<Claimed | undefined>;
  /** Takes the player out of transactions. @returns whether all of them are known to be done */
  forget(transactions: readonly Transaction[]): Promise<boolean>;
}

export interface Transaction extends Scope {
  store: ReceiptStore;
  /** Of the transaction's id (`digestOf`). */
  digest: string;
}

export type Claimed = { kind: 'held'; by: string | null } | { kind: 'unavailable' };

const UNAVAILABLE: Claimed = { kind: 'unavailable' };

export function createReceiptClaims(log: Pick<Log, 'bucket'>, clock: Clock): ReceiptClaims {
  const bucket = log.bucket('CLAIMS');

  /** The log repeats a read until the broker answers. */
  function read(key: string): Promise<{ entry: BucketEntry | undefined } | undefined> {
    return within(
      clock,
      RECEIPT_LIMITS.logReadMs,
      bucket.get(key).then((entry) => ({ entry })),
    );
  }

  async function holderOf(transaction: Transaction): Promise<Claimed | undefined> {
    const found = await read(keyOf(transaction));
    if (found === undefined) return UNAVAILABLE;
    const value = found.entry?.value;
    return value === undefined ? undefined : { kind: 'held', by: holderIn(value) };
  }

  return {
    async claim(transaction, playerId) {
      const written = await bucket.put(keyOf(transaction), encodeJson({ playerId }), 0);
      if (written.kind === 'written') return { kind: 'held', by: playerId };
      return (await holderOf(transaction)) ?? UNAVAILABLE;
    },
    holderOf,
    async forget(transactions) {
      for (const transaction of transactions) {
        const key = keyOf(transaction);
        const found = await read(key);
        if (found === undefined) return false;
        const { entry } = found;
        if (entry?.value === undefined) continue;
        const written = await bucket.put(key, encodeJson({ playerId: null }), entry.revision);
        if (written.kind === 'unknown') return false;
      }
      return true;
    },
  };
}

const keyOf = ({ game, environment, store, digest }: Transaction): string =>
  `${game}.${environment}.${store}.${digest}`;

function holderIn(value: Uint8Array): string | null {
  const held = decodeJson(value);
  return isPlainObject(held) && typeof held['playerId'] === 'string' ? held['playerId'] : null;
}
