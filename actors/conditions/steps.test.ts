import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/kernel/text/json.ts';
import { CONDITION_LIMITS } from './limits.ts';
import { aPlayer } from '../testing-players.ts';
import { compileCondition } from './compile-condition.ts';
import { charge, hasStepsForPlayer, metered, nextPlayer, stepsSpent } from './steps.ts';
import { HUNGRY, worstCommands } from './testing-worst-commands.ts';
import { isEqual } from './values.ts';

const NOW = 1_000_000;
const texts = (count: number) => Array.from({ length: count }, () => 'ab'.repeat(512));

function made(conditions: JsonObject) {
  let over = 0;
  const compiled = compileCondition(conditions, { onOverBudget: () => (over += 1) });
  if (compiled.kind === 'invalid') throw new Error(JSON.stringify(compiled.faults));
  const { condition, refusals } = compiled;
  const [excess] = refusals;
  return {
    excess,
    matches: (attributes: JsonObject) =>
      condition.matches({ player: aPlayer({ attributes: JSON.stringify(attributes) }), nowMs: NOW }),
    overs: () => over,
  };
}

describe('the steps of one command', () => {
  it.each(worstCommands())('are bounded: $name', ({ prepare }) => {
    const run = prepare();
    const before = stepsSpent();
    run();
    // 2 to 40 ms each; without the budget up to minutes.
    expect(stepsSpent() - before).toBeLessThanOrEqual(CONDITION_LIMITS.meterSteps + 1);
  });
});

describe('a condition over its budget', () => {
  const hungry = { 'attributes.a': { $elemMatch: { $regex: HUNGRY } } };

  it.each<[JsonObject, boolean]>([
    [hungry, true],
    [{ $not: hungry }, false],
    [{ $nor: [hungry] }, false],
    [{ $or: [hungry, { is_payer: false }] }, true],
  ])('is false and reported, whatever its tests return: %j', (conditions, otherwise) => {
    const { matches, overs } = made(conditions);
    expect(metered(() => matches({ a: texts(15) }))).toBe(false);
    expect(overs()).toBe(1);
    expect(metered(() => matches({ a: ['ab!'] }))).toBe(otherwise);
    expect(overs()).toBe(1);
  });

  it('does not affect other conditions of the command: plain ones always, expensive ones within the budget', () => {
    const expensive = made(hungry);
    const plain = made({ 'attributes.b': 1, 'attributes.c': { $in: [2, 3] } });
    const small = made({ 'attributes.b': { $not: { $regex: '^x' } } });
    const attributes = { a: texts(15), b: 1, c: 2 };
    metered(() => {
      expect(expensive.matches(attributes)).toBe(false);
      expect(small.matches(attributes)).toBe(true);
      for (let turn = 0; turn < 1_000; turn++) expensive.matches(attributes);
      expect(plain.matches(attributes)).toBe(true);
      expect(plain.overs()).toBe(0);
    });
  });

  it('returns the same result whatever earlier commands evaluated', () => {
    const patterns = Array.from({ length: 12 }, (_, i) => ({ 'attributes.a': { $regex: `${HUNGRY}[${i}x]` } }));
    const { matches } = made({ $or: [...patterns, { is_payer: false }] });
    const lengths = [1, 2, 4, 8, 16, 64, 128, 250];
    const answers = lengths.map((words) => metered(() => matches({ a: 'ab!y'.repeat(words) })));
    const again = lengths.toReversed().map((words) => metered(() => matches({ a: 'ab!y'.repeat(words) })));
    expect(again.toReversed()).toEqual(answers);
    expect(new Set(answers)).toEqual(new Set([true, false]));
  });

  it('takes no steps from the next player of the command, while the meter has steps', () => {
    const { matches, overs } = made(hungry);
    metered(() => {
      matches({ a: texts(15) });
      expect(hasStepsForPlayer()).toBe(true);
      nextPlayer();
      expect(matches({ a: ['ab!'] })).toBe(true);
      expect(overs()).toBe(1);
    });
  });
});

describe('an object with many keys in a definition', () => {
  it('is listed once, not for each element of a list', () => {
    const wide = Object.fromEntries(Array.from({ length: 990 }, (_, i) => [`key-${i}`, 1]));
    const element = { a: 1 };
    let listings = 0;
    const counted = new Proxy(wide, {
      ownKeys(target) {
        listings += 1;
        return Reflect.ownKeys(target);
      },
    });
    for (let i = 0; i < 1_000; i++) expect(isEqual(element, counted)).toBe(false);
    expect(listings).toBe(1);
  });
});

describe('a meter that was exhausted and is closed', () => {
  it('does not limit evaluations without a meter', () => {
    metered(() => {
      charge(CONDITION_LIMITS.meterSteps);
      expect(hasStepsForPlayer()).toBe(false);
    });
    expect(hasStepsForPlayer()).toBe(true);
  });
});

describe('attributes that cannot be parsed', () => {
  it('throw at every read, and never return those of another player', () => {
    const compiled = compileCondition({ 'attributes.b': 1 });
    if (compiled.kind === 'invalid') throw new Error(JSON.stringify(compiled.faults));
    const [good, broken] = ['{"b":1}', '{"b'].map((attributes) => aPlayer({ attributes }));
    const matches = (player = aPlayer()) => compiled.condition.matches({ player, nowMs: NOW });
    metered(() => {
      expect(matches(good)).toBe(true);
      expect(() => matches(broken)).toThrow(SyntaxError);
      expect(() => matches(broken)).toThrow(SyntaxError);
      expect(matches(good)).toBe(true);
    });
  });
});

describe('a definition', () => {
  it('that is too expensive on ordinary data has an excess that names condition, rule and remedy', () => {
    const one = { 'attributes.a': { $elemMatch: { $regex: HUNGRY } } };
    const { excess } = made({ $or: Array.from({ length: 40 }, () => one) });
    expect(excess?.path).toMatch(/^\/\$or\/\d+\/attributes\.a\/\$elemMatch\/\$regex$/);
    expect(excess?.message).toContain(`more than ${CONDITION_LIMITS.conditionSteps} steps`);
    expect(excess?.message).toContain('use fewer or shorter regular expressions');
  });

  it.each<JsonObject>([
    { device_model: { $regex: '^(iPhone|iPad)' }, 'attributes.mail': { $regexi: '^[^@]+@[a-z0-9.-]+[.][a-z]{2,}$' } },
    { 'attributes.tags': { $elemMatch: { $regex: '^vip-' } } },
    { $or: Array.from({ length: 40 }, (_, i) => ({ device_model: { $regex: `^SM-[AGS]${i}[0-9]{2}` } })) },
    { 'attributes.country': { $in: Array.from({ length: 900 }, (_, i) => `C${i}`) } },
  ])('of ordinary size has no excess: %j', (conditions) => {
    expect(made(conditions).excess).toBeUndefined();
  });
});
