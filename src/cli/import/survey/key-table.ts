import { hash } from 'node:crypto';

/**
 * Numbers the texts that it is given, from 0, in memory of 24 bytes a text whatever their lengths: it keeps 64 bits of
 * their digests. Among 4 million texts, two share them with a probability of 1 in 2 million.
 */
export interface KeyTable {
  readonly size: number;
  /** `undefined`: the text was never added. */
  placeOf(text: string): number | undefined;
  /** The number of the text, which is new if it equals the size before. */
  add(text: string): number;
}

const FIRST_SLOTS = 1024;
/** The largest share of slots that are used, as one over this. */
const ROOM = 2;

export function createKeyTable(): KeyTable {
  let slots = new Uint32Array(FIRST_SLOTS);
  let high = new Uint32Array(FIRST_SLOTS / ROOM);
  let low = new Uint32Array(FIRST_SLOTS / ROOM);
  let size = 0;

  /** The slot with these bits, or the free one where they belong. Slots hold numbers from 1; 0 is free. */
  function slotOf(one: number, other: number): number {
    const mask = slots.length - 1;
    for (let slot = other & mask; ; slot = (slot + 1) & mask) {
      const held = slots[slot] ?? 0;
      if (held === 0 || (high[held - 1] === one && low[held - 1] === other)) return slot;
    }
  }

  function grow(): void {
    high = widened(high, size * ROOM);
    low = widened(low, size * ROOM);
    slots = new Uint32Array(size * ROOM * ROOM);
    for (let place = 0; place < size; place++) slots[slotOf(high[place] ?? 0, low[place] ?? 0)] = place + 1;
  }

  return {
    get size() {
      return size;
    },
    placeOf(text) {
      const [one, other] = bitsOf(text);
      const held = slots[slotOf(one, other)] ?? 0;
      return held === 0 ? undefined : held - 1;
    },
    add(text) {
      const [one, other] = bitsOf(text);
      const held = slots[slotOf(one, other)] ?? 0;
      if (held !== 0) return held - 1;
      if (size === high.length) grow();
      high[size] = one;
      low[size] = other;
      slots[slotOf(one, other)] = size + 1;
      size += 1;
      return size - 1;
    },
  };
}

function bitsOf(text: string): readonly [number, number] {
  const digest = hash('md5', text, 'buffer');
  return [digest.readUInt32LE(0), digest.readUInt32LE(4)];
}

function widened(numbers: Uint32Array<ArrayBuffer>, length: number): Uint32Array<ArrayBuffer> {
  const wide = new Uint32Array(length);
  wide.set(numbers);
  return wide;
}
