import { afterAll, beforeAll, expect, it } from 'vitest';
import type { EventTracked } from '../../../core/vocabulary/facts/event-tracked.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import { failure } from '../../../core/kernel/errors.ts';
import { createDecidingBackend, type DecidingBackend } from '../../support/in-memory/deciding-backend.ts';
import { startGateway, type Gateway } from '../../support/in-memory/http-gateway.ts';
import { createRandom, type Random } from '../../sim/random.ts';

/*
 * Segment's clients repeat batches, in any order and at once, before and after an identify, while commands fail or lose
 * their answers. The owner decides as in the service.
 */

let gateway: Gateway;
let key: string;
let owner: DecidingBackend;
let random: Random;
/** How often a command fails, and how often its answer is lost. */
let faults = 0;

beforeAll(async () => {
  const unavailable = failure('SERVICE_UNAVAILABLE');
  gateway = await startGateway({
    backend: {
      async send(origin, entityId, body) {
        if (random.chance(faults)) return unavailable;
        const reply = await owner.send(origin, entityId, body);
        return random.chance(faults) ? unavailable : reply;
      },
      query: async () => unavailable,
      partitionOf: (entityId) => (Number.parseInt(entityId[0] ?? '0', 16) || 0) % 2,
    },
  });
  key = await gateway.key({ kind: 'client' });
});
afterAll(() => gateway.close());

const post = async (batch: readonly object[]): Promise<number> => {
  const body = JSON.stringify({ batch, writeKey: key });
  const response = await fetch(`${gateway.url}/v1/b`, { method: 'POST', body });
  await response.arrayBuffer();
  return response.status;
};
const postUntilStored = async (batch: readonly object[]): Promise<void> => {
  while ((await post(batch)) !== 200);
};
const tracked = (): EventTracked[] => owner.facts.filter((fact) => fact.kind === 'EventTracked');

it.each(Array.from({ length: 12 }, (_, seed) => [seed]))('count once and in order, seed %i', async (seed) => {
  random = createRandom(seed);
  owner = createDecidingBackend(systemClock);
  faults = 0.15;
  const event = (n: number, ids: object) => ({
    type: 'track',
    event: 'seen',
    messageId: `m${n}`,
    properties: { n },
    ...ids,
  });
  const anonymous = { anonymousId: 'a' };
  const known = { anonymousId: 'a', userId: 'u' };
  const identify = { type: 'identify', messageId: 'i', traits: { level: 1 }, ...known };
  const before = [0, 1, 2, 3].map((n) => event(n, anonymous));
  const after = [4, 5, 6, 7].map((n) => event(n, known));

  await postUntilStored(before.slice(0, 3));
  // At once: the end of what was before, the identify, and repeats of both.
  await Promise.all([
    postUntilStored([...before.slice(3), identify, ...after.slice(0, 2)]),
    postUntilStored([identify]),
    postUntilStored(before.slice(0, 2)),
  ]);
  // Repeats with the user that the client adds, without, and whole.
  for (const batch of [before.map((each) => ({ ...each, ...known })), [...after, identify], before, after]) {
    await postUntilStored(batch);
  }

  const seen = tracked().filter(({ eventName }) => eventName === 'seen');
  const ofPlayer = (externalId: string) =>
    seen.filter((fact) => fact.externalId === externalId).map(({ eventId }) => eventId);
  expect(ofPlayer('anonymous:a')).toEqual(['m0', 'm1', 'm2', 'm3']);
  expect(ofPlayer('u')).toEqual(['m4', 'm5', 'm6', 'm7']);
  const ties = tracked().filter(({ eventName }) => eventName === 'identify');
  expect(ties.map(({ externalId, properties }) => [externalId, properties])).toEqual([
    ['u', '{"anonymous_external_id":"anonymous:a"}'],
  ]);
  expect(owner.facts.filter(({ kind }) => kind === 'PlayerRegistered')).toHaveLength(2);
});
