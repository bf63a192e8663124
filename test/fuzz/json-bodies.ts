import { isPlainObject } from '../../core/kernel/validation/plain-object.ts';
import type { Route } from '../../src/api/route/route.ts';
import type { Random } from '../sim/random.ts';

/** Ids of entities that exist in the service, so that bodies pass validation. */
export interface KnownIds {
  players: readonly string[];
  externalIds: readonly string[];
  sessions: readonly string[];
  segments: readonly string[];
  flags: readonly string[];
}

const BODY_BYTES = 1024 * 1024;

/**
 * The body for one route, made from its example or its schema, with zero to four random changes. One in twenty is
 * filled up to the size limit. Hosts in URLs are loopback addresses: no delivery leaves the machine.
 */
export function fuzzedBody(random: Random, route: Route, known: KnownIds): string {
  const { body } = route.input;
  const base: unknown =
    random.chance(0.5) && route.example !== undefined ? route.example : valueOf(random, body, known, 0);
  let value = withKnownIds(structuredClone(base), random, known);
  for (let i = random.int(0, 4); i > 0; i--) value = mutated(random, value);
  const text = JSON.stringify(value) ?? 'null';
  if (random.chance(0.05)) return blownUp(random, value).slice(0, BODY_BYTES);
  return random.chance(0.1) ? brokenText(random, text) : text;
}

/** Usually a value that the schema accepts. */
function valueOf(random: Random, schema: unknown, known: KnownIds, depth: number): unknown {
  if (!isPlainObject(schema) || depth > 8) return hostileValue(random);
  const options = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(options) && options.length > 0)
    return valueOf(random, random.pick<unknown>(options), known, depth + 1);
  if ('const' in schema) return schema['const'];
  const values = schema['enum'];
  if (Array.isArray(values) && values.length > 0) return random.pick<unknown>(values);
  const { type } = schema;
  switch (Array.isArray(type) ? random.pick<unknown>(type) : type) {
    case 'object':
      return objectOf(random, schema, known, depth);
    case 'array': {
      const items = schema['items'] ?? schema['x-items'];
      return Array.from({ length: random.int(0, 4) }, () => valueOf(random, items, known, depth + 1));
    }
    case 'string':
      return textOf(random, schema, known);
    case 'integer':
      return random.int(Number(schema['minimum'] ?? 0), Number(schema['maximum'] ?? 1_000));
    case 'number':
      return random.between(0, 1_000);
    case 'boolean':
      return random.chance(0.5);
    case 'null':
      return null;
    default:
      return hostileValue(random);
  }
}

function objectOf(random: Random, schema: Record<string, unknown>, known: KnownIds, depth: number): unknown {
  const properties = isPlainObject(schema['properties']) ? schema['properties'] : {};
  const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
  const made: Record<string, unknown> = {};
  for (const [name, inner] of Object.entries(properties)) {
    if (required.includes(name) || random.chance(0.5)) made[name] = valueOf(random, inner, known, depth + 1);
  }
  return made;
}

function textOf(random: Random, schema: Record<string, unknown>, known: KnownIds): string {
  switch (schema['format']) {
    case 'uuid':
      return random.pick([...known.players, '00000000-0000-4000-8000-000000000000']);
    case 'date-time':
      return random.pick([
        '2026-11-22T10:00:00Z',
        '2026-11-22T10:00:00',
        '1970-01-01T00:00:00Z',
        '2299-12-31T23:59:59Z',
      ]);
    case 'email':
      return 'player@example.test';
    default:
      return random.pick([...known.sessions, ...known.segments, ...known.flags, ...known.externalIds, 'a', 'level_up']);
  }
}

/** Inserts existing ids into fields with their names. */
function withKnownIds(value: unknown, random: Random, known: KnownIds): unknown {
  if (Array.isArray(value)) return value.map((item) => withKnownIds(item, random, known));
  if (!isPlainObject(value)) return value;
  for (const [name, inner] of Object.entries(value)) {
    if (name === 'player_id' || name === 'targetingKey') value[name] = random.pick(known.players);
    else if (name === 'session_id') value[name] = random.pick(known.sessions);
    else if (name === 'external_id') value[name] = random.pick(known.externalIds);
    else if (name === 'segment_id') value[name] = random.pick(known.segments);
    else if (name === 'flag_key') value[name] = random.pick(known.flags);
    else if (name === 'url')
      value[name] = random.pick(['https://127.0.0.1:9/hook', 'http://[::1]:9/', 'https://127.1/']);
    else value[name] = withKnownIds(inner, random, known);
  }
  return value;
}

const NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  '',
  ' ',
  'a'.repeat(300),
  '\u0000',
  '\ud800',
  '$where',
  '💥',
  'toJSON',
  'then',
];

