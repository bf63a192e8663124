import type { EndSession, InitSession, SyncSession, TrackItem } from '../../../core/vocabulary/commands/commands.ts';
import type { Reply } from '../../../core/vocabulary/commands/replies.ts';
import type { PlayerState } from '../../../core/vocabulary/state/state.ts';
import { predictOffers } from './model-campaigns.ts';
import type { ModelDefinitions } from './model-definitions.ts';
import {
  type Called,
  predictEnding,
  predictFlagChanges,
  predictOpening,
  predictSynced,
} from './players/model-sessions.ts';
import type { CallerKind, Scope } from '../../../core/vocabulary/documents/scope.ts';

/** How the prediction of a session call changes the model. */
export interface Calling {
  /** The player's current state. */
  player(): PlayerState | undefined;
  take(called: Called): void;
  /** Returns whether the event was accepted. */
  track(item: TrackItem): boolean;
  merge(attributes: string): void;
  /** Updates lifecycle stages and segments after the facts so far. */
  react(): void;
}

/** Predicts a call of a game client: first its own facts, then their consequences, then the reply. */
export function predictCall(
  body: InitSession | SyncSession | EndSession,
  calling: Calling,
  definitions: ModelDefinitions,
  scope: Scope,
  at: number,
  by: CallerKind | undefined,
): Reply {
  const held = calling.player();
  if (held === undefined) return { kind: 'failure', code: 'PLAYER_NOT_FOUND' };
  const { sessionId } = body;
  if (body.kind === 'InitSession') {
    calling.take(predictOpening(held, body, scope, at, by));
    calling.react();
    return opened(body, calling, definitions, scope, at);
  }
  if (!held.sessions.some((session) => session.sessionId === sessionId)) {
    return { kind: 'failure', code: 'SESSION_NOT_FOUND' };
  }
  const accepted = inTime(body.events).filter((item) => calling.track(item));
  if (body.kind === 'EndSession') {
    const { durationSeconds: stated } = body;
    const ending = predictEnding(now(calling), sessionId, stated, accepted, at);
    calling.take(ending);
    const { session, durationSeconds } = ending;
    return {
      kind: 'sessionEnded',
      sessionId,
      totalEvents: session.eventCount,
      durationSeconds,
      achievements: session.achievements,
      interventionsShown: session.interventionsShown,
      interventionsClicked: session.interventionsClicked,
    };
  }
  calling.take(predictSynced(now(calling), sessionId, accepted, scope, at));
  if (body.stateUpdates !== null) calling.merge(body.stateUpdates);
  calling.react();
  const called = predictFlagChanges(now(calling), sessionId, definitions.flags, scope, at);
  calling.take(called);
  const offered = predictOffers(now(calling), sessionId, definitions.campaigns, scope, at);
  calling.take(offered);
  const { interventions } = offered;
  return { kind: 'sessionSynced', eventsAccepted: accepted.length, interventions, flags: called.changes };
}

function opened(body: InitSession, calling: Calling, { flags }: ModelDefinitions, scope: Scope, at: number): Reply {
  const { sessionId, flagKeys } = body;
  const called = predictFlagChanges(now(calling), sessionId, flags, scope, at);
  calling.take(called);
  const { id, externalId, firstSeenAt, lastSeenAt, attributes, segments } = called.next;
  return {
    kind: 'sessionOpened',
    sessionId,
    player: { id, externalId, firstSeenAt, lastSeenAt, attributes },
    flags: called.changes,
    unknownFlags: [...new Set(flagKeys ?? [])].filter((key) => !flags.has(key)),
    segmentKeys: segments.map(({ segmentKey }) => segmentKey),
    serverTime: at,
  };
}

/** Sorts by time. Items with equal times keep their order. */
function inTime(items: readonly TrackItem[]): TrackItem[] {
  return items
    .map((item, place) => ({ item, place }))
    .sort((a, b) => a.item.timestamp - b.item.timestamp || a.place - b.place)
    .map(({ item }) => item);
}

function now(calling: Calling): PlayerState {
  const player = calling.player();
  if (player === undefined) throw new Error('the player went away under its own call');
  return player;
}
