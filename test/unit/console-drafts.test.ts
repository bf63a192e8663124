import { expect, it } from 'vitest';
import { draftPlace, forgetDrafts } from '../../console/src/parts/drafts/draft-places.ts';

/** The storage of a tab. */
function aStorage(...keys: string[]): Storage {
  const held = new Map(keys.map((key) => [key, '']));
  return {
    get length() {
      return held.size;
    },
    key: (index) => [...held.keys()][index] ?? null,
    getItem: (key) => held.get(key) ?? null,
    setItem: (key, value) => void held.set(key, value),
    removeItem: (key) => void held.delete(key),
    clear: () => held.clear(),
  };
}
const keysOf = (storage: Storage): (string | null)[] =>
  Array.from({ length: storage.length }, (_, index) => storage.key(index));

const [ANN, BOB] = [draftPlace('ann', 'flag demo live shop'), draftPlace('bob', 'flag demo live shop')];

it('two users of a tab have drafts of their own', () => {
  expect(ANN).not.toBe(BOB);
});

it('a sign-out forgets all drafts, and a sign-in those of others', () => {
  const storage = aStorage(ANN, 'draft flag demo live old', 'console-begun-anew', BOB);
  forgetDrafts(storage, 'ann');
  expect(keysOf(storage)).toEqual([ANN, 'console-begun-anew']);
  forgetDrafts(storage);
  expect(keysOf(storage)).toEqual(['console-begun-anew']);
});
