import { describe, expect, it } from 'vitest';
import { cataloguedKinds, WEBHOOK_DATA } from '../../../../config/webhooks/webhook-data.ts';
import { occurrenceOf } from '../../record/occurrences.ts';
import { sampleFact } from './sample-fact.ts';

const AT = Date.UTC(2026, 0, 15, 10, 30);

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
      const declared = WEBHOOK_DATA[kind];
      // The sample of an exposure follows from no segment.
      const fields = Object.keys(declared).filter((field) => field !== 'segment_id' || kind !== 'flag.evaluated');
      expect(Object.keys(data).toSorted(), kind).toEqual(fields.toSorted());
      for (const [field, shape] of Object.entries(declared)) {
        const isObject = typeof data[field] === 'object' && data[field] !== null && !Array.isArray(data[field]);
        expect([Array.isArray(data[field]), isObject], `${kind} ${field}`).toEqual([
          shape === 'list',
          shape === 'object',
        ]);
      }
      expect(type).toBe(kind === 'event.*' ? 'event.sample_event' : kind);
      expect(timestamp).toBe(AT);
      expect(data).toMatchObject({
        player_id: '00000000-0000-4000-8000-000000000000',
        external_id: 'sample-player',
      });
    }
  });
});
