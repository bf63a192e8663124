import { isPlainObject } from '../../core/kernel/validation/plain-object.ts';
import type { Route } from '../../src/api/route/route.ts';
import { API_LIMITS } from '../../src/api/limits.ts';
import { BODY_LIMITS } from '../../src/gateway/http/read/limits.ts';

export interface WorstBody {
  name: string;
  text: string;
}

/** The endpoint that gets every filler in an unknown field. */
const PARSED_ON = '/v1/events/events';

/** The number of entries that keeps a list or an object just below the limit on separators. */
const ENTRIES = Math.floor(BODY_LIMITS.jsonSeparators / 2) - 200;
const TEXT_BYTES = API_LIMITS.bodyBytes - 20_000;

/** The most expensive input for a parser and a validator, by name; each is within the limits of a body. */
const FILLERS: Readonly<Record<string, () => string>> = {
  'unique keys': () => object(ENTRIES, (i) => `"u${i}":0`),
  'unique keys with escapes': () => object(ENTRIES, (i) => `"\\u0001${i}":0`),
  'wrong items': () => list(ENTRIES * 2, () => '0'),
  'empty objects': () => list(ENTRIES, () => '{}'),
  'deep lists': () => list(ENTRIES / 15, () => '['.repeat(28) + ']'.repeat(28)),
  'long integers': () => list(ENTRIES * 2, () => '12345678901234567'),
  'long integers below 2^53': () => `["\\u0000",${list(ENTRIES * 2, () => '1234567890123456').slice(1)}`,
  'one long text': () => `"${'x'.repeat(TEXT_BYTES)}"`,
  'one text of escapes': () => `"${'\\u0000'.repeat(TEXT_BYTES / 6)}"`,
  'texts at their limit': () => list(TEXT_BYTES / 8_195, () => `"${'é'.repeat(4_000)}"`),
};

function object(count: number, entry: (index: number) => string): string {
  return `{${Array.from({ length: count }, (_, index) => entry(index)).join(',')}}`;
}

function list(count: number, item: () => string): string {
  return `[${Array.from({ length: Math.floor(count) }, item).join(',')}]`;
}

/**
 * Bodies for one route that cost as much as its limits allow: its example with an unknown field, and with each of its
 * own fields, filled up; and its lists with the largest number of valid items that fits.
 */
export function worstBodies(route: Route): WorstBody[] {
  const { body } = route.input;
  if (body === undefined) return [];
  const base: Record<string, unknown> = isPlainObject(route.example) ? route.example : {};
  const properties: Record<string, unknown> = body.properties;
  const filled = (field: string, filler: string): string => {
    const others = Object.entries(base).filter(([name]) => name !== field);
    const parts = others.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
    return `{${[...parts, `${JSON.stringify(field)}:${filler}`].join(',')}}`;
  };
  const bodies: WorstBody[] = [];
  // Parsing costs the same on every endpoint, so one represents all.
  if (route.path === PARSED_ON) {
    for (const [name, make] of Object.entries(FILLERS)) {
      bodies.push({ name: `unknown field: ${name}`, text: filled('unknown', make()) });
    }
  }
  bodies.push({
    name: 'unknown fields',
    text: `${JSON.stringify(base).slice(0, -1)},${FILLERS['unique keys']?.().slice(1)}`,
  });
  for (const [field, schema] of Object.entries(properties)) {
    for (const name of fillersFor(schema)) {
      bodies.push({ name: `${field}: ${name}`, text: filled(field, FILLERS[name]?.() ?? '0') });
    }
    const items = base[field];
    if (Array.isArray(items) && items.length > 0)
      bodies.push({ name: `${field}: many good items`, text: filled(field, manyOf(items)) });
  }
  return bodies.filter(({ text }) => Buffer.byteLength(text) <= API_LIMITS.bodyBytes);
}

function fillersFor(schema: unknown): string[] {
  const type = isPlainObject(schema) ? schema['type'] : undefined;
  if (type === 'array') return ['wrong items', 'texts at their limit'];
  if (type === 'object' || type === undefined) return ['unique keys with escapes', 'deep lists'];
  if (type === 'string') return ['one text of escapes'];
  return [];
}

/** As many copies of the first item as fit into a body: a list over its limit must be refused cheaply. */
function manyOf(items: readonly unknown[]): string {
  const item = JSON.stringify(items[0]);
  const separators = (item.match(/[,:{[]/g) ?? []).length + 1;
  const count = Math.min((BODY_LIMITS.jsonSeparators - 200) / separators, TEXT_BYTES / (item.length + 1));
  return list(count, () => item);
}

/** Accepted bodies at the limits: the most expensive input of a valid client. */
export function largestGoodBodies(
  playerId: string,
  sessionId: string,
): { method: string; path: string; body: WorstBody }[] {
  const properties = (bytes: number): Record<string, unknown> =>
    Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`key_${i}`, 'x'.repeat(Math.floor(bytes / 200) - 15)]));
  const numbers = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`n_${i}`, [i, { deep: [i] }]]));
  const event = (name: string, values: Record<string, unknown>) => ({
    player_id: playerId,
    event_name: name,
    properties: values,
  });
  const batch = (count: number, values: Record<string, unknown>) => ({
    events: Array.from({ length: count }, (_, i) => event(`event_${i}`, values)),
  });
  const post = (path: string, name: string, value: unknown) => ({
    method: 'POST',
    path,
    body: { name, text: JSON.stringify(value) },
  });
  return [
    post('/v1/events/events', '64 KiB of properties', event('large', properties(64_000))),
    post('/v1/events/events/batch', '100 events of 10 KiB', batch(100, properties(9_500))),
    post('/v1/events/events/batch', '100 events of 900 values', batch(100, numbers)),
    post('/v1/players/players', '64 KiB of attributes', { external_id: 'large', attributes: properties(64_000) }),
    post('/v1/bff/game/sync', '50 events of 20 KiB', {
      player_id: playerId,
      session_id: sessionId,
      events: Array.from({ length: 50 }, (_, i) => ({ event_name: `event_${i}`, properties: properties(19_000) })),
    }),
  ];
}
