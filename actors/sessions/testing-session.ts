import type {
  CommandBody,
  EndSession,
  InitSession,
  SyncSession,
  TrackItem,
} from '../../core/vocabulary/commands/commands.ts';
import type { DomainFact } from '../../core/vocabulary/facts/facts.ts';
import type { Reply } from '../../core/vocabulary/commands/replies.ts';
import type { PlayerState } from '../../core/vocabulary/state/state.ts';
import { aCommand, definitionsOf } from '../testing-players.ts';
import { given } from '../testing/harness.ts';

export const PLAYER = '7d6f3f5e-6f0b-5f8e-9d2c-0d1e2f3a4b5c';
export const TTL_MS = 1_800_000;
/** When `aLife`'s player is registered. */
export const BORN_MS = Date.UTC(2026, 0, 15, 12);

/** For tests: one registered player and its session commands, as gateways send them. Times are epoch milliseconds. */
export interface Life {
  /** All facts so far. */
  readonly facts: readonly DomainFact[];
  player(): PlayerState;
  send(at: number, body: CommandBody): Reply;
  init(at: number, sessionId: string, some?: Partial<InitSession>): Reply;
  sync(at: number, sessionId: string, items?: readonly Partial<TrackItem>[], some?: Partial<SyncSession>): Reply;
  end(at: number, sessionId: string, durationSeconds: number, items?: readonly Partial<TrackItem>[]): Reply;
  /** Runs the owner's timers. */
  look(nowMs: number): void;
}

export function aLife(definitions = definitionsOf(), externalId = 'ext-1'): Life {
  const harness = given([], definitions);
  let made = 0;
  const itemsOf = (at: number, sessionId: string, items: readonly Partial<TrackItem>[]): TrackItem[] =>
    items.map((some, index) => ({
      index,
      playerId: PLAYER,
      sessionId,
      eventId: `made-${++made}`,
      remember: some.eventId !== undefined,
      eventName: 'level_up',
      properties: '{}',
      timestamp: at,
      ...some,
    }));
  const life: Life = {
    facts: harness.facts,
    player: () => harness.player(PLAYER),
    send: (at, body) => harness.when(aCommand(body, { receivedAt: at })).reply,
    init: (at, sessionId, some = {}) =>
      life.send(at, {
        kind: 'InitSession',
        playerId: PLAYER,
        sessionId,
        device: null,
        flagKeys: null,
        ttlMs: TTL_MS,
        ...some,
      }),
    sync: (at, sessionId, items = [], some = {}) =>
      life.send(at, {
        kind: 'SyncSession',
        playerId: PLAYER,
        sessionId,
        events: itemsOf(at, sessionId, items),
        stateUpdates: null,
        ...some,
      }),
    end: (at, sessionId, durationSeconds, items = []) => {
      const body: EndSession = {
        kind: 'EndSession',
        playerId: PLAYER,
        sessionId,
        durationSeconds,
        events: itemsOf(at, sessionId, items),
      };
      return life.send(at, body);
    },
    look: (nowMs) => void harness.whenTime(PLAYER, nowMs),
  };
  const registration = { externalId, createOnly: false, byClientKey: false };
  life.send(BORN_MS, { kind: 'RegisterPlayer', playerId: PLAYER, ...registration });
  return life;
}
