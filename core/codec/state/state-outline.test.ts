import { Packr } from 'msgpackr';
import { describe, expect, test } from 'vitest';
import { aPlayer } from '../../../actors/testing.ts';
import type { EntityState, PlayerState } from '../../vocabulary/state/state.ts';
import type { StateOutline } from '../../vocabulary/state/state-outline.ts';
import { readFixtures } from '../../../test/fixtures/codec/fixtures.ts';
import { SAMPLES } from '../../../test/fixtures/codec/samples.ts';
import { decodeState, encodeState, headOfState, outlineOfState } from '../codec.ts';
import { UnknownVersionError } from '../unknown-version.ts';
import { readStateHead, readStateOutline } from './state-outline.ts';

const { sessions, servedFlags } = SAMPLES.states.player;
const openSessions = (...times: number[]): PlayerState['sessions'] =>
  times.flatMap((lastCallAt) => sessions.map((session) => ({ ...session, lastCallAt })));
const manyFlags = (count: number): PlayerState['servedFlags'] =>
  Array.from({ length: count }, (_, n) => `${n}`.padStart(60, 'k')).flatMap((flagKey) =>
    servedFlags.map((served) => ({ ...served, flagKey })),
  );

const STATES: Record<string, EntityState> = {
  ...SAMPLES.states,
  'of a new player': aPlayer(),
  'with texts of all alphabets': aPlayer({ game: 'g', externalId: 'größer, 東京', attributes: '{"a":"äöü"}' }),
  'with texts of all lengths': aPlayer({ email: 'e', country: '', attributes: `{"a":"${'ü'.repeat(70_000)}"}` }),
  'with numbers of all sizes': aPlayer({
    lastSeq: 2 ** 40,
    segmentsDueAt: 0,
    lifecycleDueAt: 1.5,
    totalRevenue: -70_000,
    sessionCount: 2 ** 31,
    purchaseCount: 200,
    totalPlaytimeSeconds: 60_000,
  }),
  'with open sessions': aPlayer({ sessions: openSessions(7, 1_800_000_000_123) }),
  'with more text than a bundle holds': aPlayer({ servedFlags: manyFlags(900) }),
};

const CASES = new Map([
  ...Object.entries(STATES).map(([name, state]) => [name, encodeState(state)] as const),
  ...[...readFixtures()]
    .filter(([, { record }]) => record === 'state')
    .map(([name, { bytes }]) => [name, Buffer.from(bytes, 'base64')] as const),
]);

/** Without the fields that an outline lacks: every state is an outline of itself. */
function outlineOf(state: StateOutline): StateOutline {
  const { id, game, environment, lastSeq } = state;
  if (state.kind !== 'player') return { kind: state.kind, id, game, environment, lastSeq };
  const { segmentsDueAt, lifecycleDueAt } = state;
  const times = state.sessions.map(({ lastCallAt, ttlMs }) => ({ lastCallAt, ttlMs }));
  return { kind: 'player', id, game, environment, lastSeq, segmentsDueAt, lifecycleDueAt, sessions: times };
}

describe('the outline of an encoded state', () => {
  test.each([...CASES])('equals the decoded state: %s', (_name, bytes) => {
    const state = decodeState(bytes);
    const { kind, game, environment } = state;
    expect(outlineOf(outlineOfState(bytes))).toEqual(outlineOf(state));
    expect(headOfState(bytes)).toMatchObject({ kind, game, environment });
  });

  test('is read without decoding where nothing unusual is stored', () => {
    for (const name of [
      'of a new player',
      'with texts of all lengths',
      'with numbers of all sizes',
      'with open sessions',
    ]) {
      const bytes = CASES.get(name) ?? Buffer.alloc(0);
      expect(readStateOutline(bytes), name).toEqual(outlineOf(decodeState(bytes)));
      expect(readStateHead(bytes), name).toBeDefined();
    }
  });

  test('is right or left to the decoder when the bytes end early', () => {
    for (const name of ['player', 'ledger', 'erased', 'with open sessions']) {
      const bytes = CASES.get(name) ?? Buffer.alloc(0);
      const whole = readStateOutline(bytes) ?? expect.anything();
      for (let length = 0; length < bytes.length; length++) {
        expect([undefined, whole]).toContainEqual(readStateOutline(bytes.subarray(0, length)));
      }
    }
  });

  test('does not pass over what a newer version wrote', () => {
    const packr = new Packr({ useRecords: true, bundleStrings: true, moreTypes: false });
    const withField = (place: number, value: unknown, state: EntityState = aPlayer()) => {
      const tuple: unknown[] = packr.unpack(encodeState(state).subarray(1));
      tuple[place] = value;
      return Buffer.concat([Buffer.from([1]), packr.pack(tuple)]);
    };
    expect(() => outlineOfState(withField(7, 99))).toThrow(UnknownVersionError);
    expect(() => outlineOfState(withField(0, 9))).toThrow(UnknownVersionError);
    expect(() => outlineOfState(Buffer.concat([Buffer.from([2]), encodeState(aPlayer()).subarray(1)]))).toThrow(
      UnknownVersionError,
    );
  });
});
