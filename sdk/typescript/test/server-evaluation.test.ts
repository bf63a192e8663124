import { describe, expect, it } from 'vitest';
import { FIELD_NAMES } from '../../../actors/conditions/fields.ts';
import { writeFlag, writeSegment, type WireFlag } from '../../../actors/flags/definitions-format.ts';
import { aFlag, aRule, aSplitFlag } from '../../../actors/flags/evaluate/testing-flag.ts';
import type { FlagDocument, SegmentDocument } from '../../../core/vocabulary/documents/documents.ts';
import { playerIdOf } from '../../../src/api/players/player-id.ts';
import { createCompiler } from '../server/local/compiled-definitions.ts';
import { readDefinitions } from '../server/local/definitions-document.ts';
import { createEvaluator } from '../server/local/evaluator.ts';
import type { PlayerInput } from '../server/local/player-input.ts';
import { compareRandom, NOW_MS, seeded } from './support/random-flags.ts';

const ID = '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11';
const NAMESPACE = '1c7e1f1e-9d0f-4c52-8a6e-3f5f4f0b7a11';

function aSegment(some: Partial<SegmentDocument> = {}): SegmentDocument {
  const times = { createdAt: 1, updatedAt: 1, version: 1 };
  return { id: 'seg_a', key: 'payers', name: '', description: '', conditions: { is_payer: true }, ...times, ...some };
}

function setUp(flags: readonly FlagDocument[], segments: readonly object[] = [], more: object = {}) {
  const faults: string[] = [];
  const compiler = createCompiler((message) => void faults.push(message));
  const document = { format: 1, revision: 1, flags: flags.map((flag) => writeFlag(flag)), segments, ...more };
  const read = readDefinitions(JSON.parse(JSON.stringify(document)));
  if (typeof read === 'string') throw new Error(read);
  const evaluator = createEvaluator(compiler.compile(read));
  const evaluate = (key: string, player: PlayerInput = { id: ID }, context?: Record<string, unknown>) =>
    evaluator.evaluate(key, player, context, NOW_MS);
  return { evaluator, evaluate, faults, compiler };
}

