/**
 * A set of player ids in 16 bytes each and the free slots between them: a million ids take 32 MB, where a `Set` of
 * texts takes 100 MB. Open addressing with linear probing; at most half of the slots are taken.
 */
export interface PlayerIdSet {
  readonly size: number;
  /** Adds a UUID in its text form, in lower case. @returns whether it is new */
  add(id: string): boolean;
}

const WORDS = 4;

/** Slots of the smaller table that one `add` moves. Moving half a million ids at once took 100 ms. */
const MOVED_BY_ADD = 8;

/** @param seed random, so that no caller can choose ids that collide */
export function createPlayerIdSet(seed: number, firstSlots = 1_024): PlayerIdSet {
  let slots = firstSlots;
  let words = new Uint32Array(slots * WORDS);
  /** The smaller table, whose ids are being moved, and the first word that was not looked at. Its ids stay. */
  let before: Uint32Array | undefined;
  let movedTo = 0;
  let size = 0;

  /** The first word of the slot that holds the id, or of the free slot where it belongs. The nil UUID is no player. */
  function slotOf(into: Uint32Array, id: Words): number {
    const [a, b, c, d] = id;
    const mask = into.length - 1;
    let at = (mixed(id, seed) * WORDS) & mask;
    for (;;) {
      if (isFree(into, at) || (into[at] === a && into[at + 1] === b && into[at + 2] === c && into[at + 3] === d)) {
        return at;
      }
      at = (at + WORDS) & mask;
    }
  }

  function grow(): void {
    before = words;
    movedTo = 0;
    slots *= 2;
    words = new Uint32Array(slots * WORDS);
  }

  /** Ends before the table grows again: that takes as many ids as half of its slots. */
  function moveSome(from: Uint32Array): void {
    const end = Math.min(from.length, movedTo + MOVED_BY_ADD * WORDS);
    for (; movedTo < end; movedTo += WORDS) {
      const id = wordsAt(from, movedTo);
      if (!isFree(from, movedTo)) words.set(id, slotOf(words, id));
    }
    if (movedTo === from.length) before = undefined;
  }

  return {
    get size() {
      return size;
    },
    add(text) {
      const id = wordsOf(text);
      if (before !== undefined) moveSome(before);
      if (before !== undefined && !isFree(before, slotOf(before, id))) return false;
      const at = slotOf(words, id);
      if (!isFree(words, at)) return false;
      words.set(id, at);
      size += 1;
      if (size * 2 > slots) grow();
      return true;
    },
  };
}

const wordsAt = (table: Uint32Array, at: number): Words => [
  table[at] ?? 0,
  table[at + 1] ?? 0,
  table[at + 2] ?? 0,
  table[at + 3] ?? 0,
];

const isFree = (table: Uint32Array, at: number): boolean =>
  table[at] === 0 && table[at + 1] === 0 && table[at + 2] === 0 && table[at + 3] === 0;

/** 32 bits of the seed and the id, with the finalizer of MurmurHash3 after each word. */
function mixed(id: Words, seed: number): number {
  let hash = seed;
  for (const word of id) {
    hash ^= word;
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
    hash ^= hash >>> 16;
  }
  return hash >>> 0;
}

type Words = [a: number, b: number, c: number, d: number];

function wordsOf(id: string): Words {
  const hex = (from: number, to: number): number => Number.parseInt(id.slice(from, to), 16);
  return [hex(0, 8), hex(9, 13) * 0x10000 + hex(14, 18), hex(19, 23) * 0x10000 + hex(24, 28), hex(28, 36)];
}
