import {
  array,
  assert,
  constantFrom,
  integer,
  oneof,
  property,
  record,
  tuple,
  constant,
  type Arbitrary,
} from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../core/kernel/text/json.ts';
import { DAY_MS } from '../../core/kernel/days.ts';
import { counted } from '../computed/event-counters.ts';
import type { PlayerState } from '../../core/vocabulary/state/state.ts';
import type { Condition } from '../decision/targeting.ts';
import { aPlayer } from '../testing-players.ts';
import { compileCondition } from './compile-condition.ts';
import type { EventCounter } from '../../core/vocabulary/state/player.ts';

const DAY_0 = 20_000;
const START = DAY_0 * DAY_MS;

function compiled(conditions: JsonObject): Condition {
  const result = compileCondition(conditions);
  if (result.kind === 'invalid') throw new Error(JSON.stringify(result.faults));
  return result.condition;
}

const fields = constantFrom(
  'days_since_first_seen',
  'days_since_last_seen',
  'session_count',
  ...['count_1d', 'count_7d', 'count_30d', 'last_days_ago'].flatMap((measure) => [
    `events.a.${measure}`,
    `events.b.${measure}`,
  ]),
);
const number = oneof(integer({ min: -1, max: 35 }), constantFrom(0.5, 6.5, 1e300));
const operand: Arbitrary<Json> = oneof(
  number,
  tuple(constantFrom('$eq', '$ne', '$gt', '$gte', '$lt', '$lte'), number).map(([name, n]) => ({ [name]: n })),
  number.map((n) => ({ $gte: n, $lt: n + 3 })),
  number.map((n) => ({ $gt: String(n) })),
  number.map((n) => ({ $not: { $lte: n } })),
  array(number, { maxLength: 3 }).map((list) => ({ $nin: list })),
  integer({ min: 0, max: 35 }).map((n) => ({ $vlt: String(n) })),
  constant({ $not: { $regex: '[02468]$' } }),
  constant({ $exists: true }),
);
const leaf: Arbitrary<JsonObject> = tuple(fields, operand).map(([name, operand]) => ({ [name]: operand }));
const condition: Arbitrary<JsonObject> = oneof(
  leaf,
  array(leaf, { minLength: 1, maxLength: 3 }).map(($and) => ({ $and })),
  array(leaf, { minLength: 1, maxLength: 3 }).map(($or) => ({ $or })),
  leaf.map(($not) => ({ $not })),
);

const player: Arbitrary<PlayerState> = record({
  seen: integer({ min: 0, max: 20 * DAY_MS }),
  stayed: integer({ min: 0, max: 20 * DAY_MS }),
  happened: array(record({ name: constantFrom('a', 'b'), ms: integer({ min: 0, max: 40 * DAY_MS }) }), {
    maxLength: 8,
  }),
}).map(({ seen, stayed, happened }) =>
  aPlayer({
    firstSeenAt: START + seen,
    lastSeenAt: START + seen + stayed,
    counters: happened.reduce<readonly EventCounter[]>((held, { name, ms }) => counted(held, name, START + ms), []),
  }),
);

describe('changesAt', () => {
  it('is never later than a change by time alone', () => {
    assert(
      property(
        condition,
        player,
        integer({ min: 0, max: 45 * DAY_MS }),
        array(integer({ min: 0, max: 100 * DAY_MS }), { minLength: 20, maxLength: 20 }),
        (definition, player, from, later) => {
          const condition = compiled(definition);
          let nowMs = START + from;
          let answer = condition.matches({ player, nowMs });
          let next = condition.changesAt(player, nowMs);
          for (const moment of later.map((ms) => nowMs + ms).toSorted((a, b) => a - b)) {
            while (next !== undefined && next <= moment) {
              expect(next).toBeGreaterThan(nowMs);
              expect(condition.matches({ player, nowMs: next - 1 })).toBe(answer);
              nowMs = next;
              answer = condition.matches({ player, nowMs });
              next = condition.changesAt(player, nowMs);
            }
            expect(condition.matches({ player, nowMs: moment })).toBe(answer);
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  const won = aPlayer({ firstSeenAt: START + 5, lastSeenAt: START + 5, counters: counted([], 'win', START + 5) });
  it.each<[JsonObject, number, number | undefined]>([
    [{ 'attributes.a': 1, session_count: 2, lifecycle_stage: 'new' }, 0, undefined],
    [{ 'events.lose.count_7d': 0 }, 0, undefined],
    [{ 'events.win.count_7d': { $gte: 1 } }, 5, START + 7 * DAY_MS],
    [{ 'events.win.count_7d': { $gte: 1 } }, 7 * DAY_MS, undefined],
    [{ 'events.win.last_days_ago': { $gt: 3 } }, 5, START + 4 * DAY_MS],
    [{ days_since_last_seen: { $gte: 7 } }, 5, START + 7 * DAY_MS + 5],
    [{ days_since_last_seen: { $gte: 7 } }, 7 * DAY_MS + 5, undefined],
    [{ $or: [{ days_since_first_seen: 1 }, { $not: { 'events.win.count_1d': 1 } }] }, 5, START + DAY_MS],
  ])('%j, %i ms in: %s', (definition, ms, at) => {
    expect(compiled(definition).changesAt(won, START + ms)).toBe(at);
  });
});
