import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createEventIds, type IdentifiedLine } from './event-ids.ts';
import { createKnownIds } from './known-ids.ts';

const one = (n: number, player = 'p'): IdentifiedLine => ({ playerId: player, eventId: `e${n}` });

/** ClickHouse, which has the rows of what was sent when somebody waits for it. */
function store(held: IdentifiedLine[] = []) {
  let sent: IdentifiedLine[] = [];
  const asked: (number | 'all')[] = [];
  return {
    asked,
    send: (lines: readonly IdentifiedLine[]) => void sent.push(...lines),
    async *digests(eventIds?: readonly string[]) {
      asked.push(eventIds?.length ?? 'all');
      const found = held.filter(({ eventId }) => eventIds === undefined || eventIds.includes(eventId));
      const bytes = Buffer.concat(found.map(({ playerId, eventId }) => hash('md5', playerId + eventId, 'buffer')));
      for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7);
    },
    async whenConfirmed() {
      held.push(...sent);
      sent = [];
    },
  };
}

const SMALL = { bits: 2 ** 12, recentIds: 10, lookedUpIds: 3 };

describe('ids of imported events', () => {
  it('repeat those that are stored and those before them, for the same player', async () => {
    const held = store([one(1), one(2, 'q')]);
    const ids = await createEventIds({ ...held, ids: 'player' }, SMALL);
    const lines = [one(1), one(2), one(3), one(3), one(3, 'q'), one(2, 'q')];
    expect([...(await ids.repeatedAmong(lines))]).toEqual([0, 3, 5]);
  });

  it('of other products repeat those of any player', async () => {
    const held = [{ playerId: 'guest', eventId: 'e1' }];
    const digests = async function* () {
      yield Buffer.concat(held.map(({ eventId }) => hash('md5', eventId, 'buffer')));
    };
    const ids = await createEventIds({ ids: 'game', digests, whenConfirmed: () => Promise.resolve() }, SMALL);
    expect([...(await ids.repeatedAmong([one(1, 'user'), one(2, 'guest'), one(2, 'user')]))]).toEqual([0, 2]);
  });

  it('are exact over any number of lines, though few are remembered', async () => {
    const held = store();
    const ids = await createEventIds({ ...held, ids: 'player' }, SMALL);
    const accepted: string[] = [];
    // Every third line repeats one of any distance before it.
    for (let from = 0; from < 3_000; from += 9) {
      const lines = Array.from({ length: 9 }, (_, n) => one(n % 3 === 2 ? (from * 7 + n) % (from + 1) : from + n));
      const repeated = await ids.repeatedAmong(lines);
      const fresh = lines.filter((_, at) => !repeated.has(at));
      held.send(fresh);
      accepted.push(...fresh.map(({ eventId }) => eventId));
    }
    const naive = new Set<string>();
    for (let from = 0; from < 3_000; from += 9) {
      for (let n = 0; n < 9; n++) naive.add(one(n % 3 === 2 ? (from * 7 + n) % (from + 1) : from + n).eventId);
    }
    expect(accepted).toHaveLength(naive.size);
    expect(new Set(accepted)).toEqual(naive);
  });

  it('that are new are not looked up; many that may be known are compared with all', async () => {
    const held = store(Array.from({ length: 5 }, (_, n) => one(n)));
    const ids = await createEventIds({ ...held, ids: 'player' }, { ...SMALL, bits: 2 ** 20 });
    await ids.repeatedAmong([one(100), one(101)]);
    expect(held.asked).toEqual(['all']);
    await ids.repeatedAmong([one(0), one(1), one(200)]);
    await ids.repeatedAmong([0, 1, 2, 3].map((n) => one(n)));
    expect(held.asked).toEqual(['all', 2, 'all']);
  });
});

it('a filter has every digest that was added, and few others', () => {
  const digest = (n: number) => hash('md5', String(n), 'buffer');
  const known = createKnownIds(2 ** 16);
  for (let n = 0; n < 1_000; n++) known.add(digest(n));
  const numbers = Array.from({ length: 20_000 }, (_, n) => n).filter((n) => known.mayHave(digest(n)));
  expect(numbers.slice(0, 1_000)).toEqual(Array.from({ length: 1_000 }, (_, n) => n));
  expect(numbers.length).toBeLessThan(1_000 + 30);
});
