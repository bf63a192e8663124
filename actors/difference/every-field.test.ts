import { describe, expect, it } from 'vitest';
import { isObject, type Json, type JsonObject } from '../../core/kernel/text/json.ts';
import type { AnnotationDocument } from '../../core/vocabulary/documents/annotation.ts';
import type {
  CampaignDocument,
  EventSchemaDocument,
  FlagDocument,
  FlagRule,
  PropertyDocument,
  SegmentDocument,
  WebhookDocument,
} from '../../core/vocabulary/documents/documents.ts';
import type { ExperimentDocument, GuardrailAlert } from '../../core/vocabulary/documents/experiments.ts';
import type { GameDocument } from '../../core/vocabulary/documents/game.ts';
import type { SavedQueryDocument } from '../../core/vocabulary/documents/saved-query.ts';
import { differenceOf, MAINTAINED } from './difference.ts';

/* A change of any one field is said. A field that is new must be written here: the compiler asks for it. */

/** For each field two values, and what is said of the change. */
type Changes<Document> = {
  [Field in keyof Document]-?: [before: Document[Field], after: Document[Field], ...lines: string[]];
};

const MARK = { id: 'm', bodyHash: 'h', at: 1 };
const LABELS: Changes<Required<Pick<FlagDocument, 'owner' | 'tags' | 'note' | 'managedBy' | 'effective'>>> = {
  owner: ['ann', 'ben', 'Owner: “ann” → “ben”'],
  tags: [['a'], ['b'], 'Tags: added “b”; removed “a”'],
  note: ['x', 'y', 'Note: “x” → “y”'],
  managedBy: [{ by: 'one', version: 1 }, { by: 'two', version: 1 }, 'Managed by: “one” → “two”'],
  effective: [
    { version: 1, revision: 1, at: 1 },
    { version: 2, revision: 2, at: 2 },
  ],
};
const WRITTEN = {
  createdAt: [1, 2],
  updatedAt: [1, 2],
  version: [1, 2],
  writes: [[], [MARK]],
} satisfies Pick<Changes<FlagDocument>, 'createdAt' | 'updatedAt' | 'version' | 'writes'>;
const RULE: FlagRule = {
  name: '',
  segmentId: null,
  value: true,
  percentage: 20,
  priority: 0,
  startAt: null,
  endAt: null,
};
const ALERT: GuardrailAlert = {
  metric: { aggregate: 'revenue' },
  worse: 'lower',
  margin: 0,
  action: 'pause',
  version: 3,
  state: 'paused',
  phase: 1,
  variant: 'b',
  lift: -0.05,
  low: -0.08,
  high: -0.01,
  at: 0,
};

const flag: Changes<FlagDocument> = {
  ...LABELS,
  ...WRITTEN,
  key: ['a', 'b', 'Key: “a” → “b”'],
  name: ['A', 'B', 'Name: “A” → “B”'],
  description: ['', 'B', 'Description: none → “B”'],
  flagType: ['string', 'json', 'Flag type: “string” → “json”'],
  enabled: [true, false, 'Disabled'],
  defaultValue: [{ price: 4.99 }, { price: 0.99 }, 'Default value, price: 4.99 → 0.99'],
  defaultServe: [
    { variant: 'a' },
    { weights: [{ key: 'b', weight: 1 }] },
    'Default serve, variant: “a” → none',
    'Default serve, weights: none → “b” 1',
  ],
  salt: ['s', 't', 'Salt: “s” → “t”'],
  bucketBy: ['player', 'attribute:guild', 'Bucket by: “player” → “attribute:guild”'],
  variants: [[{ key: 'a', value: 1, weight: 1 }], [{ key: 'a', value: 1, weight: 3 }], 'Variant “a”, weight: 1 → 3'],
  rules: [[RULE], [{ ...RULE, percentage: 100 }], 'Rule 1: 20 % → 100 %'],
  prerequisites: [
    [{ flagKey: 'x', value: true }],
    [{ flagKey: 'x', variantKey: 'b' }],
    'Prerequisite “x”, variant key: none → “b”',
    'Prerequisite “x”, value: yes → none',
  ],
  endsAt: [0, 86_400_000, 'Ends at: 1970-01-01T00:00:00.000Z → 1970-01-02T00:00:00.000Z'],
  archivedAt: [null, 1, 'Archived'],
  clientVisible: [true, false, 'Client visible: yes → no'],
  shippedBy: [
    { experiment: 'e', variant: 'a', version: 1, by: 'rule', audience: { segmentId: null } },
    { experiment: 'f', variant: 'a', version: 1, by: 'rule', audience: { segmentId: null } },
  ],
  editEffect: ['none', 'moves'],
  periods: [[], [{ period: 1, version: 1, since: 1 }]],
};

