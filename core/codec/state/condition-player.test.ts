import { describe, expect, test } from 'vitest';
import { aPlayer } from '../../../actors/testing.ts';
import { FIELD_NAMES, subjectField } from '../../../actors/conditions/fields.ts';
import type { EntityState, PlayerState } from '../../vocabulary/state/state.ts';
import { readFixtures } from '../../../test/fixtures/codec/fixtures.ts';
import { SAMPLES } from '../../../test/fixtures/codec/samples.ts';
import { conditionsState, decodeState, encodeState } from '../codec.ts';
import { readConditionPlayer } from './condition-player.ts';

const day = Math.floor(Date.UTC(2026, 0, 9) / 86_400_000);
const count = { generation: 1, aggregate: 'count', days: 7, filled: true } as const;
const FULL: PlayerState = {
  ...SAMPLES.states.player,
  externalId: 'ext',
  counters: [{ name: 'won', day, counts: [1, 0, 300, 70_000] }],
  device: { platform: 'ios', osVersion: null, appVersion: '1.2.3', deviceModel: 'x'.repeat(300) },
  computed: [
    { ...count, id: 'wins@a', buckets: [day, 2, day - 6, 5_000_000_000] },
    { ...count, id: 'name@b', aggregate: 'last', days: 0, buckets: [0, 1_800_000_000_123, 'größer'] },
    { ...count, id: 'paid@c', aggregate: 'last', days: 0, buckets: [0, 1.5, false] },
  ],
};
const STATES: [string, EntityState][] = [
  ...Object.entries(SAMPLES.states),
  ['full', FULL],
  ['new', aPlayer()],
  ['of all alphabets', aPlayer({ externalId: '東京', attributes: '{"a":"äöü"}' })],
  ['with long attributes', aPlayer({ attributes: `{"a":"${'x'.repeat(70_000)}"}` })],
];
const CASES = [
  ...STATES.map(([name, state]) => [name, encodeState(state)] as const),
  ...[...readFixtures()]
    .filter(([, { record }]) => record === 'state')
    .map(([name, { bytes }]) => [name, Buffer.from(bytes, 'base64')] as const),
];

/** Every field of conditions, with names that the samples have. */
const READS = FIELD_NAMES.map((field) => {
  const name = field
    .replace('attributes.<path>', 'attributes.a')
    .replace(/events\.<name>\.<.*>/u, 'events.won.count_7d')
    .replace('computed.<key>', 'computed.wins');
  const operand = field === 'events' ? { name: 'won', count: 1 } : 1;
  const spec = { event: 'won', aggregate: 'count', days: 7 } as const;
  const found = subjectField(name, operand, { computed: (key) => ({ id: `${key}@a`, spec }) });
  if ('fault' in found) throw new Error(`${name} ${found.fault}`);
  return [name, found] as const;
});

describe('a player as conditions read it', () => {
  test.each(CASES)('has the values of the decoded state: %s', (_name, bytes) => {
    const state = decodeState(bytes);
    const seen = conditionsState(bytes);
    expect([seen.kind, seen.id, seen.game, seen.environment]).toEqual([
      state.kind,
      state.id,
      state.game,
      state.environment,
    ]);
    if (state.kind !== 'player' || seen.kind !== 'player') return;
    const nowMs = day * 86_400_000;
    for (const [name, { read }] of READS) {
      expect(read({ player: seen, nowMs }), name).toEqual(read({ player: state, nowMs }));
    }
    for (const field of ['externalId', 'lastSeenAt', 'counters', 'device', 'computed', 'country'] as const) {
      expect(seen[field], field).toEqual(state[field]);
    }
  });

  test('is read without decoding the rest', () => {
    for (const [, state] of STATES) {
      if (state.kind === 'player') expect(readConditionPlayer(encodeState(state))).toBeDefined();
    }
    const damaged = encodeState(FULL);
    expect(() => conditionsState(damaged.subarray(0, damaged.length / 3))).toThrow();
  });
});
