import { expect, it } from 'vitest';
import type { JsonObject } from '../../core/kernel/text/json.ts';
import { aPlayer } from '../testing-players.ts';
import { compileCondition } from './compile-condition.ts';
import { CONDITION_LIMITS } from './limits.ts';
import { metered } from './steps.ts';

function meets(
  condition: JsonObject,
  { attributes = {}, context = {} }: { attributes?: JsonObject; context?: JsonObject },
) {
  const made = compileCondition(condition, { context: true });
  if (made.kind === 'invalid') throw new Error(JSON.stringify(made.faults));
  const player = aPlayer({ attributes: JSON.stringify(attributes) });
  return metered(() => made.condition.matches({ player, nowMs: 1, context }));
}

it.each<[JsonObject, JsonObject]>([
  [{ 'vip.level': 3 }, { 'attributes.vip.level': 3 }],
  [{ vip: { level: 3 } }, { 'attributes.vip.level': 3 }],
  // The whole key goes first.
  [{ vip: { level: 1 }, 'vip.level': 3 }, { 'attributes.vip.level': { $gte: 3 } }],
  [{ vip: { level: 3 }, 'vip.level': null }, { 'attributes.vip.level': 3 }],
  [{ a: { 'b.c': 1 } }, { 'attributes.a.b.c': 1 }],
  [{ 'a.b': { c: 1 } }, { 'attributes.a.b.c': 1 }],
  [{ 'a.b': { x: 0 }, a: { b: { c: 1 } } }, { 'attributes.a.b.c': 1 }],
  [{ 'a.b.c': { 'd.e': 1 } }, { 'attributes.a.b.c.d.e': 1 }],
  [{ list: [{ 'k.v': 1 }] }, { 'attributes.list': { $elemMatch: { 'k.v': 1 } } }],
])('%j meets %j', (attributes, condition) => {
  expect(meets(condition, { attributes })).toBe(true);
  const inContext = Object.fromEntries(
    Object.entries(condition).map(([name, value]) => [name.replace('attributes.', 'context.'), value]),
  );
  expect(meets(inContext, { context: attributes })).toBe(true);
});

it('does not match other keys', () => {
  for (const attributes of [{ 'vip.levels': 3 }, { vip: { 'level.x': 3 } }, { 'vip.': { level: 3 } }, {}]) {
    expect(meets({ 'attributes.vip.level': 3 }, { attributes })).toBe(false);
  }
});

it('looks up few keys in data made to branch at every level', () => {
  let lookUps = 0;
  const counted = (value: JsonObject): JsonObject =>
    new Proxy(value, {
      getOwnPropertyDescriptor(target, key) {
        lookUps += 1;
        return Reflect.getOwnPropertyDescriptor(target, key);
      },
    });
  // One object for each depth, with two ways into the next ones. All ways end before the path does.
  const depths: JsonObject[] = [counted({}), counted({})];
  for (let depth = 2; depth <= 30; depth += 1) {
    depths.push(counted({ k: depths[depth - 1] ?? {}, 'k.k': depths[depth - 2] ?? {} }));
  }
  const path = `context.${Array.from({ length: 31 }, () => 'k').join('.')}`;
  expect(meets({ [path]: 1 }, { context: depths.at(-1) ?? {} })).toBe(false);
  expect(lookUps).toBeGreaterThan(100);
  expect(lookUps).toBeLessThan(CONDITION_LIMITS.conditionSteps);
});
