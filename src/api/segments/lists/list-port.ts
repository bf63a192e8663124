import type { DocumentAddress, SegmentDocument } from '../../../../core/vocabulary/documents/documents.ts';
import type { ListPlayers } from '../../../../core/vocabulary/documents/player-lists.ts';
import type { ConfigEntry } from '../../../../streams/config/config-store.ts';
import type { Failure } from '../../../../core/kernel/errors.ts';

/** Loads lists of static segments, and changes single players of them (`list-loader.ts`). */
export interface ListLoader {
  load(request: ListRequest, names: AsyncIterable<NameBatch>): Promise<LoadedList | Failure>;
  /** Adds players to the current list, or removes them. All or, with a failure, any part of them. */
  change(
    request: ListRequest,
    change: ListPlayers['change'],
    players: readonly ListedPlayer[],
  ): Promise<ChangedList | Failure>;
}

export interface ListRequest {
  address: DocumentAddress<'segment'> & { environment: 'live' | 'test' };
  /** The id of the player that a list names. */
  idOf: (name: PlayerName) => string;
  /** Why the list must not replace that of the current version. */
  staleFor?: (version: number) => Failure | undefined;
  /** The document with the mark of the request. */
  marked?: (document: SegmentDocument) => SegmentDocument;
  /** Whether the caller disconnected. A load whose caller is gone makes way for the next one of its segment. */
  isGone?: () => boolean;
}

export interface LoadedList {
  kind: 'loaded';
  entry: ConfigEntry<'segment'>;
  received: number;
  duplicates: number;
  tally: ListTally;
}

export interface ChangedList {
  kind: 'changed';
  members: number;
  changed: number;
  unknownNames: string[];
}

/** How a list names a player. */
export type NameKind = 'external_id' | 'player_id';

export interface PlayerName {
  kind: NameKind;
  text: string;
}

/** Names of a list in their order, or why the list cannot be read. */
export type NameBatch = { kind: 'names'; names: PlayerName[] } | Failure;

/** A player of a list, and how the list names it. */
export interface ListedPlayer {
  playerId: string;
  text: string;
}

export interface ListTally {
  /** Players that the load has. */
  members: number;
  unknown: number;
  /** The first unknown names. */
  unknownNames: string[];
  /** Why the list cannot be loaded. */
  failure: Failure | undefined;
}
