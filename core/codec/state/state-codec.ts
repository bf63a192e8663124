import type { StateHead, StateOutline } from '../../vocabulary/state/state-outline.ts';
import type { EntityState } from '../../vocabulary/state/state.ts';
import { decodeValue, encodeFrame } from '../frame.ts';
import { UnknownVersionError } from '../unknown-version.ts';
import {
  erasedFromTuples,
  erasedToTuples,
  ledgerFromTuples,
  ledgerToTuples,
  otherOutline,
  type ErasedHeadTuple,
  type LedgerHeadTuple,
} from './other-states-layout.ts';
import { mergedFromTuples, mergedOutline, mergedToTuples, type MergedHeadTuple } from './merged-layout.ts';
import {
  headOfPlayer,
  NOTHING_ELSE,
  playerFromTuples,
  playerOutline,
  readByConditions,
  restOfPlayer,
  type PlayerHeadTuple,
} from './player-layout.ts';

/*
 * Encoded states. Every changed player's state is written a few times a second, and states are decoded one by one.
 *
 * Invariants
 * 1. A player is three values: the head with what the indexes of a local store need, what conditions read, and the
 *    rest. Another state is two: the head and the rest.
 * 2. Every head begins with kind, id, game, environment and sequence.
 * 3. A state of an unknown kind is refused with `UnknownVersionError`.
 */

type HeadTuple = PlayerHeadTuple | LedgerHeadTuple | ErasedHeadTuple | MergedHeadTuple;

export function encodeState(state: EntityState): Uint8Array {
  switch (state.kind) {
    case 'player':
      return encodeFrame([headOfPlayer(state), readByConditions(state), restOfPlayer(state)]);
    case 'ledger':
      return encodeFrame(ledgerToTuples(state));
    case 'erased':
      return encodeFrame(erasedToTuples(state));
    case 'merged':
      return encodeFrame(mergedToTuples(state));
  }
}

export function decodeState(bytes: Uint8Array): EntityState {
  const head = headIn(bytes);
  switch (head[0]) {
    case 1:
      return playerFromTuples(head, decodeValue(bytes, 1), decodeValue(bytes, 2));
    case 2:
      return ledgerFromTuples(head, decodeValue(bytes, 1));
    case 3:
      return erasedFromTuples(head, decodeValue(bytes, 1));
    case 4:
      return mergedFromTuples(head, decodeValue(bytes, 1));
  }
}

/** Kind, game and environment of an encoded state. */
export const headOfState = (bytes: Uint8Array): StateHead => outlineOfState(bytes);

/** What the indexes of a store need of an encoded state. */
export function outlineOfState(bytes: Uint8Array): StateOutline {
  const head = headIn(bytes);
  if (head[0] === 1) return playerOutline(head);
  return head[0] === 4 ? mergedOutline(head) : otherOutline(head);
}

/** The state as far as conditions read it: every other list of a player is empty, and every other text missing. */
export function conditionsState(bytes: Uint8Array): EntityState {
  const head = headIn(bytes);
  return head[0] === 1 ? playerFromTuples(head, decodeValue(bytes, 1), NOTHING_ELSE) : decodeState(bytes);
}

function headIn(bytes: Uint8Array): HeadTuple {
  const head = decodeValue<HeadTuple>(bytes, 0);
  const kind: number = head[0];
  if (kind >= 1 && kind <= 4) return head;
  throw new UnknownVersionError(`a state of the kind ${String(kind)} is unknown: a newer version wrote it`);
}