const rule: Changes<FlagRule> = {
  name: ['Old', 'New', 'Rule 1 “New”, name: “Old” → “New”'],
  segmentId: [null, 'seg_1', 'Rule 1, segment id: none → “seg_1”'],
  conditions: [{ isPayer: true }, { isPayer: false }, 'Rule 1, conditions, isPayer: yes → no'],
  value: [true, false, 'Rule 1, value: yes → no'],
  serve: [
    {
      weights: [
        { key: 'a', weight: 1 },
        { key: 'b', weight: 1 },
      ],
    },
    {
      weights: [
        { key: 'a', weight: 1 },
        { key: 'b', weight: 9 },
      ],
    },
    'Rule 1, serve, weights, b: 1 → 9',
  ],
  salt: ['s', 't', 'Rule 1, salt: “s” → “t”'],
  bucketBy: ['player', 'device', 'Rule 1, bucket by: “player” → “device”'],
  percentage: [0.5, 1, 'Rule 1: 0.5 % → 1 %'],
  priority: [0, 1, 'Rule 1, priority: 0 → 1'],
  startAt: [null, 0, 'Rule 1, start at: none → 1970-01-01T00:00:00.000Z'],
  endAt: [0, null, 'Rule 1, end at: 1970-01-01T00:00:00.000Z → none'],
};

const segment: Changes<SegmentDocument> = {
  ...LABELS,
  ...WRITTEN,
  id: ['seg_1', 'seg_2'],
  key: ['a', 'b', 'Key: “a” → “b”'],
  name: ['A', 'B', 'Name: “A” → “B”'],
  description: ['', 'B', 'Description: none → “B”'],
  conditions: [{ country: 'DE' }, { country: 'FR' }, 'Conditions, country: “DE” → “FR”'],
  list: [{ load: 'l', players: 2, loadedAt: 1 }, { load: 'm', players: 2, loadedAt: 2 }, 'List: others, 2 players'],
  includes: [['6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11'], [], 'Includes: 1 → 0 players'],
  excludes: [[], ['6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11'], 'Excludes: 0 → 1 players'],
  enabled: [false, true, 'Enabled'],
};

