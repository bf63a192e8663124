import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileCondition } from '../../actors/conditions/compile-condition.ts';
import { OPERATORS as SERVICE_OPERATORS } from '../../actors/conditions/operators.ts';
import { aPlayer } from '../../actors/testing-players.ts';
import {
  changeNode,
  newBucket,
  newEventCount,
  newGroup,
  newInSegment,
  newTest,
  type Node,
  readCondition,
  type Test,
  writeCondition,
} from '../../console/src/conditions/condition-tree.ts';
import { OPERATORS } from '../../console/src/conditions/operands.ts';
import { unfinishedOf } from '../../console/src/conditions/unfinished.ts';
import { DAY_MS } from '../../core/kernel/days.ts';
import type { Json, JsonObject } from '../../core/kernel/text/json.ts';

/* The console's builder of conditions: what it reads and writes again means the same. */

const NOW_MS = 20_000 * DAY_MS;
const roundTrip = (condition: JsonObject): JsonObject => writeCondition(readCondition(condition));

function holds(conditions: JsonObject, attributes: JsonObject): boolean {
  const compiled = compileCondition(conditions);
  if (compiled.kind === 'invalid') throw new Error(JSON.stringify(compiled.faults));
  return compiled.condition.matches({ player: aPlayer({ attributes: JSON.stringify(attributes) }), nowMs: NOW_MS });
}

const scalar = fc.constantFrom<Json>(0, 1, 2, 'a', 'b', true, null);
const operand = fc.oneof(
  scalar,
  fc.record({ $gte: fc.integer({ min: 0, max: 2 }), $lt: fc.integer({ min: 0, max: 3 }) }),
  fc.record({ $in: fc.array(scalar, { maxLength: 3 }) }),
  fc.record({ $ne: scalar, $exists: fc.boolean() }),
  fc.record({ $not: fc.record({ $gte: fc.integer({ min: 0, max: 2 }) }) }),
);
const field = fc.constantFrom('attributes.a', 'attributes.b');
const { condition } = fc.letrec<{ condition: JsonObject }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 4 },
    fc.dictionary(field, operand, { maxKeys: 2 }),
    fc.record({ $and: fc.array(tie('condition'), { maxLength: 3 }) }),
    fc.record({ $or: fc.array(tie('condition'), { maxLength: 3 }) }),
    fc.record({ $nor: fc.array(tie('condition'), { maxLength: 3 }) }),
    fc.record({ $not: tie('condition') }),
    fc
      .tuple(fc.dictionary(field, operand, { maxKeys: 2 }), fc.array(tie('condition'), { maxLength: 2 }))
      .map(([fields, list]): JsonObject => ({ ...fields, $or: list })),
  ),
}));
const attributes = fc.record({ a: scalar, b: scalar }, { requiredKeys: [] });

