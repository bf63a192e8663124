import type { PlayerState, MergedState } from './state.ts';

/** The kind and tenant of a state. */
export interface StateHead {
  kind: 'player' | 'ledger' | 'erased' | 'merged';
  game: string;
  environment: 'live' | 'test';
}

/** What the indexes of a local store need of a state. Every state is an outline of itself. */
export type StateOutline = PlayerOutline | MergedOutline | OtherOutline;

export interface PlayerOutline extends StateHead, PlayerTimes {
  kind: 'player';
  id: string;
  lastSeq: number;
}

/** The fields that a player's next due time depends on. */
export interface PlayerTimes extends Pick<PlayerState, 'lifecycleDueAt' | 'segmentsDueAt'> {
  sessions: readonly Pick<PlayerState['sessions'][number], 'lastCallAt' | 'ttlMs'>[];
}

/** A merged player changes once more, when its merge settles. */
export interface MergedOutline extends StateHead, Pick<MergedState, 'at' | 'stage'> {
  kind: 'merged';
  id: string;
  lastSeq: number;
}

export interface OtherOutline extends StateHead {
  kind: 'ledger' | 'erased';
  id: string;
  lastSeq: number;
}
