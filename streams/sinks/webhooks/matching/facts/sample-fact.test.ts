import { describe, expect, it } from 'vitest';
import { WEBHOOK_KINDS, type DataShape } from '../../../../../core/vocabulary/documents/webhook-kinds.ts';
import { cataloguedKinds } from '../../../../config/webhooks/webhook-patterns.ts';
import { LIFECYCLE_STAGES } from '../../../../../core/vocabulary/state/lifecycle-stages.ts';
import { occurrenceOf } from '../../record/occurrences.ts';
import { sampleFact } from './sample-fact.ts';

const AT = Date.UTC(2026, 0, 15, 10, 30);

const isText = (value: unknown) => typeof value === 'string';
const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);
const HOLDS: Readonly<Record<DataShape, (value: unknown) => boolean>> = {
  text: isText,
  'text or null': (value) => value === null || isText(value),
  'text or absent': (value) => value === undefined || isText(value),
  number: (value) => typeof value === 'number',
  'number or null': (value) => value === null || typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  stage: (value) => LIFECYCLE_STAGES.some((stage) => stage === value),
  'churn level': isText,
  'churn factors': (value) => Array.isArray(value) && value.every(isObject),
  texts: (value) => Array.isArray(value) && value.every(isText),
  object: isObject,
  'object or null': (value) => value === null || isObject(value),
  any: (value) => value !== undefined,
};

/** What a webhook for `events` would be told of it. */
function reportedOf(events: string[]) {
  const occurrence = occurrenceOf(sampleFact(events, 'demo', 'live', AT));
  if (occurrence === undefined) throw new Error('nobody is told of it');
  const data: Record<string, unknown> = JSON.parse(occurrence.data());
  return { ...occurrence, data };
}

describe('a sample', () => {
  it.each([
    [['event.level_up', 'player.created'], 'event.level_up'],
    [['level_up'], 'event.level_up'],
    [['event.*'], 'event.sample_event'],
    [['player.*'], 'player.created'],
    [['*'], 'event.sample_event'],
    [['__proto__'], 'event.__proto__'],
    [['event.player.created'], 'event.player.created'],
  ])('for %j is of kind %s', (events, type) => {
    expect(reportedOf(events).type).toBe(type);
  });

  it('is there for every kind of the catalogue, about a player that nobody registered', () => {
    for (const kind of cataloguedKinds(['*'])) {
      const { type, timestamp, data } = reportedOf([kind]);
      const declared: Readonly<Record<string, DataShape>> = WEBHOOK_KINDS[kind].data;
      const fields = Object.keys(declared).filter((field) => declared[field] !== 'text or absent');
      expect(Object.keys(data).toSorted(), kind).toEqual(fields.toSorted());
      for (const [field, shape] of Object.entries(declared)) {
        expect(data[field], `${kind} ${field}`).toSatisfy((value) => HOLDS[shape](value));
      }
      expect(type).toBe(kind === 'event.*' ? 'event.sample_event' : kind);
      expect(timestamp).toBe(AT);
      // Of an experiment no player is told.
      if ('player_id' in declared) expect(data['player_id']).toBe('00000000-0000-4000-8000-000000000000');
      if ('external_id' in declared) expect(data['external_id']).toBe('sample-player');
    }
  });
});
