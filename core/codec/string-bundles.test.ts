import { Packr, Unpackr } from 'msgpackr';
import { describe, expect, it } from 'vitest';
import { decodeCommands, decodeCommit, encodeCommands, encodeCommit } from './codec.ts';
import { SAMPLES, wrap } from '../../test/fixtures/codec/samples.ts';
import { withWholeBundles } from './string-bundles.ts';

const OPTIONS = { useRecords: true, bundleStrings: true, moreTypes: false } as const;
const packr = new Packr(OPTIONS);

/** Texts of one kind of character, with lengths that a seed gives. */
function texts(character: string, seed: number, count: number): string[] {
  let state = seed;
  return Array.from({ length: count }, () => {
    state = (state * 16_807) % 2_147_483_647;
    return character.repeat(state % 4_095);
  });
}

const CHARACTERS = ['a', 'ü', '\u6f22', '🎲'] as const;

describe('a message with long texts', () => {
  it.each(CHARACTERS)('is read as it was written, also by older versions: %s', (character) => {
    for (let seed = 1; seed <= 40; seed++) {
      const value = [seed, { first: 'name', list: texts(character, seed, seed * 3) }, 0xd662_d662, 'end'];
      const packed = Uint8Array.from(packr.pack(value));
      const whole = withWholeBundles(packed);
      expect(whole, String(seed)).toBeDefined();
      const read: unknown = new Unpackr(OPTIONS).unpack(whole ?? packed);
      expect(JSON.stringify(read) === JSON.stringify(value), String(seed)).toBe(true);
      expect(withWholeBundles(whole ?? packed)).toBe(whole);
    }
  });

  it('of events is a readable record, and a readable command', () => {
    const properties = JSON.stringify({ text: '\u6f22'.repeat(2_000) });
    const facts = Array.from({ length: 100 }, () => ({ ...SAMPLES.facts.EventTracked, properties }));
    const commit = wrap.commit(facts);
    expect(decodeCommit(encodeCommit(commit))).toEqual(commit);
    const items = SAMPLES.commands.TrackEvents.items.flatMap((item) =>
      Array.from({ length: 60 }, () => ({ ...item, properties })),
    );
    const commands = [wrap.command({ ...SAMPLES.commands.TrackEvents, items })];
    expect(decodeCommands(encodeCommands(commands))).toEqual(commands);
  });

  it('is read where an older version wrote it with a wrong length', () => {
    const value = ['begin', ...texts('\u6f22', 5, 60), 'end'];
    const packed = Uint8Array.from(packr.pack(value));
    expect(() => new Unpackr(OPTIONS).unpack(packed)).toThrow();
    expect(new Unpackr(OPTIONS).unpack(withWholeBundles(packed) ?? packed)).toEqual(value);
  });

  it('of another form is left alone', () => {
    const other = new Uint8Array(70_000).fill(0x62);
    other.set([0xd6, 0x62, 0, 0, 0, 9], 10);
    expect(withWholeBundles(other)).toBeUndefined();
    other.set([0xd6, 0x62, 255, 255, 255, 255], 10);
    expect(withWholeBundles(other)).toBeUndefined();
    const without = new Uint8Array(70_000);
    expect(withWholeBundles(without)).toBe(without);
  });
});
