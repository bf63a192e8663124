import { describe, expect, test } from 'vitest';
import { SAMPLES, wrap } from '../../../test/fixtures/codec/samples.ts';
import { encodeCommands, encodeCommit, encodeQueries, encodeReplies } from '../../codec/codec.ts';
import { PLAYER_API_LIMITS } from '../../../src/api/players/limits.ts';
import { SESSION_LIMITS } from '../../../actors/sessions/limits.ts';
import { STATE_LIMITS } from '../limits.ts';
import { TEXT_LIMITS } from '../../kernel/text/limits.ts';
import type { EntityState } from './state.ts';
import { commandChars, factChars, mostEventChars, queryChars, replyChars, stateChars } from './size-estimates.ts';

/** UTF-8 takes at most this many bytes per UTF-16 unit. */
const CHAR_BYTES = 3;
/** What a message takes beside its content: the envelope, and the names of properties. */
const ENVELOPE_BYTES = 500;

/** The longest texts that callers choose, by property; all other texts are the service's own and stay as they are. */
const LONGEST: Readonly<Record<string, string>> = {
  externalId: '漢'.repeat(TEXT_LIMITS.externalIdLength),
  deviceId: '漢'.repeat(TEXT_LIMITS.deviceIdLength),
  email: '漢'.repeat(TEXT_LIMITS.emailLength),
  eventId: '漢'.repeat(TEXT_LIMITS.callerIdLength),
  sessionId: '漢'.repeat(TEXT_LIMITS.callerIdLength),
  eventName: '漢'.repeat(TEXT_LIMITS.nameLength),
  forgets: '漢'.repeat(TEXT_LIMITS.nameLength),
  name: '漢'.repeat(TEXT_LIMITS.nameLength),
  country: '漢'.repeat(STATE_LIMITS.countryLength),
  productId: '漢'.repeat(PLAYER_API_LIMITS.productIdLength),
  achievements: '漢'.repeat(SESSION_LIMITS.achievementLength),
  properties: `{"text":"${'漢'.repeat(2_000)}"}`,
  attributes: `{"text":"${'漢'.repeat(2_000)}"}`,
  schemaFault: '漢'.repeat(200),
  flagKey: 'k'.repeat(TEXT_LIMITS.nameLength),
  segmentKey: 'k'.repeat(TEXT_LIMITS.nameLength),
  variantKey: 'k'.repeat(TEXT_LIMITS.nameLength),
  variant: 'k'.repeat(TEXT_LIMITS.nameLength),
};

/** The value with the longest texts, and with each of its own lists repeated. */
function grown<T>(value: T): T;
function grown(value: unknown): unknown {
  return grownAt(value, '', 20);
}

function grownAt(value: unknown, property: string, times: number): unknown {
  if (typeof value === 'string') return LONGEST[property] ?? value;
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => grownAt(item, property, 1));
    return Array.from({ length: times }, () => items).flat();
  }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, grownAt(item, key, times)]));
}

const most = (chars: number): number => CHAR_BYTES * chars + ENVELOPE_BYTES;

describe('an estimated size, three bytes a character, is not below the encoded size', () => {
  test.each(Object.entries(SAMPLES.facts))('of a fact: %s', (_, sample) => {
    if (sample.kind === 'EntitySnapshot' || sample.kind === 'SnapshotMark') return;
    for (const fact of [sample, grown(sample)]) {
      expect(encodeCommit(wrap.commit([fact])).length).toBeLessThanOrEqual(most(factChars(fact)));
    }
  });

  test.each(Object.entries(SAMPLES.commands))('of a command: %s', (_, sample) => {
    for (const body of [sample, grown(sample)]) {
      expect(encodeCommands([wrap.command(body)]).length).toBeLessThanOrEqual(most(commandChars(body)));
    }
  });

  test.each(Object.entries(SAMPLES.queries))('of a query: %s', (_, sample) => {
    for (const body of [sample, grown(sample)]) {
      expect(encodeQueries([wrap.query(body)]).length).toBeLessThanOrEqual(most(queryChars(body)));
    }
  });

  test.each(Object.entries(SAMPLES.replies))('of a reply: %s', (_, sample) => {
    for (const reply of [sample, grown(sample)]) {
      expect(encodeReplies([wrap.reply(reply)]).length).toBeLessThanOrEqual(most(replyChars(reply)));
    }
  });

  test.each(Object.entries(SAMPLES.states))('of a state: %s', (_, sample) => {
    for (const state of [sample, grown(sample)]) {
      expect(snapshotBytes(state)).toBeLessThanOrEqual(most(stateChars(state)));
    }
  });

  test.each(Object.entries(SAMPLES.states.player).filter(([, value]) => Array.isArray(value)))(
    'of a player with a thousand %s',
    (property, value) => {
      const items: unknown = Array.from({ length: 1_000 }, () => grownAt(value, property, 1)).flat();
      const state = Object.assign({ ...SAMPLES.states.player }, { [property]: items });
      expect(snapshotBytes(state)).toBeLessThanOrEqual(most(stateChars(state)));
    },
  );
});

function snapshotBytes(state: EntityState): number {
  const { id: entityId, game, environment } = state;
  return encodeCommit(wrap.commit([{ kind: 'EntitySnapshot', entityId, game, environment, at: 1, state }])).length;
}

test('the facts of events take no more than was estimated before they were decided', () => {
  const fact = grown(SAMPLES.facts.EventTracked);
  const { eventId, eventName, properties, sessionId, timestamp, schemaFault = '' } = fact;
  const item = { index: 0, playerId: fact.entityId, eventId, remember: true, eventName, properties, sessionId };
  expect(mostEventChars([{ ...item, timestamp, schemaFault }])).toBeGreaterThanOrEqual(factChars(fact));
});