describe('conditions in the builder', () => {
  it('offers every operator', () => {
    expect(OPERATORS.toSorted()).toEqual([...SERVICE_OPERATORS.keys()].toSorted());
  });

  it('means the same after reading and writing', () => {
    fc.assert(
      fc.property(condition, attributes, (conditions, player) => {
        expect(holds(roundTrip(conditions), player)).toBe(holds(conditions, player));
      }),
      { numRuns: 2_000 },
    );
  });

  it('keeps two conditions on one attribute', () => {
    const conditions = { 'attributes.level': { $gte: 10, $lt: 50 } };
    expect(roundTrip(conditions)).toEqual(conditions);
    const tree = readCondition({ 'attributes.level': { $gte: 10 } });
    const more: Test = { ...newTest('attributes.level'), operator: '$gte', operand: 20 };
    expect(writeCondition({ items: [...tree.items, more] })).toEqual({
      'attributes.level': { $gte: 10 },
      $and: [{ 'attributes.level': { $gte: 20 } }],
    });
    const equal = { ...tree, items: [...tree.items, { ...newTest('attributes.level'), operand: 12 }] };
    expect(writeCondition(equal)).toEqual({ 'attributes.level': { $gte: 10, $eq: 12 } });
  });

  it.each<[string, JsonObject]>([
    ['an unknown operator', { 'attributes.a': { $above: 3 } }],
    ['operators beside other keys', { 'attributes.a': { $gt: 3, b: 1 } }],
    ['a list of something else', { $or: [1] }],
    ['segments that are no texts', { $inSegment: ['s', 5] }],
    ['one segment without a list', { $inSegment: 's' }],
    ['a share with unknown members', { $bucket: { salt: 's', below: 5, above: 2 } }],
    ['a share whose salt is no text', { $bucket: { salt: 5, below: 5 } }],
    ['a count of events with two comparisons', { events: { name: 'level_failed', count: { $gte: 1, $lt: 5 } } }],
    ['a count of events with unknown members', { events: { name: 'level_failed', count: 1, since: 4 } }],
    ['a name of the language', JSON.parse('{"__proto__": 3, "constructor": 4}')],
    ['an object to compare with', { 'attributes.a': { $eq: { $b: 1 } } }],
  ])('keeps %s', (_, conditions) => {
    expect(JSON.stringify(roundTrip(conditions))).toBe(JSON.stringify(conditions));
  });

  it('keeps a wrong $and beside what needs one', () => {
    const conditions = { $and: 5, 'attributes.a': 1 };
    const tree = readCondition(conditions);
    expect(writeCondition({ items: [...tree.items, newTest('attributes.a')] })).toEqual({
      'attributes.a': 1,
      $and: [{ $and: 5 }, { 'attributes.a': {} }],
    });
  });

  it('reads and writes counts of events with their filter', () => {
    const conditions: JsonObject = {
      events: {
        name: 'level_failed',
        where: { 'properties.level': { $gte: 3, $lte: 5 } },
        within_days: 7,
        count: { $gte: 2 },
      },
    };
    expect(roundTrip(conditions)).toEqual(conditions);
    expect(readCondition(conditions).items[0]).toMatchObject({
      kind: 'events',
      withinDays: 7,
      operator: '$gte',
      count: 2,
    });
  });

  it('reads and writes segments and shares of players, also beside another of the kind', () => {
    const conditions: JsonObject = {
      $inSegment: ['regulars', 'seg_1'],
      $bucket: { salt: 's', by: 'attribute:guild', below: 12.5 },
      $not: { $inSegment: ['testers'], $bucket: { salt: 's', below: 0 } },
    };
    expect(roundTrip(conditions)).toEqual(conditions);
    const tree = readCondition({ $bucket: { salt: 's', by: 'player', below: 50 } });
    expect(tree.items).toMatchObject([{ kind: 'bucket', salt: 's', by: 'player', below: 50 }]);
    expect(writeCondition({ items: [...tree.items, newBucket()] })).toEqual({
      $bucket: { salt: 's', below: 50 },
      $and: [{ $bucket: { salt: '' } }],
    });
  });

  it('changes one node of the tree', () => {
    const tree = readCondition({ $or: [{ 'attributes.a': 1 }, { 'attributes.b': 2 }] });
    const [group] = tree.items;
    if (group?.kind !== 'group') throw new Error('no group');
    const [first, second] = group.items;
    const renamed = changeNode(tree, first?.id ?? 0, (node: Node) =>
      node.kind === 'test' ? { ...node, field: 'attributes.c' } : node,
    );
    expect(writeCondition(renamed)).toEqual({ $or: [{ 'attributes.c': 1 }, { 'attributes.b': 2 }] });
    const removed = changeNode(tree, second?.id ?? 0, () => undefined);
    expect(writeCondition(removed)).toEqual({ $or: [{ 'attributes.a': 1 }] });
    expect(roundTrip({ $or: [] })).toEqual({ $or: [] });
  });

  it.each<[string, Node, JsonObject, string]>([
    ['a test without a field', newTest(), { '': {} }, 'a field that is not chosen'],
    ['a test without a value', newTest('is_payer'), { is_payer: {} }, 'is_payer'],
    ['a group', newGroup('any'), { $or: [{ '': {} }] }, 'At least one of these holds › 1 › a field that is not chosen'],
    ['a group that was emptied', { ...newGroup('any'), items: [] }, { $or: [] }, 'At least one of these holds'],
    [
      'a count without an event',
      newEventCount(),
      { events: { name: '', within_days: 7, count: { $gte: 1 } } },
      'Event › its name',
    ],
    [
      'a count without a number',
      { ...newEventCount(), name: 'win', count: undefined },
      { events: { name: 'win', within_days: 7, count: {} } },
      'Event › How many',
    ],
    [
      'a count with a filter without a field',
      { ...newEventCount(), name: 'win', where: { ...newGroup('all'), items: [newTest('properties.')] } },
      { events: { name: 'win', where: { 'properties.': {} }, within_days: 7, count: { $gte: 1 } } },
      'Event › Of these events, only those with › properties.',
    ],
    ['no segment', newInSegment(), { $inSegment: [] }, 'Is in one of the segments'],
    [
      'a share without a percentage',
      { ...newBucket(), salt: 's' },
      { $bucket: { salt: 's' } },
      'Is in a share of the players › Percentage',
    ],
    [
      'a share without a salt',
      { ...newBucket(), below: 5 },
      { $bucket: { salt: '', below: 5 } },
      'Is in a share of the players › Salt',
    ],
    [
      'a share by an attribute without a name',
      { ...newBucket(), salt: 's', by: 'attribute:', below: 5 },
      { $bucket: { salt: 's', by: 'attribute:', below: 5 } },
      'Is in a share of the players › Chosen by',
    ],
    [
      'a share by an attribute with an unfinished path',
      { ...newBucket(), salt: 's', by: 'attribute:guild.', below: 5 },
      { $bucket: { salt: 's', by: 'attribute:guild.', below: 5 } },
      'Is in a share of the players › Chosen by',
    ],
  ])('writes %s as what it is, names it, and reads it again', (_, node, written, where) => {
    const condition = writeCondition({ items: [node] });
    expect(condition).toEqual(written);
    expect(unfinishedOf(condition).map((part) => part.where)).toEqual([where]);
    expect(roundTrip(condition)).toEqual(written);
    // The service refuses the same.
    const compiled = compileCondition(condition);
    expect(compiled.kind === 'invalid' || compiled.refusals.length > 0).toBe(true);
  });
});
