import type { RunningService } from '../support/servers/running-service.ts';
import { probe } from './service-probe.ts';

/** The longest turn of the main thread, in milliseconds, during the most expensive batches for event schemas. */
export interface SchemaStalls {
  /** 100 events that each test 160 values against 200 branches. */
  checkMs: number;
  /** 10 events, each the first of its name, that violate ten of the largest schemas, two of them with 490 branches. */
  compileMs: number;
}

/** @param round makes the event names of each measurement unique, because a schema is compiled once */
export async function schemaStalls(service: RunningService, round: number): Promise<SchemaStalls> {
  const { server } = service.keys.test;
  const playerId = await service.player(server, 'stalls');

  async function define(name: string, schema: unknown): Promise<void> {
    const body = { event_name: name, schema, mode: 'enforce' };
    const { status } = await service.call(server, 'POST', '/v1/events/schemas', body);
    if (status !== 201) throw new Error(`the schema ${name} was answered with ${status}`);
  }

  async function stallOf(events: readonly { event_name: string; properties: unknown }[]): Promise<number> {
    await probe(service.url);
    const body = { events: events.map((event) => ({ player_id: playerId, ...event })) };
    const { status } = await service.call(server, 'POST', '/v1/events/events/batch', body);
    if (status !== 200) throw new Error(`a batch was answered with ${status}`);
    return (await probe(service.url)).stallMs;
  }

  const branches = `branches_${round}`;
  const oneOf = Array.from({ length: 200 }, (_, i) => ({ minimum: i, maximum: i }));
  await define(branches, { additionalProperties: { items: { oneOf } } });
  const names = Array.from({ length: 10 }, (_, i) => `integers_${round}_${i}`);
  // Different names prevent the engine from using cached code of another schema.
  for (const [place, name] of names.entries()) {
    const properties = Array.from({ length: 490 }, (_, i) => [`${name}_${i}`, { type: 'integer' }]);
    const nested = Array.from({ length: 490 }, (_, i) => ({ minimum: 1_000 * (10 * round + place + 1) + i }));
    await define(
      name,
      place < 8 ? { properties: Object.fromEntries(properties) } : { properties: { [`${name}_1`]: { oneOf: nested } } },
    );
  }
  const numbers = Array.from({ length: 160 }, (_, i) => i % 10);
  const checkMs = await stallOf(Array.from({ length: 100 }, () => ({ event_name: branches, properties: { numbers } })));
  const compileMs = await stallOf(
    names.map((name, place) => ({ event_name: name, properties: { [`${name}_1`]: place < 8 ? 'x' : 1 } })),
  );
  return { checkMs, compileMs };
}
