import { describe, expect, it } from 'vitest';
import type { EventSchemaDocument, EventSchemaMode } from '../../actors/vocabulary/documents.ts';
import { eventSchemaKey } from '../../streams/config/event-schema-key.ts';
import { createMemoryConfigStore } from '../../test/support/memory-config-store.ts';
import type { JsonObject } from '../kernel/json.ts';
import { createEventSchemas } from './event-schemas.ts';

const LIVE = { game: 'demo', environment: 'live' } as const;
const TEST = { game: 'demo', environment: 'test' } as const;
const OTHER = { game: 'other', environment: 'live' } as const;

function setUp() {
  const config = createMemoryConfigStore();
  const errors: unknown[] = [];
  const schemas = createEventSchemas(config, { error: (...line: unknown[]) => void errors.push(line) });
  const addressOf = (eventName: string) => ({ ...LIVE, kind: 'event_schema', key: eventSchemaKey(eventName) }) as const;
  return {
    schemas,
    errors,
    judge: (scope: typeof LIVE | typeof TEST | typeof OTHER, name: string, properties: Record<string, unknown>) =>
      schemas.judge(scope, name, properties, JSON.stringify(properties).length),
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

describe('the schemas of events', () => {
  it('judge events of their name, game and environment only', async () => {
    const { judge, put } = setUp();
    await put('level_up', INTEGER, 'warn', 7);
    expect(judge(LIVE, 'level_up', { level: 'x' })).toEqual({
      mode: 'warn',
      version: 7,
      faults: [{ path: '/level', message: 'must be integer' }],
    });
    expect(judge(LIVE, 'level_up', { level: 3 })).toBeUndefined();
    expect(judge(LIVE, 'level_down', { level: 'x' })).toBeUndefined();
    expect(judge(TEST, 'level_up', { level: 'x' })).toBeUndefined();
    expect(judge(OTHER, 'level_up', { level: 'x' })).toBeUndefined();
  });

  it('follow what is made, changed and deleted', async () => {
    const { judge, put, remove } = setUp();
    expect(judge(LIVE, 'ü * >', { level: 'x' })).toBeUndefined();
    await put('ü * >', INTEGER);
    expect(judge(LIVE, 'ü * >', { level: 'x' })).toMatchObject({ version: 1 });
    await put('ü * >', { properties: { level: { type: 'string' } } }, 'enforce', 2);
    expect(judge(LIVE, 'ü * >', { level: 'x' })).toBeUndefined();
    expect(judge(LIVE, 'ü * >', { level: 3 })).toMatchObject({ version: 2 });
    await remove('ü * >');
    expect(judge(LIVE, 'ü * >', { level: 3 })).toBeUndefined();
  });

  it('that do not compile are like none at all, and somebody is told once', async () => {
    const { judge, put, errors } = setUp();
    await put('level_up', { later: 'keyword' });
    expect(judge(LIVE, 'level_up', { level: 'x' })).toBeUndefined();
    expect(judge(LIVE, 'level_up', { level: 'x' })).toBeUndefined();
    expect(errors).toHaveLength(1);
  });

  it('are no longer followed after a stop', async () => {
    const { judge, put, schemas } = setUp();
    expect(judge(LIVE, 'level_up', { level: 'x' })).toBeUndefined();
    schemas.stop();
    await put('level_up', INTEGER);
    expect(judge(LIVE, 'level_up', { level: 'x' })).toBeUndefined();
  });
});
