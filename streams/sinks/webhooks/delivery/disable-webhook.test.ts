import { describe, expect, it } from 'vitest';
import { createWebhooksWorld, DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../test/support/in-memory/webhooks-world.ts';
import { aTrackedEvent, commit } from '../../testing-commits.ts';
import { aWebhook, answered } from '../testing-webhooks.ts';

type World = ReturnType<typeof createWebhooksWorld>;

/** Time in which an event is delivered, also by a process that must acquire its leases again after a clock jump. */
const DELIVERED_MS = 10_000;

/** Tracks events at an interval. The time between them passes on the wall clock only. */
async function events({ clock, writer }: World, durationMs: number, everyMs = 6 * HOUR_MS): Promise<void> {
  for (let passedMs = 0; passedMs < durationMs; passedMs += everyMs) {
    await commit(writer, [aTrackedEvent({ eventId: `e${clock.wallMs()}` })], { configRevision: 1 });
    await clock.advance(DELIVERED_MS);
    clock.jumpWall(everyMs - DELIVERED_MS);
  }
}

describe('a receiver that answers 410', () => {
  it('has its webhook disabled at once, which CONFIG and ClickHouse record, and gets no further attempts', async () => {
    const world = createWebhooksWorld();
    const { clock, writer, config, process, webhook, disablings, logged } = world;
    const { revision } = config.set(aWebhook({ previousSecret: { secret: 'old', until: 1 } }));
    const { sender } = process('sink');
    sender.answer = () => answered(410);
    const startMs = clock.wallMs();
    await commit(writer, [aTrackedEvent()], { configRevision: 1 });
    await clock.advance(1_000);
    expect(webhook('wh_1')).toEqual({
      ...aWebhook({ previousSecret: { secret: 'old', until: 1 } }),
      enabled: false,
      disabled: { at: startMs, reason: 'gone' },
      createdRevision: revision,
      version: 2,
    });
    await events(world, DAY_MS);
    expect(sender.attempts).toHaveLength(1);
    expect(logged().map(({ outcome, status }) => [outcome, status])).toEqual([['exhausted', 410]]);
    const fact = { webhook: 'wh_1', game: 'demo', environment: 'live', reason: 'gone', disabledAt: startMs };
    expect(disablings()).toEqual([fact]);
  });

  it('has its webhook disabled once, by however many processes and attempts', async () => {
    const { clock, writer, config, process, webhook, metrics } = createWebhooksWorld();
    config.set(aWebhook());
    const processes = ['a', 'b', 'c'].map((name) => process(name));
    for (const { sender } of processes) sender.answer = () => answered(410);
    const facts = Array.from({ length: 12 }, (_, i) => aTrackedEvent({ eventId: `e${i}` }));
    await commit(writer, facts, { configRevision: 1 });
    await clock.advance(MINUTE_MS);
    expect(webhook('wh_1')?.version).toBe(2);
    const { values } = await metrics.webhooksDisabled.get();
    expect(values).toContainEqual({ labels: { reason: 'gone' }, value: 1 });
  });

  it('keeps its webhook if that was changed since the attempt began', async () => {
    const { clock, writer, config, process, webhook } = createWebhooksWorld();
    config.set(aWebhook());
    const { sender } = process('sink');
    sender.answer = () => {
      config.set(aWebhook({ url: 'http://elsewhere.test/', version: 2 }));
      return answered(410);
    };
    await commit(writer, [aTrackedEvent()], { configRevision: 1 });
    await clock.advance(MINUTE_MS);
    expect(webhook('wh_1')).toMatchObject({ enabled: true, version: 2 });
  });
});

describe('a webhook that only fails', () => {
  it('is disabled after five days, and not before', async () => {
    const world = createWebhooksWorld();
    const { config, process, webhook, disablings } = world;
    config.set(aWebhook());
    process('sink').sender.answer = () => answered(500);
    await events(world, 5 * DAY_MS);
    expect(webhook('wh_1')?.enabled).toBe(true);
    await events(world, 6 * HOUR_MS);
    expect(webhook('wh_1')).toMatchObject({ enabled: false, disabled: { reason: 'failing' } });
    expect(disablings()).toMatchObject([{ webhook: 'wh_1', reason: 'failing' }]);
  });

  it('starts its five days again after a success', async () => {
    const world = createWebhooksWorld();
    const { config, process, webhook } = world;
    config.set(aWebhook({ retryPolicy: { maxRetries: 0, backoff: 'none' } }));
    const { sender } = process('sink');
    const fails = () => answered(500);
    sender.answer = fails;
    await events(world, 4 * DAY_MS);
    sender.answer = () => answered(200);
    await events(world, 6 * HOUR_MS);
    sender.answer = fails;
    await events(world, 5 * DAY_MS);
    expect(webhook('wh_1')?.enabled).toBe(true);
    await events(world, 6 * HOUR_MS);
    expect(webhook('wh_1')?.enabled).toBe(false);
  });

  it('is disabled after five days even if every process restarts in between', async () => {
    const world = createWebhooksWorld();
    const { config, process, webhook } = world;
    config.set(aWebhook());
    for (let day = 0; day < 5; day++) {
      const one = process(`sink-${day}`);
      one.sender.answer = () => answered(500);
      await events(world, DAY_MS);
      expect(webhook('wh_1')?.enabled).toBe(true);
      one.kill();
    }
    process('last').sender.answer = () => answered(500);
    await events(world, 6 * HOUR_MS);
    expect(webhook('wh_1')?.enabled).toBe(false);
  });

  it('is not disabled while another process has successes', async () => {
    const world = createWebhooksWorld();
    const { config, process, webhook } = world;
    config.set(aWebhook({ retryPolicy: { maxRetries: 0, backoff: 'none' } }));
    const [a, b] = [process('a'), process('b')];
    a.sender.answer = () => answered(500);
    b.sender.answer = () => answered(200);
    await events(world, 8 * DAY_MS, HOUR_MS);
    expect(a.sender.attempts.length).toBeGreaterThan(20);
    expect(b.sender.attempts.length).toBeGreaterThan(20);
    expect(webhook('wh_1')?.enabled).toBe(true);
  });

  it('starts its five days again after a change of its definition', async () => {
    const world = createWebhooksWorld();
    const { config, process, webhook } = world;
    const { revision: createdRevision } = config.set(aWebhook());
    process('sink').sender.answer = () => answered(500);
    await events(world, 4 * DAY_MS);
    config.set(aWebhook({ url: 'http://elsewhere.test/', version: 2, createdRevision }));
    await events(world, 4 * DAY_MS);
    expect(webhook('wh_1')?.enabled).toBe(true);
    await events(world, 2 * DAY_MS);
    expect(webhook('wh_1')?.enabled).toBe(false);
  });
});

it('a disabled webhook is recorded for ClickHouse even if the process that disabled it died before recording it', async () => {
  const { clock, config, process, disablings } = createWebhooksWorld();
  config.set(aWebhook({ enabled: false, disabled: { at: 5_000, reason: 'failing' }, version: 3 }));
  process('later');
  await clock.advance(1_000);
  expect(disablings()).toEqual([
    { webhook: 'wh_1', game: 'demo', environment: 'live', reason: 'failing', disabledAt: 5_000 },
  ]);
});