const TEXTS = [
  '',
  ' '.repeat(5_000),
  'a'.repeat(8_192),
  'a'.repeat(70_000),
  '\u0000',
  '\ud800',
  '﷽'.repeat(2_000),
  "'; DROP TABLE events; --",
  '${jndi:ldap://127.0.0.1/a}',
  '../../etc/passwd',
  '(a+)+$',
  '^(([a-z])+.)+[A-Z]([a-z])+$',
  `${'('.repeat(100)}a${')*'.repeat(100)}`,
  '\\p{L}{1,1000}{1,1000}',
  '2026-99-99T99:99:99Z',
  'NaN',
  'ses_00000000-0000-7000-8000-000000000000',
  `a@${'b.'.repeat(120)}c`,
];

const NUMBERS = [0, -0, -1, 1, 1.5, 1e-7, 2 ** 31, 2 ** 32, 2 ** 53, 2 ** 53 + 2, -(2 ** 53), 1e21, 1e308, 5e-324];

/** A value, or a small tree, that code may not expect. */
function hostileValue(random: Random): unknown {
  switch (random.int(0, 8)) {
    case 0:
      return null;
    case 1:
      return random.chance(0.5);
    case 2:
      return random.pick(NUMBERS);
    case 3:
      return random.pick(TEXTS);
    case 4:
      return [];
    case 5:
      return {};
    case 6:
      return Array.from({ length: random.int(1, 200) }, () => random.pick<unknown>([0, '', null, [], {}]));
    case 7:
      return JSON.parse(
        `{${JSON.stringify(random.pick(NAMES))}:${random.pick(['1', '{}', '[]', '"x"', 'null'])}}`,
      ) as unknown;
    default: {
      const depth = random.int(2, 40);
      return JSON.parse('['.repeat(depth) + ']'.repeat(depth)) as unknown;
    }
  }
}

/** A copy with one change: a value replaced, removed, added or repeated. */
function mutated(random: Random, value: unknown): unknown {
  if (Array.isArray(value) && value.length > 0 && random.chance(0.85)) {
    const at = random.int(0, value.length - 1);
    if (random.chance(0.2))
      return [...(value as unknown[]), ...Array.from({ length: random.int(1, 150) }, () => value[at] as unknown)];
    return value.map((item: unknown, index) => (index === at ? mutated(random, item) : item));
  }
  if (isPlainObject(value) && random.chance(0.85)) {
    const names = Object.keys(value);
    const copy: Record<string, unknown> = { ...value };
    if (names.length === 0 || random.chance(0.2)) {
      Object.defineProperty(copy, random.pick(NAMES), {
        value: hostileValue(random),
        enumerable: true,
        configurable: true,
      });
      return copy;
    }
    const name = random.pick(names);
    if (random.chance(0.15)) delete copy[name];
    else copy[name] = mutated(random, copy[name]);
    return copy;
  }
  return hostileValue(random);
}

/** Invalid JSON, or JSON that `JSON.stringify` cannot produce. */
function brokenText(random: Random, text: string): string {
  const at = random.int(0, text.length);
  switch (random.int(0, 5)) {
    case 0:
      return text.slice(0, at);
    case 1:
      return (
        text.slice(0, at) +
        random.pick(['\\', '"', '{', ']', '\u0000', ',', '1e999', '9007199254740993']) +
        text.slice(at)
      );
    case 2:
      return text.replace(/\d+/, '1e999');
    case 3:
      return '['.repeat(random.int(30, 100_000));
    case 4:
      return text + text;
    default:
      return text.replace('{', '{"__proto__":{"x":1},"__proto__":{},');
  }
}

/** The body with one of its objects or lists filled up to about 1 MiB. */
function blownUp(random: Random, value: unknown): string {
  const text = JSON.stringify(value) ?? '{}';
  const room = BODY_BYTES - text.length - 64;
  if (room < 100) return text;
  const filler = random.pick([
    () => fill(room, (i) => `"u${i}":0`, '{', '}'),
    () => fill(room, () => '0', '[', ']'),
    () => fill(room, () => '""', '[', ']'),
    () => fill(room, () => '{}', '[', ']'),
    () => fill(room, () => '[[[[]]]]', '[', ']'),
    () => `"${'\\u0041'.repeat(Math.floor(room / 6) - 1)}"`,
  ])();
  const places = [...text.matchAll(/:(?:"[^"]{0,50}"|\d+|\{|\[|null|true|false)/g)].map((match) => match.index);
  if (places.length === 0 || random.chance(0.3)) return text.replace(/\}$/, `,"x":${filler}}`);
  const at = random.pick(places);
  const rest = text.slice(at + 1).replace(/^(?:"[^"]{0,50}"|\d+|null|true|false)/, '');
  return `${text.slice(0, at + 1)}${filler}${rest.startsWith('{') || rest.startsWith('[') ? `,"y":${rest}` : rest}`;
}

function fill(room: number, item: (index: number) => string, open: string, close: string): string {
  const parts: string[] = [];
  for (let size = 2, index = 0; ; index++) {
    const part = item(index);
    size += part.length + 1;
    if (size > room) break;
    parts.push(part);
  }
  return open + parts.join(',') + close;
}
