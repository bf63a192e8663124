import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../core/kernel/text/json.ts';
import { differenceOf } from './difference.ts';
import { DIFFERENCE_LIMITS } from './limits.ts';

const RULE = { name: '', segmentId: null, value: true, percentage: 20, priority: 0, startAt: null, endAt: null };
const FLAG = {
  key: 'shop',
  name: 'Shop',
  description: '',
  flagType: 'multivariate',
  enabled: true,
  defaultValue: null,
  salt: 's',
  variants: [
    { key: 'a', value: 'old', weight: 1 },
    { key: 'b', value: 'new', weight: 1 },
  ],
  rules: [RULE],
  prerequisites: [],
  createdAt: 1,
  updatedAt: 1,
  archivedAt: null,
  version: 1,
};
const SEGMENT = { id: 'seg_1', key: 'payers', name: 'Payers', conditions: { 'attributes.level': { $gte: 10 } } };
const CAMPAIGN = {
  id: 'cmp_1',
  trigger: { kind: 'event', event: 'level_failed' },
  content: { title: 'Hi', body: 'Text', cta: 'Go' },
  caps: { total: null, perDay: 2 },
  quietHours: null,
  holdoutPercentage: 10,
  endAt: null,
};
const WEBHOOK = { id: 'wh_1', url: 'https://a.example/', events: ['level_up', 'purchase'], headers: { A: '[hidden]' } };

const after = (before: JsonObject, some: { [name: string]: Json }) => ({
  ...before,
  version: 2,
  updatedAt: 2,
  ...some,
});