const experiment: Changes<ExperimentDocument> = {
  ...LABELS,
  ...WRITTEN,
  key: ['a', 'b', 'Key: “a” → “b”'],
  name: ['A', 'B', 'Name: “A” → “B”'],
  hypothesis: ['', 'It sells.', 'Hypothesis: none → “It sells.”'],
  flagKey: ['a', 'b', 'Flag key: “a” → “b”'],
  mode: ['ab', 'aa', 'Mode: “ab” → “aa”'],
  audience: [
    { segmentId: null },
    { segmentId: 'seg_1', conditions: { isPayer: true } },
    'Audience, segment id: none → “seg_1”',
    'Audience, conditions: none → {"isPayer":true}',
  ],
  traffic: [50, 100, 'Traffic: 50 % → 100 %'],
  variants: [
    [{ key: 'a', weight: 1 }],
    [{ key: 'b', weight: 1 }],
    'Variant “b” added: weight 1',
    'Variant “a” removed',
  ],
  bucketBy: ['player', 'device', 'Bucket by: “player” → “device”'],
  salt: ['s', 't', 'Salt: “s” → “t”'],
  layer: [
    { key: 'shop', from: 0, to: 20 },
    { key: 'shop', from: 10, to: 50 },
    'Layer, from: 0 % → 10 %',
    'Layer, to: 20 % → 50 %',
  ],
  primary: [null, { aggregate: 'revenue', cuped: true }, 'Primary: none → aggregate “revenue”, cuped yes'],
  guardrails: [
    [{ metric: { aggregate: 'revenue' }, worse: 'lower', margin: 0, action: 'notify' }],
    [{ metric: { aggregate: 'revenue' }, worse: 'lower', margin: 0.02, action: 'pause' }],
    'Guardrail “revenue”, margin: 0 → 0.02',
    'Guardrail “revenue”, action: “notify” → “pause”',
  ],
  plan: [
    { alpha: 0.05, power: 0.8, mde: null, endsAt: null },
    { alpha: 0.05, power: 0.9, mde: 0.1, endsAt: 0 },
    'Plan, power: 0.8 → 0.9',
    'Plan, mde: none → 0.1',
    'Plan, ends at: none → 1970-01-01T00:00:00.000Z',
  ],
  state: ['draft', 'running', 'State: “draft” → “running”'],
  alerts: [
    [],
    [ALERT],
    'Finding of guardrail “revenue” added: worse “lower”, margin 0, action “pause”, version 3, state “paused”, ' +
      'phase 1, variant “b”, lift -0.05, low -0.08, high -0.01, at 1970-01-01T00:00:00.000Z',
  ],
  guardrailShares: [
    { atStart: 1, added: 0, numbers: {} },
    { atStart: 1, added: 1, numbers: { a: 1 } },
  ],
  winner: [null, 'b', 'Winner: none → “b”'],
  shipping: [null, { flagVersion: 2, at: 1 }],
  phases: [[], [{ phase: 1, since: 1, variants: [] }]],
  startedAt: [null, 1],
  stoppedAt: [null, 1],
};

const campaign: Changes<CampaignDocument> = {
  ...LABELS,
  ...WRITTEN,
  id: ['cmp_1', 'cmp_2'],
  key: ['a', 'b', 'Key: “a” → “b”'],
  name: ['A', 'B', 'Name: “A” → “B”'],
  enabled: [false, true, 'Enabled'],
  trigger: [
    { kind: 'schedule', at: 0 },
    { kind: 'schedule', at: 1 },
    'Trigger, at: 1970-01-01T00:00:00.000Z → 1970-01-01T00:00:00.001Z',
  ],
  audience: [null, 'seg_1', 'Audience: none → “seg_1”'],
  content: [
    {
      title: 'A',
      body: 'x',
      cta: 'Go',
      data: { coins: 1 },
      buttons: [{ id: 'take', label: 'Take', action: 'dismiss' }],
      locales: { 'de-AT': { title: 'A', buttonLabels: { take: 'Nimm' } } },
    },
    {
      title: 'B',
      body: 'x',
      cta: 'Go',
      data: { coins: 2 },
      buttons: [
        { id: 'take', label: 'Get', action: 'dismiss' },
        { id: 'later', label: 'Later', action: 'dismiss' },
      ],
      locales: { 'de-AT': { title: 'A', deepLink: 'game://a', buttonLabels: { take: 'Hol' } } },
    },
    'Content, title: “A” → “B”',
    'Content, data, coins: 1 → 2',
    'Content, buttons, take, label: “Take” → “Get”',
    'Content, buttons, later: none → label “Later”, action “dismiss”',
    'Content, locales, de-AT, button labels, take: “Nimm” → “Hol”',
    'Content, locales, de-AT, deep link: none → “game://a”',
  ],
  variants: [
    [{ key: 'a', weight: 1 }],
    [
      { key: 'a', weight: 2 },
      { key: 'b', weight: 1, content: { title: 'B', body: 'x', cta: '' } },
    ],
    'Variant “a”, weight: 1 → 2',
    'Variant “b” added: weight 1, content title “B”, body “x”, cta none',
  ],
  tested: [
    { since: 1, variants: [] },
    { since: 2, variants: [] },
  ],
  displayRules: [
    { priority: 'high', dismissAfterSeconds: 5 },
    { priority: 'high', dismissAfterSeconds: 9 },
    'Display rules, dismiss after seconds: 5 → 9',
  ],
  caps: [{ total: 1, perDay: 1 }, { total: 1, perDay: null }, 'Caps, per day: 1 → none'],
  cooldownSeconds: [0, 60, 'Cooldown seconds: 0 → 60'],
  quietHours: [null, { from: '22:00', to: '07:00' }, 'Quiet hours: none → from “22:00”, to “07:00”'],
  holdoutPercentage: [0, 10, 'Holdout percentage: 0 % → 10 %'],
  expiresAfterSeconds: [60, 90, 'Expires after seconds: 60 → 90'],
  startAt: [null, 0, 'Start at: none → 1970-01-01T00:00:00.000Z'],
  endAt: [null, 0, 'End at: none → 1970-01-01T00:00:00.000Z'],
};

