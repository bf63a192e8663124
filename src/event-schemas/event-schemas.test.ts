import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { EventSchemaDocument, EventSchemaMode } from '../../core/vocabulary/documents/documents.ts';
import { eventSchemaKey } from '../../streams/config/event-schema-key.ts';
import { createMemoryConfigStore } from '../../test/support/in-memory/memory-config-store.ts';
import type { Clock } from '../../core/kernel/clock.ts';
import type { JsonObject } from '../../core/kernel/text/json.ts';
import { createEventSchemas } from './event-schemas.ts';

const LIVE = { game: 'demo', environment: 'live' } as const;
const TEST = { game: 'demo', environment: 'test' } as const;
const OTHER = { game: 'other', environment: 'live' } as const;

function setUp() {
  const config = createMemoryConfigStore();
  const errors: unknown[] = [];
  const turns: (() => void)[] = [];
  /** Turns of the event loop so far. */
  let turnsTaken = 0;
  const clock: Pick<Clock, 'timer'> = {
    timer(_delayMs, fn) {
      turns.push(fn);
      return () => {};
    },
  };
  const schemas = createEventSchemas(config, { error: (...line: unknown[]) => void errors.push(line) }, clock);

  /** One turn of the event loop; everything that waits for it runs. */
  async function turn(): Promise<void> {
    turnsTaken += 1;
    for (const fn of turns.splice(0)) fn();
    await setImmediate();
  }
  const addressOf = (eventName: string) => ({ ...LIVE, kind: 'event_schema', key: eventSchemaKey(eventName) }) as const;
  return {
    schemas,
    errors,
    /** Lets the event loop turn until the verdict is there. */
    validate: async (
      scope: typeof LIVE | typeof TEST | typeof OTHER,
      name: string,
      properties: Record<string, unknown>,
    ) => {
      const verdict = schemas.validate(scope, name, properties, JSON.stringify(properties).length);
      if (!(verdict instanceof Promise)) return verdict;
      const done: unknown[] = [];
      void verdict.then((each) => done.push(each));
      while (done.length === 0) await turn();
      return verdict;
    },
    turn,
    turnsTaken: () => turnsTaken,
    put: async (eventName: string, schema: JsonObject, mode: EventSchemaMode = 'enforce', version = 1) => {
      const document: EventSchemaDocument = {
        eventName,
        description: '',
        schema,
        mode,
        createdAt: 1,
        updatedAt: 1,
        version,
      };
      await config.put(addressOf(eventName), document);
    },
    remove: (eventName: string) => config.delete(addressOf(eventName)),
  };
}

const INTEGER = { properties: { level: { type: 'integer' } } };

describe('event schemas', () => {
  it('validate events of their name, game and environment only', async () => {
    const { validate, put } = setUp();
    await put('level_up', INTEGER, 'warn', 7);
    expect(await validate(LIVE, 'level_up', { level: 'x' })).toEqual({
      mode: 'warn',
      version: 7,
      faults: [{ path: '/level', message: 'must be integer' }],
    });
    expect(await validate(LIVE, 'level_up', { level: 3 })).toBeUndefined();
    expect(await validate(LIVE, 'level_down', { level: 'x' })).toBeUndefined();
    expect(await validate(TEST, 'level_up', { level: 'x' })).toBeUndefined();
    expect(await validate(OTHER, 'level_up', { level: 'x' })).toBeUndefined();
  });

  it('follow creations, changes and deletions', async () => {
    const { validate, put, remove } = setUp();
    expect(await validate(LIVE, 'ü * >', { level: 'x' })).toBeUndefined();
    await put('ü * >', INTEGER);
    expect(await validate(LIVE, 'ü * >', { level: 'x' })).toMatchObject({ version: 1 });
    await put('ü * >', { properties: { level: { type: 'string' } } }, 'enforce', 2);
    expect(await validate(LIVE, 'ü * >', { level: 'x' })).toBeUndefined();
    expect(await validate(LIVE, 'ü * >', { level: 3 })).toMatchObject({ version: 2 });
    await remove('ü * >');
    expect(await validate(LIVE, 'ü * >', { level: 3 })).toBeUndefined();
  });

  it('that do not compile are ignored and logged once', async () => {
    const { validate, put, errors } = setUp();
    await put('level_up', { later: 'keyword' });
    expect(await validate(LIVE, 'level_up', { level: 'x' })).toBeUndefined();
    expect(await validate(LIVE, 'level_up', { level: 'x' })).toBeUndefined();
    expect(errors).toHaveLength(1);
  });

  it('compile one step per turn of the event loop, however many events wait', async () => {
    const { schemas, put, turn, turnsTaken, validate } = setUp();
    await put('first', INTEGER);
    await validate(LIVE, 'first', { level: 'x' });
    const turnsOfOne = turnsTaken();
    expect(turnsOfOne).toBeGreaterThanOrEqual(6);

    const names = Array.from({ length: 10 }, (_, n) => `event_${n}`);
    for (const name of names) await put(name, INTEGER);
    const validated: unknown[] = [];
    // Two events of each name at once, as in requests of several callers.
    for (const name of [...names, ...names]) {
      const verdict = schemas.validate(LIVE, name, { level: 'x' }, 13);
      expect(verdict).toBeInstanceOf(Promise);
      void Promise.resolve(verdict).then((each) => validated.push(each));
    }
    const before = turnsTaken();
    for (let seen = 0; seen < 20; seen = validated.length) {
      await turn();
      expect(validated.length - seen, 'both events of at most one schema').toBeLessThanOrEqual(2);
    }
    // The meta-schema was compiled with the first schema.
    expect(turnsTaken() - before).toBeGreaterThanOrEqual(10 * (turnsOfOne - 2));
  });

  it('validate synchronously once they are compiled', async () => {
    const { schemas, put, validate } = setUp();
    await put('level_up', INTEGER);
    await validate(LIVE, 'level_up', { level: 'x' });
    expect(schemas.validate(LIVE, 'level_up', { level: 3 }, 11)).toBeUndefined();
    expect(schemas.validate(LIVE, 'level_up', { level: 'x' }, 13)).toMatchObject({ mode: 'enforce' });
  });

  it('do not follow changes after a stop', async () => {
    const { validate, put, schemas } = setUp();
    expect(await validate(LIVE, 'level_up', { level: 'x' })).toBeUndefined();
    schemas.stop();
    await put('level_up', INTEGER);
    expect(await validate(LIVE, 'level_up', { level: 'x' })).toBeUndefined();
  });
});