describe('local evaluation', () => {
  it('gives what the service gives, for random players and flags', async () => {
    const compared = await compareRandom(seeded(1), 40, 25);
    expect(compared.differences.slice(0, 3)).toEqual([]);
    expect(compared.evaluations).toBe(10_000);
    // Otherwise equal results would prove little.
    for (const reason of ['default', 'segment_match', 'percentage_rollout', 'flag_disabled', 'player_override']) {
      expect([reason, (compared.reasons[reason] ?? 0) > 40]).toEqual([reason, true]);
    }
  });

  it.each(FIELD_NAMES)('says that it needs %s, and names only inputs that it can be given', (name) => {
    const field = name
      .replace('<path>', 'x')
      .replace('<name>', 'x')
      .replace(/<count_1d.*>/, 'count_1d');
    const operand = name === 'events' ? { name: 'x', count: 1 } : { $ne: 1 };
    const { evaluate } = setUp([aFlag({ rules: [aRule({ conditions: { [field]: operand } })] })]);
    const result = evaluate('new-shop');
    expect(result).toMatchObject({ reason: 'needs_state', value: undefined, version: 1 });
    expect(result.missing).toHaveLength(1);
    expect(result.missing).not.toContain('other');
    const given = { attributes: {}, device_info: {}, events: {}, first_seen_at: 0, [String(result.missing?.[0])]: 1 };
    const times = { first_seen_at: new Date(0), last_seen_at: new Date(0) };
    const isGiven = evaluate('new-shop', { id: ID, ...given, ...times }).reason !== 'needs_state';
    // Only the service has the buckets of counts by properties.
    expect(isGiven).toBe(name !== 'events');
  });

  it('needs only what the evaluation reads', () => {
    const paying = aRule({ conditions: { is_payer: true }, priority: 2 });
    const german = aRule({ conditions: { 'attributes.country': 'DE' }, priority: 1 });
    const { evaluate } = setUp([aFlag({ rules: [paying, german] })]);
    const reason = (player: PlayerInput) => evaluate('new-shop', { id: ID, ...player }).reason;
    expect(reason({ attributes: { country: 'DE' } })).toBe('percentage_rollout');
    expect(reason({ attributes: { country: 'SE' } })).toBe('needs_state');
    expect(reason({ attributes: { country: 'SE' }, is_payer: false })).toBe('default');
  });

  it('takes a field of the device from the context first, as the service does', () => {
    const { evaluate } = setUp([aFlag({ rules: [aRule({ conditions: { platform: 'ios' } })] })]);
    expect(evaluate('new-shop', { id: ID }, { platform: 'ios' }).value).toBe(true);
    expect(evaluate('new-shop', { id: ID }, { build: 1 }).missing).toEqual(['device_info']);
    for (const platform of ['ios', 'iOS', 'IPhonePlayer']) {
      expect(evaluate('new-shop', { id: ID, device_info: { platform } }).value).toBe(true);
    }
  });

  it('evaluates segments from their conditions, or takes them as they are given, by key or id', () => {
    const flags = [aFlag({ rules: [aRule({ segmentId: 'seg_a' })] })];
    const { evaluate } = setUp(flags, [writeSegment(aSegment())]);
    expect(evaluate('new-shop')).toMatchObject({ reason: 'needs_state', missing: ['is_payer'] });
    expect(evaluate('new-shop', { id: ID, is_payer: true })).toMatchObject({ value: true, segmentId: 'seg_a' });
    for (const segments of [['payers'], ['seg_a']]) {
      expect(evaluate('new-shop', { id: ID, segments }).reason).toBe('segment_match');
    }
    expect(evaluate('new-shop', { id: ID, segments: [], is_payer: true }).reason).toBe('default');
    // A segment never reads the context.
    expect(evaluate('new-shop', { id: ID, is_payer: false }, { is_payer: true }).reason).toBe('default');
  });

  it('finds no players in a segment that is gone, and says when only the service knows its players', () => {
    const flags = [aFlag({ rules: [aRule({ segmentId: 'seg_a' })] })];
    expect(setUp(flags).evaluate('new-shop').reason).toBe('default');
    for (const segment of [
      { ...writeSegment(aSegment()), conditions: { $static: true } },
      writeSegment(aSegment({ list: { load: 'load_a', players: 1, loadedAt: 1 } })),
      { segment_id: 'seg_a', key: 'payers', version: 1 },
    ]) {
      const { evaluate } = setUp(flags, [segment]);
      expect(evaluate('new-shop', { id: ID, is_payer: true }).missing).toEqual(['segments']);
      expect(evaluate('new-shop', { id: ID, segments: ['payers'] }).value).toBe(true);
    }
  });

  it('knows nobody of a static segment, also not whom it includes or excludes by name', () => {
    const flags = [aFlag({ rules: [aRule({ segmentId: 'seg_a' })] }), aFlag({ key: 'other' })];
    const list = { load: 'load_a', players: 1, loadedAt: 1 };
    const { evaluate } = setUp(flags, [writeSegment(aSegment({ list, includes: [ID], excludes: [] }))]);
    const needed = { reason: 'needs_state', value: undefined, missing: ['segments'] };
    expect(evaluate('new-shop', { id: ID, attributes: {} })).toMatchObject(needed);
    expect(evaluate('new-shop', { id: ID, segments: [] }).reason).toBe('default');
    expect(evaluate('other').reason).toBe('default');
  });

  it('evaluates the players that a segment includes or excludes by their ids', () => {
    const flags = [aFlag({ rules: [aRule({ segmentId: 'seg_a' })] })];
    const reason = (exceptions: Partial<SegmentDocument>, isPayer: boolean) =>
      setUp(flags, [writeSegment(aSegment(exceptions))]).evaluate('new-shop', { id: ID, is_payer: isPayer }).reason;
    expect(reason({ includes: [ID] }, false)).toBe('segment_match');
    expect(reason({ excludes: [ID] }, true)).toBe('default');
    expect(reason({ includes: [ID], excludes: [ID] }, true)).toBe('default');
  });

  it('says what each of several flags needs, also through prerequisites that it evaluated before', () => {
    const needy = aFlag({ key: 'a', rules: [aRule({ conditions: { is_payer: true } })] });
    const waiting = { ...aFlag({ key: 'b', rules: [aRule()] }), prerequisites: [{ flagKey: 'a', value: false }] };
    const chain = { ...aFlag({ key: 'c', rules: [aRule()] }), prerequisites: [{ flagKey: 'b', value: true }] };
    const { evaluator } = setUp([needy, waiting, chain, aFlag({ key: 'd' })]);
    for (const keys of [undefined, ['d', 'c', 'b', 'a'], ['b', 'd', 'c', 'a']]) {
      const results = evaluator.evaluateAll(keys, { id: ID }, undefined, NOW_MS);
      const needs = Object.fromEntries([...results].map(([key, { missing }]) => [key, missing]));
      expect(needs).toEqual({ a: ['is_payer'], b: ['is_payer'], c: ['is_payer'], d: undefined });
    }
  });

  it('derives the id of a player from its external_id, as the service does', () => {
    const { evaluator } = setUp([], [], { environment: 'test', player_namespace: NAMESPACE });
    const remote = playerIdOf({ namespace: NAMESPACE, environment: 'test' }, 'player_12345');
    expect(evaluator.playerIdOf({ external_id: 'player_12345' })).toBe(remote);
    expect(evaluator.playerIdOf({ id: ID.toUpperCase(), external_id: 'x' })).toBe(ID);
    expect(evaluator.playerIdOf({ id: 'x' })).toBeUndefined();
    expect(setUp([]).evaluator.playerIdOf({ external_id: 'x' })).toBeUndefined();
  });

  it('serves overrides as they are given', () => {
    const { evaluate } = setUp([aSplitFlag({ a: 1, b: 1 })]);
    expect(evaluate('new-shop', { id: ID, overrides: { 'new-shop': 'b' } })).toMatchObject({
      value: 'b',
      variant: 'b',
      reason: 'player_override',
    });
  });

  it('never throws, whatever it is given', () => {
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    let deep: unknown = 1;
    for (let turn = 0; turn < 100_000; turn++) deep = [deep];
    const hostile = new Proxy(
      {},
      {
        get: () => {
          throw new Error('hostile');
        },
      },
    );
    const rules = [aRule({ conditions: { 'attributes.a': 1, 'context.a': 1, days_since_first_seen: 1 } })];
    const { evaluate, evaluator } = setUp([aFlag({ rules })]);
    const inputs: unknown[] = [
      {},
      { id: 7 },
      { id: ID, attributes: cycle },
      { id: ID, attributes: { a: deep } },
      { id: ID, attributes: { a: 1n } },
      { id: ID, attributes: { a: 1 }, first_seen_at: 'yesterday' },
      { id: ID, attributes: { a: 1 }, first_seen_at: new Date(NaN) },
      hostile,
      { id: ID, segments: 7 },
    ];
    for (const input of inputs) {
      const result = evaluate('new-shop', Object(input), { a: 1 });
      expect(['invalid_input', result.value]).toEqual([result.reason, undefined]);
      const all = evaluator.evaluateAll(['new-shop', 'gone'], Object(input), { a: 1 }, NOW_MS);
      expect([all.get('new-shop')?.reason, all.get('gone')?.reason]).toEqual(['invalid_input', 'flag_not_found']);
    }
    for (const context of [cycle, { a: deep }, { a: 1n }, []]) {
      expect(evaluate('new-shop', { id: ID, attributes: {} }, Object(context)).reason).toBe('invalid_input');
    }
    const keys = { __proto__: null, constructor: 1, hasOwnProperty: 1, toString: 1 };
    expect(evaluate('new-shop', { id: ID, attributes: keys, first_seen_at: new Date(0) }).reason).toBe('default');
    expect(evaluate('constructor').reason).toBe('flag_not_found');
  });

  it('reads a context as JSON, which is what the service would get', () => {
    const { evaluate } = setUp([
      aFlag({ rules: [aRule({ conditions: { 'context.at': '1970-01-01T00:00:00.000Z' } })] }),
    ]);
    expect(evaluate('new-shop', { id: ID }, { at: new Date(0) }).value).toBe(true);
    const exists = setUp([aFlag({ rules: [aRule({ conditions: { 'context.a': { $exists: true } } })] })]);
    for (const a of [undefined, NaN, Infinity, () => 1, null])
      expect(exists.evaluate('new-shop', { id: ID }, { a }).value).toBe(false);
  });

  it('serves the default of a flag that does not compile, and others as ever', () => {
    const broken = { ...aFlag({ key: 'a', defaultValue: true }), rules: [aRule({ conditions: { $where: 1 } })] };
    const { evaluate, faults } = setUp([broken, aFlag({ key: 'b' })]);
    expect(evaluate('a')).toMatchObject({ value: true, reason: 'flag_disabled' });
    expect(evaluate('b').reason).toBe('default');
    expect(faults).toHaveLength(1);
  });

  it('gives values that nobody can change', () => {
    const value = { rows: [{ x: 1 }] };
    const variants = [{ key: 'v', value, weight: 1 }];
    const { evaluate } = setUp([aFlag({ flagType: 'json', variants, rules: [aRule()] })]);
    const result = evaluate('new-shop');
    expect(result.value).toEqual(value);
    expect(() => Object.assign(Object(result.value).rows[0], { x: 2 })).toThrow(TypeError);
    expect(evaluate('new-shop')).toBe(result);
  });
});

describe('definitions', () => {
  it('of another format or shape are refused', () => {
    const good = { format: 1, revision: 1, flags: [], segments: [] };
    expect(readDefinitions(good)).toMatchObject({ revision: 1 });
    expect(readDefinitions({ ...good, format: 2 })).toContain('Update it');
    for (const bad of [
      null,
      'x',
      { ...good, revision: 'x' },
      { ...good, flags: {} },
      { ...good, flags: [null] },
      { ...good, flags: [{ key: 'a' }] },
      { ...good, segments: [{}] },
    ]) {
      expect(typeof readDefinitions(bad)).toBe('string');
    }
  });

  it('that did not change are not compiled again', () => {
    const { compiler } = setUp([]);
    const wire = (enabled: boolean) => JSON.parse(JSON.stringify(writeFlag(aFlag({ enabled }))));
    const compile = (flag: WireFlag) =>
      compiler.compile({ revision: 1, players: undefined, holdout: undefined, flags: [flag], segments: [] });
    const first = compile(wire(true)).flags.get('new-shop');
    expect(compile(wire(true)).flags.get('new-shop')).toBe(first);
    expect(compile(wire(false)).flags.get('new-shop')).not.toBe(first);
  });
});
