import { expect, it } from 'vitest';
import { createShares } from './shares.ts';

const taken = (place: (() => void) | 'share' | 'full'): (() => void) => {
  if (typeof place === 'string') throw new Error(place);
  return place;
};

it('gives no holder more than its share, and none more than there are', () => {
  const shares = createShares({ places: 2, ofHolder: 1 });
  const one = taken(shares.take(['game a', 'user 1']));
  expect(shares.take(['game a'])).toBe('share');
  expect(shares.take(['game b', 'user 1'])).toBe('share');
  const other = taken(shares.take(['game b', 'user 2']));
  expect(shares.take(['game c'])).toBe('full');
  one();
  one();
  taken(shares.take(['game a', 'user 1']));
  expect(shares.take(['game c'])).toBe('full');
  other();
  taken(shares.take(['game c']));
});