const webhook: Changes<WebhookDocument> = {
  ...LABELS,
  ...WRITTEN,
  id: ['wh_1', 'wh_2'],
  name: ['A', 'B', 'Name: “A” → “B”'],
  url: ['https://a.example/', 'https://b.example/', 'Url: “https://a.example/” → “https://b.example/”'],
  events: [['level_up'], ['purchase'], 'Events: added “purchase”; removed “level_up”'],
  secret: ['whsec_hidden1', 'whsec_hidden2', 'Secret: another one'],
  previousSecret: [
    { secret: 'whsec_hidden1', until: 1 },
    { secret: 'whsec_hidden2', until: 1 },
  ],
  enabled: [true, false, 'Disabled'],
  disabled: [{ at: 0, reason: 'gone' }, { at: 0, reason: 'failing' }, 'Disabled, reason: “gone” → “failing”'],
  headers: [
    { A: 'hidden1', B: 'x' },
    { A: 'hidden2', C: 'y' },
    'Headers: added “C”; removed “B”',
    'Headers: another value of “A”',
  ],
  retryPolicy: [
    { maxRetries: 4, backoff: 'linear' },
    { maxRetries: 5, backoff: 'linear' },
    'Retry policy, max retries: 4 → 5',
  ],
  filters: [{ 'data.levelUp': { gte: 5 } }, { 'data.levelUp': { gte: 6 } }, 'Filters, data.levelUp, gte: 5 → 6'],
  createdRevision: [1, 2],
};

const property: Changes<PropertyDocument> = {
  ...LABELS,
  ...WRITTEN,
  key: ['a', 'b', 'Key: “a” → “b”'],
  name: ['A', 'B', 'Name: “A” → “B”'],
  description: ['', 'B', 'Description: none → “B”'],
  event: ['a', 'b', 'Event: “a” → “b”'],
  where: [null, { 'properties.itemId': 'x' }, 'Where: none → {"properties.itemId":"x"}'],
  aggregate: ['count', 'sum', 'Aggregate: “count” → “sum”'],
  value: [null, 'properties.amount', 'Value: none → “properties.amount”'],
  withinDays: [7, 28, 'Within days: 7 → 28'],
};

const schema: Changes<EventSchemaDocument> = {
  ...LABELS,
  ...WRITTEN,
  eventName: ['a', 'b', 'Event name: “a” → “b”'],
  description: ['', 'B', 'Description: none → “B”'],
  schema: [{ maxProperties: 1 }, { maxProperties: 2 }, 'Schema, maxProperties: 1 → 2'],
  mode: ['observe', 'enforce', 'Mode: “observe” → “enforce”'],
};

const savedQuery: Changes<SavedQueryDocument> = {
  ...LABELS,
  ...WRITTEN,
  key: ['a', 'b', 'Key: “a” → “b”'],
  name: ['A', 'B', 'Name: “A” → “B”'],
  description: ['', 'B', 'Description: none → “B”'],
  query: [{ byDay: true }, { byDay: false }, 'Query, byDay: yes → no'],
  rangeDays: [null, 7, 'Range days: none → 7'],
};

