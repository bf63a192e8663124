import { beforeEach, describe, expect, test } from 'vitest';
import { LOG_LIMITS } from './limits.ts';
import { createFakeClock, type FakeClock } from '../../test/support/in-memory/fake-clock.ts';
import { createHandedOver, recordOf, type HandedOver } from '../../test/support/in-memory/handed-over.ts';
import { createOwnAppends, type OwnAppends } from './own-appends.ts';

describe('own appends', () => {
  let clock: FakeClock;
  let isAlone: boolean;
  let own: OwnAppends;
  let got: HandedOver;

  beforeEach(() => {
    clock = createFakeClock();
    isAlone = true;
    own = createOwnAppends({ clock, isAlone: () => isAlone });
    got = createHandedOver();
    own.subscribe(got);
  });

  async function append(...sequences: readonly number[]): Promise<void> {
    for (const sequence of sequences) own.appended(recordOf(sequence));
    await clock.advance(1);
  }

  async function begin(): Promise<void> {
    await clock.advance(LOG_LIMITS.aloneMs);
    await append(1);
    expect(got.takeAll()).toEqual([1]);
  }

  test('are handed over once the process was alone for a while', async () => {
    await append(1, 2, 3);
    await clock.advance(LOG_LIMITS.aloneMs);
    await append(4, 5);
    expect(got.takeAll()).toEqual([4, 5]);
  });

  test('are handed over in the order of the log, whatever the order of their acknowledgements', async () => {
    await begin();
    await append(4, 3);
    expect(got.takeAll()).toEqual([]);
    await append(2, 5);
    expect(got.takeAll()).toEqual([2, 3, 4, 5]);
  });

  test('never follow a missing sequence: after a while it is a gap, and the log is read', async () => {
    await begin();
    await append(3, 4);
    await clock.advance(100);
    expect(got.takeAll()).toEqual(['gap']);
    await append(5);
    expect(got.takeAll()).toEqual([]);
    await clock.advance(LOG_LIMITS.aloneMs);
    await append(6);
    expect(got.takeAll()).toEqual([6]);
  });

  test('of a stream that was created anew are a gap', async () => {
    await begin();
    await append(2, 1);
    expect(got.takeAll()).toEqual(['gap']);
  });

  test('stop as soon as another process may append', async () => {
    await begin();
    isAlone = false;
    await append(2);
    expect(got.takeAll()).toEqual(['gap']);
  });

  test('of another process at the end of the stream are a gap soon after the broker reported them', async () => {
    await begin();
    own.observed(1);
    await clock.advance(100);
    expect(got.takeAll()).toEqual([]);
    own.observed(2);
    await clock.advance(100);
    expect(got.takeAll()).toEqual(['gap']);
    await clock.advance(LOG_LIMITS.aloneMs);
    await append(3);
    expect(got.takeAll()).toEqual([3]);
  });

  test('of a stream that lost acknowledged records are a gap, although this process appends nothing more', async () => {
    await begin();
    await append(2, 3);
    own.observed(3);
    await clock.advance(100);
    expect(got.takeAll()).toEqual([2, 3]);
    own.observed(2);
    await clock.advance(100);
    expect(got.takeAll()).toEqual(['gap']);
  });

  test('are no gap if the broker was asked before they were stored', async () => {
    await begin();
    own.observed(1);
    await append(2, 3);
    own.observed(1);
    await clock.advance(100);
    expect(got.takeAll()).toEqual([2, 3]);
  });

  test('are not kept while other processes append too', async () => {
    isAlone = false;
    await append(...Array.from({ length: 20 }, (_, index) => 2 * index + 1));
    isAlone = true;
    await append(41);
    await clock.advance(LOG_LIMITS.aloneMs);
    await append(42);
    expect(got.takeAll()).toEqual([42]);
  });
});