describe('the difference of two versions', () => {
  it.each<[string, JsonObject, { [name: string]: Json }, string[]]>([
    ['a wider rule', FLAG, { rules: [{ ...RULE, percentage: 100 }] }, ['Rule 1: 20 % → 100 %']],
    [
      'rules that are added, named and removed',
      { ...FLAG, rules: [RULE, { ...RULE, name: 'Testers', segmentId: 'seg_1' }] },
      {
        rules: [
          { ...RULE, name: 'Testers', segmentId: 'seg_2', endAt: 0 },
          { ...RULE, percentage: 50 },
        ],
      },
      [
        'Rule 1 “Testers”, segment id: “seg_1” → “seg_2”',
        'Rule 1 “Testers”, end at: none → 1970-01-01T00:00:00.000Z',
        'Rule 2: 20 % → 50 %',
        'Rules: another order',
      ],
    ],
    [
      'a rule that is added in front',
      FLAG,
      { rules: [{ ...RULE, name: 'New', percentage: 5 }, RULE] },
      ['Rule 1 “New” added: value yes, percentage 5 %, priority 0'],
    ],
    [
      'a rule that is removed',
      { ...FLAG, rules: [RULE, { ...RULE, priority: 1 }] },
      { rules: [RULE] },
      ['Rule 2 removed'],
    ],
    [
      'rules in another order',
      { ...FLAG, rules: [RULE, { ...RULE, priority: 1 }] },
      { rules: [{ ...RULE, priority: 1 }, RULE] },
      ['Rules: another order'],
    ],
    [
      'variants',
      FLAG,
      {
        variants: [
          FLAG.variants[0] ?? null,
          { key: 'b', value: 'new', weight: 3 },
          { key: 'c', value: 'x', weight: 0 },
        ],
      },
      ['Variant “b”, weight: 1 → 3', 'Variant “c” added: value “x”, weight 0'],
    ],
    [
      'a prerequisite',
      FLAG,
      { prerequisites: [{ flagKey: 'open', value: true }] },
      ['Prerequisite “open” added: value yes'],
    ],
    [
      'what new rules serve',
      FLAG,
      {
        rules: [
          RULE,
          { ...RULE, segmentId: 'seg_1', serve: { variant: 'b' } },
          {
            ...RULE,
            serve: {
              weights: [
                { key: 'a', weight: 9 },
                { key: 'b', weight: 1 },
              ],
            },
          },
          { ...RULE, serve: { value: { gemsGiven: 5 } } },
        ],
      },
      [
        'Rule 2 added: segment id “seg_1”, value yes, percentage 20 %, priority 0, serve variant “b”',
        'Rule 3 added: value yes, percentage 20 %, priority 0, serve weights “a” 9, “b” 1',
        'Rule 4 added: value yes, percentage 20 %, priority 0, serve value {"gemsGiven":5}',
      ],
    ],
    ['the switch', FLAG, { enabled: false, archivedAt: 5 }, ['Archived', 'Disabled']],
    ['the archive', { ...FLAG, archivedAt: 5 }, { archivedAt: null }, ['Restored from the archive']],
    ['a field that stands for its default', FLAG, { clientVisible: true }, []],
    ['who may see it', FLAG, { clientVisible: false }, ['Client visible: yes → no']],
    ['nothing', FLAG, {}, []],
    [
      'the condition of a segment',
      SEGMENT,
      { conditions: { 'attributes.level': { $gte: 20 }, is_payer: true }, enabled: true },
      ['Conditions, attributes.level, $gte: 10 → 20', 'Conditions, is_payer: none → yes'],
    ],
    ['players of a segment', SEGMENT, { includes: { players: 3 } }, ['Includes: 0 → 3 players']],
    [
      'a campaign',
      CAMPAIGN,
      {
        trigger: { kind: 'lifecycle', stage: 'at_risk' },
        content: { title: 'Hello', body: 'Text', cta: 'Go' },
        caps: { total: 5, perDay: 2 },
        quietHours: { from: '22:00', to: '07:00' },
        holdoutPercentage: 0,
        endAt: Date.UTC(2026, 0, 15),
      },
      [
        'Trigger, kind: “event” → “lifecycle”',
        'Trigger, event: “level_failed” → none',
        'Trigger, stage: none → “at_risk”',
        'Content, title: “Hi” → “Hello”',
        'Caps, total: none → 5',
        'Quiet hours: none → from “22:00”, to “07:00”',
        'Holdout percentage: 10 % → 0 %',
        'End at: none → 2026-01-15T00:00:00.000Z',
      ],
    ],
    [
      'a webhook',
      WEBHOOK,
      { events: ['level_up', 'player.*'], headers: {}, disabled: { at: 0, reason: 'failing' } },
      [
        'Events: added “player.*”; removed “purchase”',
        'Headers: removed “A”',
        'Disabled: none → at 1970-01-01T00:00:00.000Z, reason “failing”',
      ],
    ],
    [
      'an event schema',
      { eventName: 'e', mode: 'warn', schema: { type: 'object', required: ['a'], properties: { a: { maximum: 5 } } } },
      { mode: 'enforce', schema: { type: 'object', required: ['a', 'b'], properties: { a: { maximum: 9 } } } },
      ['Mode: “warn” → “enforce”', 'Schema, required: added “b”', 'Schema, properties, a, maximum: 5 → 9'],
    ],
    [
      'a computed property',
      { key: 'p', aggregate: 'count', withinDays: null },
      { withinDays: 7 },
      ['Within days: none → 7'],
    ],
    [
      'a saved query',
      { key: 'q', query: { kind: 'trend', by: 'country' }, rangeDays: 7 },
      { query: { by: 'country', kind: 'trend' }, rangeDays: 28 },
      ['Range days: 7 → 28'],
    ],
    [
      'an annotation',
      { id: 'ann_1', text: 'Releaze', link: null },
      { text: 'Release' },
      ['Text: “Releaze” → “Release”'],
    ],
    ['settings of a game', { name: 'Demo' }, { timeZone: 'Europe/Berlin' }, ['Time zone: none → “Europe/Berlin”']],
    ['an empty list instead of none', { text: null }, { extractedProperties: [], text: '' }, []],
    ['a list in another order', { events: ['a', 'b'] }, { events: ['b', 'a'] }, ['Events: another order']],
  ])('says %s', (_, before, some, lines) => {
    expect(differenceOf(before, after(before, some))).toEqual(lines);
  });

  it('says creation and deletion', () => {
    expect(differenceOf(undefined, FLAG)).toEqual(['Created']);
    expect(differenceOf(FLAG, undefined)).toEqual(['Deleted']);
    expect(differenceOf(undefined, undefined)).toEqual([]);
  });

  it('is bounded in lines and characters, and cuts no character in two', () => {
    const many = (n: number) =>
      Object.fromEntries(Array.from({ length: 100 }, (__, i) => [`f${i}`, `${n}${'😀'.repeat(200)}`]));
    const lines = differenceOf(many(1), many(2));
    expect(lines).toHaveLength(DIFFERENCE_LIMITS.lines);
    expect(lines.at(-1)).toBe('and 81 more differences');
    for (const line of lines) {
      expect(line.length).toBeLessThan(400);
      expect(line.isWellFormed()).toBe(true);
    }
  });

  it('reads the items of long lists a few times, not once for each item of the other list', () => {
    let reads = 0;
    const counting = (items: number[]) =>
      new Proxy(items, {
        get(target, name, receiver): unknown {
          reads += 1;
          return Reflect.get(target, name, receiver);
        },
      });
    const [before, after] = [0, 2_000].map((from) => counting(Array.from({ length: 2_000 }, (_, at) => from + at)));
    if (before === undefined || after === undefined) throw new Error('there are two');
    const lines = differenceOf({ defaultValue: before }, { defaultValue: after });
    expect(lines).toEqual([expect.stringMatching(/^Default value: added 2000, .* and 1990 more; removed 0, /)]);
    expect(reads).toBeLessThan(50 * 4_000);
  });
});