const annotation: Changes<AnnotationDocument> = {
  ...LABELS,
  ...WRITTEN,
  id: ['ann_1', 'ann_2'],
  text: ['A', 'B', 'Text: “A” → “B”'],
  at: ['2026-01-15', '2026-01-16', 'At: “2026-01-15” → “2026-01-16”'],
  link: [null, { kind: 'flag', key: 'shop' }, 'Link: none → kind “flag”, key “shop”'],
  madeBy: [{ kind: 'user', id: 'a', email: '' }, { kind: 'user', id: 'b', email: '' }, 'Made by, id: “a” → “b”'],
};

const game: Changes<GameDocument> = {
  name: ['A', 'B', 'Name: “A” → “B”'],
  tenant: ['a', 'b'],
  namespace: ['a', 'b'],
  createdAt: [1, 2],
  version: [1, 2],
  clientPurchases: [true, false, 'Client purchases: yes → no'],
  clientAttributes: ['all', { listed: ['level'] }, 'Client attributes: “all” → listed ["level"]'],
  requirePlayerToken: [false, true, 'Require player token: no → yes'],
  approval: [false, true, 'Approval: no → yes'],
  approvalDays: [7, 14, 'Approval days: 7 → 14'],
  changeReason: [false, true, 'Change reason: no → yes'],
  timeZone: ['UTC', 'Europe/Berlin', 'Time zone: “UTC” → “Europe/Berlin”'],
  currency: ['', 'EUR', 'Currency: none → “EUR”'],
  revenue: ['all', 'verified', 'Revenue: “all” → “verified”'],
  extractedProperties: [['a'], ['a', 'b'], 'Extracted properties: added “b”'],
  holdoutPeriods: [[], [{ period: 1, since: 1, until: null, percentage: 5 }]],
  holdout: [{ percentage: 5, salt: 's' }, { percentage: 10, salt: 's' }, 'Holdout, percentage: 5 % → 10 %'],
  lifecycle: [{ newDays: 7 }, { newDays: 14 }, 'Lifecycle, new days: 7 → 14'],
};

const KINDS: Readonly<Record<string, Readonly<Record<string, readonly [unknown, unknown, ...string[]]>>>> = {
  flag,
  segment,
  experiment,
  campaign,
  webhook,
  property,
  schema,
  'saved query': savedQuery,
  annotation,
  game,
};

const jsonOf = (value: unknown): Json => JSON.parse(JSON.stringify(value ?? null));
const documentOf = (kind: string): JsonObject => {
  const fields = jsonOf(Object.fromEntries(Object.entries(KINDS[kind] ?? {}).map(([name, [one]]) => [name, one])));
  return isObject(fields) ? fields : {};
};
const CASES = Object.entries(KINDS).flatMap(([kind, fields]) =>
  Object.entries(fields).map(([field, [before, after, ...lines]]) => ({ kind, field, before, after, lines })),
);

describe('a change of one field', () => {
  it.each(CASES)('of a $kind is said: $field', ({ kind, field, before, after, lines }) => {
    const rest = documentOf(kind);
    const found = differenceOf({ ...rest, [field]: jsonOf(before) }, { ...rest, [field]: jsonOf(after) });
    expect(found).toEqual(lines);
    expect(found.length > 0).toBe(!MAINTAINED.has(field));
    expect(found.join()).not.toMatch(/hidden|6f0f5a3e|undefined|\[object/);
  });

  it.each(Object.entries(rule))('of a rule is said: %s', (field, [before, after, ...lines]) => {
    const [one, other] = [before, after].map((value) => ({ rules: [{ ...RULE, [field]: jsonOf(value) }] }));
    expect(differenceOf(jsonObjectOf(one), jsonObjectOf(other))).toEqual(lines);
  });
});

function jsonObjectOf(value: unknown): JsonObject {
  const json = jsonOf(value);
  return isObject(json) ? json : {};
}
