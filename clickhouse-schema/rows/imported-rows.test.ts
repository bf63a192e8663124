import { array, assert as assertProperty, constantFrom, integer, option, property, record, string } from 'fast-check';
import { expect, it } from 'vitest';
import { aPlayer } from '../../actors/testing-players.ts';
import type { EventsImported } from '../../core/vocabulary/facts/import-facts.ts';
import { createEventPacker } from '../../core/vocabulary/facts/pack-events.ts';
import { someEvents, unpackEvents, type PlainEvent } from '../../core/vocabulary/facts/packed-events.ts';
import { aCommit } from '../../streams/sinks/testing-commits.ts';
import { readNativeBlock } from '../../test/support/wire/native-block.ts';
import { withZeros } from '../../test/support/wire/tab-separated.ts';
import { createRowBatch } from './row-batch.ts';
import { rowsOf } from './rows.ts';
import { TABLES } from './tables/tables.ts';

const pack = createEventPacker();
const PLACE = { stream: '2026-01-01T00:00:00.5Z', sequence: 9, index: 0, partition: 1 };
const text = string({ unit: constantFrom('a', '"', '\n', 'ü', '€', '🎮', '\u0000'), maxLength: 200 });
const anyEvent = record({
  at: integer({ min: Date.UTC(2000, 0, 1), max: Date.UTC(2026, 0, 1) }),
  eventId: text,
  eventName: text,
  properties: text,
  sessionId: option(text),
});

function factOf(events: readonly PlainEvent[], payerFrom: number): EventsImported {
  const { id: entityId, game, environment, externalId } = aPlayer();
  const times = events.map(({ at }) => at);
  return {
    kind: 'EventsImported',
    entityId,
    game,
    environment,
    at: Date.UTC(2026, 0, 2),
    externalId,
    country: 'DE',
    ...(payerFrom % 2 === 0 ? {} : { playedWith: { platform: 'ios', build: '240' } }),
    packed: pack(events),
    fromAt: Math.min(...times),
    toAt: Math.max(...times),
    payerFrom,
    tallies: [],
  };
}

it('packed events are what was packed, and some of them what was wanted', () => {
  assertProperty(
    property(array(anyEvent, { maxLength: 40 }), (events) => {
      const packed = pack(events);
      expect(unpackEvents(packed)).toEqual(events);
      const isWanted = (place: number) => place % 3 !== 1;
      expect(unpackEvents(someEvents(packed, isWanted))).toEqual(events.filter((_, place) => isWanted(place)));
    }),
    { numRuns: 50 },
  );
});

it('imported events become the same rows at once as one by one, in one month and in several', () => {
  assertProperty(
    property(
      array(anyEvent, { minLength: 1, maxLength: 20 }),
      integer({ min: 0, max: 21 }),
      constantFrom(true, false),
      (drawn, payerFrom, inOneMonth) => {
        const events = drawn.map((event) =>
          inOneMonth ? { ...event, at: Date.UTC(2024, 1, 1) + (event.at % 86_400_000) } : event,
        );
        const fact = factOf(events, Math.min(payerFrom, events.length));
        const batch = createRowBatch();
        batch.add(aCommit([fact]), PLACE);
        const { types } = TABLES.events;
        const expected = rowsOf(fact, PLACE).map(([, values]) => withZeros(types, values));
        const found = batch.blocks().flatMap(({ bytes }) => readNativeBlock(bytes).rows);
        expect(batch.rows).toBe(events.length);
        const sorted = (rows: readonly unknown[]) => rows.map(shown).toSorted();
        expect(sorted(found)).toEqual(sorted(expected));
      },
    ),
    { numRuns: 50 },
  );
});

it('each imported row has a place of its own, and names the FACTS that holds it', () => {
  const event = { at: Date.UTC(2024, 0, 1), eventId: 'e', eventName: 'n', properties: '{}', sessionId: null };
  const rows = rowsOf(factOf([event, event, event], 1), { ...PLACE, index: 4 });
  const column = (name: string) => rows.map(([, values]) => values[TABLES.events.columns.indexOf(name)]);
  expect(column('facts_index')).toEqual([4, 4 + 65_536, 4 + 2 * 65_536]);
  expect(column('facts_created')).toEqual(rows.map(() => BigInt(Date.parse(PLACE.stream))));
  expect(column('is_payer')).toEqual([false, true, true]);
  const device = ['country', 'platform', 'app_version', 'build'].map((name) => column(name)[2]);
  expect(device).toEqual(['DE', 'ios', '', '240']);
});

it('a player that says when it was first seen has a row with that time', () => {
  const { id: entityId, game, environment } = aPlayer();
  const base = {
    kind: 'PlayerImported',
    entityId,
    game,
    environment,
    at: Date.UTC(2026, 0, 2),
    player: aPlayer(),
  } as const;
  const begunAt = Date.UTC(2024, 0, 1);
  const rows = rowsOf({ ...base, begunAt }, PLACE);
  expect(
    rows.map(([table, values]) => [table, values[TABLES.player_beginnings.columns.indexOf('first_seen_at')]]),
  ).toEqual([['player_beginnings', begunAt]]);
  expect(rowsOf(base, PLACE)).toEqual([]);
});

/** Integers of 64 bits are read as bigints. */
function shown(row: unknown): string {
  return JSON.stringify(row, (_, value: unknown) => (typeof value === 'bigint' ? Number(value) : value));
}

it('imported events have extracted values, each of its own properties', () => {
  const documents = ['{"level":1}', '{}', '{"level":"x"}'];
  const events = documents.map((properties, place) => {
    return { at: Date.UTC(2024, 1, 1) + place, eventId: `e${place}`, eventName: 'a', properties, sessionId: null };
  });
  const batch = createRowBatch();
  batch.add(aCommit([factOf(events, 1)]), { stream: PLACE.stream, sequence: 9, extractedOf: () => ['level'] });
  const [block] = batch.blocks();
  const place = TABLES.events.columns.indexOf('extracted_1');
  const { rows } = readNativeBlock(block?.bytes ?? new Uint8Array());
  expect(rows.map((row) => row[place])).toEqual(['"level":n1', '"level":-', '"level":sx']);
});
