import { describe, expect, test } from 'vitest';
import { aPlayer } from '../../../actors/testing-players.ts';
import { FIELD_NAMES, subjectField } from '../../../actors/conditions/fields.ts';
import { SAMPLES } from '../../../test/fixtures/codec/samples.ts';
import type { StateOutline } from '../../vocabulary/state/state-outline.ts';
import type { EntityState, PlayerState } from '../../vocabulary/state/state.ts';
import { encodeFrame } from '../frame.ts';
import { UnknownVersionError } from '../unknown-version.ts';
import { conditionsState, decodeState, encodeState, headOfState, outlineOfState } from './state-codec.ts';

const day = Math.floor(Date.UTC(2026, 0, 9) / 86_400_000);
const count = { generation: 1, aggregate: 'count', days: 7, filled: true } as const;
const { sessions } = SAMPLES.states.player;
const FULL: PlayerState = {
  ...SAMPLES.states.player,
  externalId: 'ext',
  counters: [{ name: 'won', day, counts: [1, 0, 300, 70_000] }],
  device: { platform: 'ios', osVersion: null, appVersion: '1.2.3', build: '123', deviceModel: 'x'.repeat(300) },
  computed: [
    { ...count, id: 'wins@a', buckets: [day, 2, day - 6, 5_000_000_000] },
    { ...count, id: 'name@b', aggregate: 'last', days: 0, buckets: [0, 1_800_000_000_123, 'größer'] },
    { ...count, id: 'paid@c', aggregate: 'last', days: 0, buckets: [0, 1.5, false] },
  ],
  sessions: sessions.flatMap((one, place) => [
    one,
    { ...one, sessionId: `second-${place}`, lastCallAt: one.lastCallAt + 1, ttlMs: 60_000, flagKeys: null },
  ]),
};
const STATES: Record<string, EntityState> = {
  ...SAMPLES.states,
  full: FULL,
  new: aPlayer(),
  'of all alphabets': aPlayer({ externalId: '東京', attributes: '{"a":"äöü"}' }),
  'with long attributes': aPlayer({ attributes: `{"a":"${'x'.repeat(70_000)}"}` }),
  'with long texts of three bytes a character': aPlayer({
    counters: Array.from({ length: 40 }, () => ({ name: '\u6f22'.repeat(4_000), day, counts: [1] })),
  }),
};
const CASES = Object.entries(STATES);

/** Without the fields that an outline lacks: every state is an outline of itself. */
function outlineOf(state: StateOutline): StateOutline {
  const { id, game, environment, lastSeq } = state;
  const head = { id, game, environment, lastSeq };
  if (state.kind === 'merged') return { kind: 'merged', ...head, at: state.at, stage: state.stage };
  if (state.kind !== 'player') return { kind: state.kind, ...head };
  const { segmentsDueAt, lifecycleDueAt } = state;
  const times = state.sessions.map(({ lastCallAt, ttlMs }) => ({ lastCallAt, ttlMs }));
  return { kind: 'player', id, game, environment, lastSeq, segmentsDueAt, lifecycleDueAt, sessions: times };
}

/** Every field of conditions, with names that the samples have. */
const READS = FIELD_NAMES.map((field) => {
  const name = field
    .replace('attributes.<path>', 'attributes.a')
    .replace(/events\.<name>\.<.*>/u, 'events.won.count_7d')
    .replace('computed.<key>', 'computed.wins');
  const operand = field === 'events' ? { name: 'won', count: 1 } : 1;
  const spec = { event: 'won', aggregate: 'count', days: 7 } as const;
  const found = subjectField(name, operand, {
    lookup: { computed: (key) => ({ id: `${key}@a`, spec }), hasSegment: () => true },
  });
  if ('fault' in found) throw new Error(`${name} ${found.fault}`);
  return [name, found] as const;
});

/** A state whose last value is damaged. */
function withoutRest(state: EntityState): Uint8Array {
  const bytes = Uint8Array.from(encodeState(state));
  bytes[bytes.length - 1] = 0xc1;
  return bytes.subarray(0, -1);
}

describe('an encoded state', () => {
  test.each(CASES)('is decoded as it was: %s', (_name, state) => {
    expect(decodeState(encodeState(state))).toEqual(state);
  });

  test.each(CASES)('that ends early is an error: %s', (_name, state) => {
    const bytes = encodeState(state);
    const step = Math.ceil(bytes.length / 500);
    for (let length = 0; length < bytes.length; length += step) {
      expect(() => decodeState(bytes.subarray(0, length)), String(length)).toThrow();
    }
  });

  test('of another version or of an unknown kind is refused', () => {
    const other = Uint8Array.from(encodeState(aPlayer()));
    other[0] = 2;
    const unknown = encodeFrame([[9, 'id', 'demo', true, 1], []]);
    for (const bytes of [other, unknown]) {
      for (const read of [decodeState, conditionsState, outlineOfState, headOfState]) {
        expect(() => read(bytes)).toThrow(UnknownVersionError);
      }
    }
  });
});

describe('the outline of an encoded state', () => {
  test.each(CASES)('equals the decoded state and needs nothing else of it: %s', (_name, state) => {
    const { kind, game, environment } = state;
    expect(outlineOfState(withoutRest(state))).toEqual(outlineOf(state));
    expect(headOfState(withoutRest(state))).toMatchObject({ kind, game, environment });
  });
});

describe('a player as conditions read it', () => {
  test.each(CASES.filter(([, { kind }]) => kind === 'player'))(
    'has the values of the decoded state and needs no other: %s',
    (_name, state) => {
      const seen = conditionsState(withoutRest(state));
      if (state.kind !== 'player' || seen.kind !== 'player') throw new Error('it is a player');
      const nowMs = day * 86_400_000;
      for (const [name, { read }] of READS) {
        expect(read({ player: seen, nowMs }), name).toEqual(read({ player: state, nowMs }));
      }
      for (const field of ['id', 'externalId', 'lastSeenAt', 'counters', 'device', 'computed', 'country'] as const) {
        expect(seen[field], field).toEqual(state[field]);
      }
    },
  );

  test.each(['ledger', 'erased', 'merged'] as const)('is a whole state for the kind %s', (kind) => {
    expect(conditionsState(encodeState(SAMPLES.states[kind]))).toEqual(SAMPLES.states[kind]);
  });
});
