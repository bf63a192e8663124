import { describe, expect, it } from 'vitest';
import { systemIds } from '../../core/kernel/ids.ts';
import { STATE_LIMITS } from '../../core/vocabulary/limits.ts';
import type { RecordSession } from '../../core/vocabulary/commands/recorded.ts';
import { decide } from '../decide.ts';
import type { DomainFact } from '../../core/vocabulary/facts/facts.ts';
import { createDraft } from '../runtime/term/draft.ts';
import { aCommand, aPlayer, definitionsOf } from '../testing-players.ts';
import { given } from '../testing/harness.ts';
import { newSessionId } from './session-id.ts';

const ID = aPlayer().id;
const REGISTERED: DomainFact = {
  kind: 'PlayerRegistered',
  entityId: ID,
  game: 'demo',
  environment: 'live',
  at: 1_000,
  player: aPlayer(),
};

const session = (some: Partial<RecordSession> = {}): RecordSession => ({
  kind: 'RecordSession',
  playerId: ID,
  sessionId: 's-1',
  startedAt: null,
  endedAt: null,
  durationSeconds: 60,
  eventId: 'e-1',
  ...some,
});

/** The player after some commands, and the result of each. */
function after(...bodies: RecordSession[]) {
  let facts: DomainFact[] = [REGISTERED];
  const outcomes = bodies.map((body, index) => {
    const outcome = given(facts).when(aCommand(body, { receivedAt: 2_000 + index }));
    facts = [...facts, ...outcome.facts];
    return outcome;
  });
  const state = outcomes.at(-1)?.states.get(ID);
  if (state?.kind !== 'player') throw new Error('there is no player');
  return { outcomes, state };
}

describe('recording a session', () => {
  it('counts it, adds its playtime and returns the totals', () => {
    const { outcomes, state } = after(session(), session({ sessionId: 's-2', durationSeconds: 30 }));
    expect(outcomes.map(({ reply }) => reply)).toEqual([
      { kind: 'sessionRecorded', playerId: ID, sessionId: 's-1', sessionCount: 1, totalPlaytimeSeconds: 60 },
      { kind: 'sessionRecorded', playerId: ID, sessionId: 's-2', sessionCount: 2, totalPlaytimeSeconds: 90 },
    ]);
    expect(state).toMatchObject({ sessionCount: 2, totalPlaytimeSeconds: 90, lastSeenAt: 2_001 });
  });

  it('is activity on the day it is received, whenever it was played', () => {
    const { state } = after(session({ startedAt: 5, endedAt: 65_005 }));
    expect(state.activity).toEqual({ day: 0, sessions: [1], playtimeSeconds: [60] });
  });

  it('tracks an event with the times as sent', () => {
    const { outcomes } = after(session({ startedAt: 500, endedAt: 60_500 }));
    expect(outcomes[0]?.facts.map(({ kind }) => kind).slice(0, 2)).toEqual(['SessionRecorded', 'EventTracked']);
    expect(outcomes[0]?.facts[1]).toMatchObject({
      eventId: 'e-1',
      eventName: 'session_recorded',
      sessionId: 's-1',
      timestamp: 60_500,
      properties:
        '{"session_id":"s-1","duration_seconds":60,"start_time":"1970-01-01T00:00:00.500Z","end_time":"1970-01-01T00:01:00.500Z"}',
    });
  });

  it('tracks an event at the time it is received if the request has no end', () => {
    const { outcomes } = after(session({ startedAt: 500 }));
    expect(outcomes[0]?.facts[1]).toMatchObject({
      timestamp: 2_000,
      properties: '{"session_id":"s-1","duration_seconds":60,"start_time":"1970-01-01T00:00:00.500Z"}',
    });
  });

  it('counts once: a repeat changes nothing and returns the first reply, whatever it contains', () => {
    const { outcomes, state } = after(
      session(),
      session({ sessionId: 's-2' }),
      session({ durationSeconds: 3_600, eventId: 'e-9' }),
    );
    expect(outcomes[2]?.facts).toEqual([]);
    expect(outcomes[2]?.reply).toEqual({ ...outcomes[0]?.reply, replayed: true });
    expect(state).toMatchObject({ sessionCount: 2, totalPlaytimeSeconds: 120 });
  });

  it('adds nothing for a session that an init opened', () => {
    const own = newSessionId(systemIds, ID, 1_500);
    const { outcomes, state } = after(session(), session({ sessionId: own }));
    expect(outcomes[1]?.facts).toEqual([]);
    expect(outcomes[1]?.reply).toMatchObject({ sessionId: own, sessionCount: 1, totalPlaytimeSeconds: 60 });
    expect(state.sessionCount).toBe(1);
  });

  it("counts a session id that another player's init created", () => {
    const foreign = newSessionId(systemIds, '0b7d8a52-5c63-5d6e-8a70-2f6c1f6d9c11', 1_500);
    expect(after(session({ sessionId: foreign })).state.sessionCount).toBe(1);
  });

  it('fails without a player, and for a player of another game or environment', () => {
    const nobody = given([]).when(aCommand(session()));
    const elsewhere = given([REGISTERED]).when(aCommand(session(), { game: 'other' }));
    const inTest = given([REGISTERED]).when(aCommand(session(), { environment: 'test' }));
    for (const { facts, reply } of [nobody, elsewhere, inTest]) {
      expect(facts).toEqual([]);
      expect(reply).toMatchObject({ kind: 'failure', code: 'PLAYER_NOT_FOUND' });
    }
  });

  it('is remembered for thousands of sessions, and the oldest are dropped first', () => {
    const recordedSessions = Array.from({ length: STATE_LIMITS.recordedSessions }, (_, n) => ({
      digest: `digest-${n}`,
      sessionCount: n + 1,
      totalPlaytimeSeconds: n,
    }));
    const draft = createDraft(() => aPlayer({ recordedSessions }));
    decide(draft, aCommand(session()), definitionsOf());
    const held = draft.get(ID);
    if (held?.kind !== 'player') throw new Error('there is no player');
    expect(held.recordedSessions).toHaveLength(STATE_LIMITS.recordedSessions);
    expect(held.recordedSessions[0]?.digest).toBe('digest-1');
  });
});
