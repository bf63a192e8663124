import type { CommandBody, EndSession, InitSession, SyncSession, TrackItem } from '../vocabulary/commands.ts';
import { decide } from '../decide.ts';
import type { Draft } from '../decision.ts';
import { decideTimers } from '../timers.ts';
import { evolve } from '../evolve.ts';
import type { DomainFact } from '../vocabulary/facts.ts';
import type { Reply } from '../vocabulary/replies.ts';
import type { EntityState, PlayerState } from '../vocabulary/state.ts';
import { aCommand, definitionsOf } from '../testing.ts';

export const PLAYER = '7d6f3f5e-6f0b-5f8e-9d2c-0d1e2f3a4b5c';
export const TTL_MS = 1_800_000;
/** When `aLife`'s player is registered. */
export const BORN_MS = Date.UTC(2026, 0, 15, 12);

/** For tests: one registered player, and the calls of its sessions as gateways would send them. Times are epoch milliseconds. */
export interface Life {
  /** Everything decided so far. */
  readonly facts: readonly DomainFact[];
  player(): PlayerState;
  send(at: number, body: CommandBody): Reply;
  init(at: number, sessionId: string, some?: Partial<InitSession>): Reply;
  sync(at: number, sessionId: string, items?: readonly Partial<TrackItem>[], some?: Partial<SyncSession>): Reply;
  end(at: number, sessionId: string, durationSeconds: number, items?: readonly Partial<TrackItem>[]): Reply;
  /** The owner looks at what is due. */
  look(nowMs: number): void;
}

export function aLife(definitions = definitionsOf(), externalId = 'ext-1'): Life {
  const facts: DomainFact[] = [];
  const states = new Map<string, EntityState>();
  let made = 0;
  const draft: Draft = {
    facts,
    get: (id) => states.get(id),
    emit(fact) {
      facts.push(fact);
      states.set(fact.entityId, evolve(states.get(fact.entityId), fact));
    },
  };
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
    facts,
    player() {
      const state = states.get(PLAYER);
      if (state?.kind !== 'player') throw new Error('there is no player');
      return state;
    },
    send: (at, body) => decide(draft, aCommand(body, { receivedAt: at }), definitions),
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
    look: (nowMs) => decideTimers(draft, PLAYER, nowMs, definitions),
  };
  const registration = { externalId, createOnly: false, byClientKey: false };
  life.send(BORN_MS, { kind: 'RegisterPlayer', playerId: PLAYER, ...registration });
  return life;
}
