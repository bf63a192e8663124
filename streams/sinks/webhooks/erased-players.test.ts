import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../../test/support/in-memory/fake-clock.ts';
import { createWebhooksWorld, MINUTE_MS } from '../../../test/support/in-memory/webhooks-world.ts';
import { aTrackedEvent, commit } from '../testing-commits.ts';
import { aWebhook, answered } from './testing-webhooks.ts';

describe('an erased player', () => {
  const PLAYER = aTrackedEvent().entityId;
  const START_MS = createFakeClock().wallMs();
  const erased = { kind: 'PlayerErased', game: 'demo', environment: 'live', entityId: PLAYER, at: START_MS } as const;

  it('gets no more deliveries: a waiting retry is dropped, facts after the erasure are delivered', async () => {
    const { clock, writer, config, process, outcomes, waiting } = createWebhooksWorld();
    config.set(aWebhook());
    const { sender } = process('sink');
    sender.answer = () => answered(500);
    await commit(writer, [aTrackedEvent({ eventId: 'old' })], { configRevision: 1 });
    await clock.advance(1_000);
    expect(sender.attempts).toHaveLength(1);
    await commit(writer, [erased, aTrackedEvent({ eventName: 'new_life' })], { configRevision: 1 });
    sender.answer = () => answered(200);
    await clock.advance(10 * MINUTE_MS);
    expect(sender.attempts.slice(1).map(({ body }) => body.type)).toEqual(['event.new_life']);
    expect(await outcomes()).toMatchObject({ dropped: 1, delivered: 1 });
    expect(waiting()).toBe(0);
  });

  it('gets no deliveries either after a restart of every process', async () => {
    const { clock, writer, config, process } = createWebhooksWorld();
    config.set(aWebhook());
    const first = process('sink');
    first.sender.answer = () => answered(500);
    await commit(writer, [aTrackedEvent()], { configRevision: 1 });
    await clock.advance(1_000);
    await commit(writer, [erased], { configRevision: 1 });
    await clock.advance(5_000);
    first.kill();
    const second = process('sink-2');
    await clock.advance(10 * MINUTE_MS);
    expect(second.sender.attempts).toEqual([]);
  });

  it('does not affect other players', async () => {
    const { clock, writer, config, process } = createWebhooksWorld();
    config.set(aWebhook());
    const { sender } = process('sink');
    sender.answer = ({ body }) => answered(body.metadata.delivery_attempt === 1 ? 500 : 200);
    await commit(writer, [aTrackedEvent({ entityId: 'other' }), erased], { configRevision: 1 });
    await clock.advance(2 * MINUTE_MS);
    expect(sender.attempts.map(({ body }) => body.metadata.delivery_attempt)).toEqual([1, 2]);
  });
});
