import { Packr, Unpackr } from 'msgpackr';
import { describe, expect, test } from 'vitest';
import { evolve } from '../../actors/evolve.ts';
import { SAMPLES } from '../../test/fixtures/codec/samples.ts';
import { decodeState, encodeState } from './codec.ts';

const OPTIONS = { useRecords: true, bundleStrings: true, moreTypes: false } as const;
const packr = new Packr({ ...OPTIONS, encodeUndefinedAsNil: false });
const unpackr = new Unpackr(OPTIONS);
const packed = (value: unknown) => Buffer.concat([Buffer.from([1]), packr.pack(value)]);
const unpacked = (bytes: Uint8Array): unknown => unpackr.unpack(bytes.subarray(1));

/** Layouts with a fixed number of fields, by their place in a player's layout, with that number. */
const LISTS = { recentEvents: [18, 6], keys: [19, 5], segments: [23, 3], overrides: [25, 2], exposures: [26, 4] };
const MORE_LISTS = { sessions: [27, 12], recordedSessions: [29, 3], recordedPurchases: [30, 5] };
const LAST_LISTS = { interventions: [32, 9], campaignTallies: [33, 7] };
const OBJECTS = { device: [22, 4], activity: [28, 3] };

/** A player as a newer version writes it: every layout with a fixed number of fields has one more. */
function newerPlayer(): unknown[] {
  const tuple = unpacked(encodeState(SAMPLES.states.player));
  if (!Array.isArray(tuple)) throw new Error('a player is a tuple');
  const grown = (item: unknown, known: number): unknown[] => {
    const items: unknown[] = Array.isArray(item) ? [...item] : [];
    while (items.length < known) items.push(undefined);
    return [...items, 'newer'];
  };
  for (const [name, [place = 0, known = 0]] of Object.entries({ ...LISTS, ...MORE_LISTS, ...LAST_LISTS })) {
    const list: unknown = tuple[place];
    if (!Array.isArray(list) || list.length === 0) throw new Error(`the sample has no ${name}`);
    tuple[place] = list.map((item) => grown(item, known));
  }
  for (const [place = 0, known = 0] of Object.values(OBJECTS)) tuple[place] = grown(tuple[place], known);
  return [...tuple, { newer: 1 }, 'and more'];
}

describe('fields of a newer version', () => {
  test('survive decoding and encoding at every level of a player', () => {
    const tuple = newerPlayer();
    expect(unpacked(encodeState(decodeState(packed(tuple))))).toEqual(tuple);
  });

  test.each(['ledger', 'erased'] as const)('survive decoding and encoding of the state %s', (kind) => {
    const known = unpacked(encodeState(SAMPLES.states[kind]));
    const tuple = [...(Array.isArray(known) ? known : []), 'newer'];
    expect(unpacked(encodeState(decodeState(packed(tuple))))).toEqual(tuple);
  });

  test('survive facts that change the player', () => {
    let state = decodeState(packed(newerPlayer()));
    const { facts } = SAMPLES;
    const changes = [facts.SessionRecorded, facts.FlagOverridden, facts.LifecycleScheduled, facts.PlayerUpdated];
    for (const fact of changes) state = evolve(state, { ...fact, entityId: state.id });
    expect(state).toMatchObject({ later: [{ newer: 1 }, 'and more'], activity: { later: ['newer'] } });
  });

  test('do not make a state of an unknown kind readable', () => {
    expect(() => decodeState(packed([9, 'id', 'game', true]))).toThrow(/state of the kind 9.*newer version/);
  });
});
