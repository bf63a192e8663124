import { describe, expect, it } from 'vitest';
import type { FilterCondition } from '../../../core/vocabulary/documents/documents.ts';
import { filterFaults, webhookWarnings } from './filter-rules.ts';

type Filters = Record<string, FilterCondition>;
const faults = (filters: Filters, events: string[]) => filterFaults(filters, events).map(({ path }) => path);
const warned = (filters: Filters, events: string[]) => webhookWarnings(filters, events).map(({ path }) => path);

describe('a filter', () => {
  it.each<[string[], string]>([
    [['level_up'], 'properties.level'],
    [['level_up'], 'properties.a.b.c'],
    [['level_up'], 'event_name'],
    [['event.*'], 'external_id'],
    [['*'], 'attributes.vip'],
    [['player.*'], 'changed'],
    [['player.created'], 'lifecycle_stage'],
    [['player.lifecycle_changed'], 'to'],
    [['flag.evaluated'], 'value.price'],
    [['churn.risk_high'], 'risk_score'],
    [['campaign.triggered'], 'campaign_id'],
    [['campaign.triggered'], 'content.data.reward'],
  ])('of %j may read %s', (events, path) => {
    expect(faults({ [path]: { eq: 1 } }, events)).toEqual([]);
    expect(warned({ [path]: { eq: 1 } }, events)).toEqual([]);
  });

  it.each<[string[], string, string]>([
    [['level_up'], 'data.properties.n', 'write `properties.n`'],
    [['level_up'], 'n', '`properties.n`'],
    [['level_up'], 'attributes.n', 'is in no payload'],
    [['level_up'], 'external_id.n', 'is in no payload'],
    [['level_up'], 'propertis.n', 'is in no payload'],
    [['level_up'], '', 'is in no payload'],
    [['level_up'], '__proto__', 'is in no payload'],
    [['player.created'], 'properties.n', 'is in no payload'],
    [['player.updated'], 'changed.0', 'is in no payload'],
    [['player.segment_entered'], 'segment', 'is in no payload'],
    [['churn.risk_high'], 'score', 'is in no payload'],
  ])('of %j on %j can never match', (events, path, message) => {
    expect(filterFaults({ [path]: { eq: 1 } }, events)).toMatchObject([{ message: expect.stringContaining(message) }]);
    // It would let everything pass.
    expect(faults({ [path]: { ne: 1 } }, events)).toHaveLength(1);
  });

  it.each<FilterCondition>([
    { gt: 5, lt: 3 },
    { gt: 5, lte: 5 },
    { gte: 5, lt: 5 },
    { exists: false, gt: 1 },
    { exists: false, eq: 'a' },
    { eq: 'a', ne: 'a' },
    { eq: 'a', in: ['b'] },
    { eq: 'a', nin: ['a'] },
  ])('with %j excludes itself', (condition) => {
    expect(faults({ 'properties.n': condition }, ['e'])).toEqual(['/filters/properties.n']);
  });

  it.each<FilterCondition>([
    { gte: 5, lte: 5 },
    { gt: 3, lt: 5 },
    { exists: true, eq: 'a' },
    { exists: false, ne: 'a' },
    { eq: 'a', in: ['a', 'b'] },
    { ne: 'a', nin: ['b'] },
  ])('with %j may match', (condition) => {
    expect(faults({ 'properties.n': condition }, ['e'])).toEqual([]);
  });
});

describe('a warning', () => {
  it.each([
    'level_*',
    'event.level_*',
    '*.created',
    'EVENT.*',
    ' level_up',
    'level_up ',
    'events.level_up',
    'player_created',
    'PlayerSegmentEntered',
  ])('is given for the kind %j', (event) => {
    expect(warned({}, ['level_up', event])).toEqual(['/events/1']);
  });

  it.each(['*', 'event.*', 'player.*', 'level_up', 'event.level_up', 'boss.defeated', 'player.created', 'a b'])(
    'is not given for the kind %j',
    (event) => {
      expect(warned({}, [event])).toEqual([]);
    },
  );

  it.each(['properties.list[0]', 'properties.list[*].a', 'properties.list[]', 'properties..n', 'properties.'])(
    'is given for the path %j',
    (path) => {
      expect(warned({ [path]: { eq: 1 } }, ['e'])).toEqual([`/filters/${path}`]);
    },
  );

  it('is given for a path into a list, and for a field that one of the kinds lacks', () => {
    expect(warned({ 'properties.list.0': { eq: 1 } }, ['e'])).toEqual(['/filters/properties.list.0']);
    expect(webhookWarnings({ 'properties.n': { eq: 1 } }, ['e', 'player.created'])).toEqual([
      { path: '/filters/properties.n', message: 'is a field that player.created does not have' },
    ]);
  });
});
