import type { PlayerState } from '../vocabulary/state/state.ts';
import { decodeState, encodeState } from './state/state-codec.ts';

/** A guest's state inside of commands, facts and other states. */
export const encodeGuest = (guest: PlayerState): Uint8Array => encodeState(guest);

/** Only the owner of a guest makes these bytes. */
export function decodeGuest(bytes: Uint8Array): PlayerState {
  const state = decodeState(bytes);
  if (state.kind === 'player') return state;
  throw new Error(`the state of a guest is that of a ${state.kind}`);
}
