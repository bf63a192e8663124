import { Unpackr } from 'msgpackr';
import { describe, expect, it } from 'vitest';
import { SAMPLES, wrap } from '../../test/fixtures/codec/samples.ts';
import { decodeCommands, decodeCommit, decodeEvents, encodeCommands, encodeCommit } from './codec.ts';
import { decodeList, decodeValue, decodeValues, encodeFrame, encodeList } from './frame.ts';

/** Texts of one kind of character, with lengths that a seed gives. */
function texts(character: string, seed: number, count: number): string[] {
  let state = seed;
  return Array.from({ length: count }, () => {
    state = (state * 16_807) % 2_147_483_647;
    return character.repeat(state % 4_095);
  });
}

describe('a frame', () => {
  it('gives each of its values alone, and all from a place on', () => {
    const values = [{ a: 'first' }, ['second', 2], null, 'x'.repeat(300)];
    const frame = encodeFrame(values);
    for (const [place, value] of values.entries()) {
      expect(decodeValue(frame, place)).toEqual(value);
      expect(decodeValues(frame, place)).toEqual(values.slice(place));
    }
    expect(() => decodeValue(frame, values.length)).toThrow(RangeError);
  });

  it('has values that any decoder reads', () => {
    const value = [{ name: 'one' }, { name: 'other' }];
    const body = encodeFrame([value]).subarray(3);
    expect(new Unpackr({ useRecords: true, bundleStrings: true }).unpack(body)).toEqual(value);
  });

  it.each(['a', 'ü', '\u6f22', '🎲'])('with long texts is read as it was written: %s', (character) => {
    for (let seed = 1; seed <= 40; seed++) {
      const value = [seed, { first: 'name', list: texts(character, seed, seed * 3) }, 0xd662_d662, 'end'];
      const read = decodeValues(encodeFrame([value, 'next']));
      expect(JSON.stringify(read) === JSON.stringify([value, 'next']), String(seed)).toBe(true);
    }
  });

  it('that ends early or goes on behind its last value is an error', () => {
    const frame = encodeFrame(['first', { second: 2 }]);
    for (let length = 0; length < frame.length; length++) {
      expect(() => decodeValues(frame.subarray(0, length)), `${length} bytes`).toThrow();
    }
    expect(() => decodeValues(Buffer.concat([frame, Buffer.from([1])]))).toThrow();
    expect(() => decodeValues(Buffer.from([1, 0, 0]))).toThrow(/no value/);
  });

  it.each([0, 1, 128, 129, 400])('holds a list of %d items', (length) => {
    const items = Array.from({ length }, (_, n) => ({ n, text: `item ${n}` }));
    expect(decodeList(encodeList(items), (item) => item)).toEqual(items);
  });
});

describe('a long message', () => {
  const properties = JSON.stringify({ text: '\u6f22'.repeat(2_000) });

  it('of facts is the record that was written, and gives its events with their places', () => {
    const facts = Array.from({ length: 300 }, (_, n) =>
      n % 3 === 0 ? SAMPLES.facts.PlayerUpdated : { ...SAMPLES.facts.EventTracked, eventId: `e-${n}`, properties },
    );
    const commit = wrap.commit(facts);
    const bytes = encodeCommit(commit);
    expect(decodeCommit(bytes)).toEqual(commit);
    const events = facts.flatMap((fact, index) => (fact.kind === 'EventTracked' ? [{ index, fact }] : []));
    expect(decodeEvents(bytes)).toEqual(events);
  });

  it('of commands is what was sent', () => {
    const items = SAMPLES.commands.TrackEvents.items.flatMap((item) =>
      Array.from({ length: 20 }, () => ({ ...item, properties })),
    );
    const commands = Array.from({ length: 150 }, () => wrap.command({ ...SAMPLES.commands.TrackEvents, items }));
    expect(decodeCommands(encodeCommands(commands))).toEqual(commands);
  });
});
