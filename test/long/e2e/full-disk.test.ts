import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BROKER_RESTARTED } from '../../../src/local/nats/broker-restarts.ts';
import { startService, type RunningService } from '../../support/servers/running-service.ts';
import { mountSmallFileSystem, type SmallFileSystem } from '../../support/servers/small-file-system.ts';
import { until } from '../../support/until.ts';

const MIB = 1024 * 1024;
/** Enough for an idle service with room to spare; 5 % of it is the reserve. */
const DISK_BYTES = 256 * MIB;
const RESERVE_BYTES = DISK_BYTES / 20;

const disk: SmallFileSystem | undefined = mountSmallFileSystem(DISK_BYTES);

const ANSWER_MS = 40_000;

describe.skipIf(disk === undefined)('a full disk', () => {
  if (disk === undefined) return;
  let service: RunningService;
  let player: string;
  let sent = 0;
  const acknowledged = new Set<string>();

  beforeAll(async () => {
    service = await startService({ DATA_DIR: join(disk.path, 'data') });
    player = await service.player(service.keys.live.server, 'full-disk');
  });

  afterAll(async () => {
    disk.free();
    await service.stop();
    disk.remove();
  });

  /** Every request is answered. One that hangs fails the test under its name, before the test's own time is over. */
  const answered = <T>(what: string, answer: Promise<T>): Promise<T> => {
    const late = delay(ANSWER_MS, undefined, { ref: false }).then(() => {
      throw new Error(`${what}: no answer within ${ANSWER_MS} ms`);
    });
    return Promise.race([answer, late]);
  };

  async function track() {
    const eventId = `e-${(sent += 1)}`;
    const answer = await answered(eventId, trackAs(eventId));
    if (answer.status === 200) acknowledged.add(eventId);
    return answer;
  }
  const trackAs = (eventId: string) =>
    service.call(service.keys.live.server, 'POST', '/v1/events/events', {
      player_id: player,
      event_name: 'level_completed',
      event_id: eventId,
      properties: { level: sent },
    });
  const firstStatusOf = (status: number, timeoutMs: number) =>
    until(
      `a write is answered ${status}`,
      async () => {
        const answer = await track();
        return answer.status === status ? answer : undefined;
      },
      timeoutMs,
    );

  it('refuses writes with the reason while less than the reserve is free, and answers reads', async () => {
    expect((await track()).status).toBe(200);
    disk.fill(RESERVE_BYTES / 2);
    const refused = await firstStatusOf(503, 5_000);
    expect(refused.body.error).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(refused.body.error.message).toMatch(/disk .* full/);
    const read = await service.call(service.keys.live.server, 'GET', `/v1/players/players/${player}`);
    expect(read.status).toBe(200);
    const definition = await service.call(service.keys.live.server, 'POST', '/v1/segments/segments', {
      key: 'all',
      name: 'All',
      conditions: { 'events.level_completed.count_7d': { $gte: 1 } },
    });
    expect(definition.status).toBe(503);
    disk.free();
    await firstStatusOf(200, 5_000);
  });

  it('stores writes again within 10 s after space was freed, though the broker had met the end of the disk', async () => {
    disk.fill(RESERVE_BYTES * 1.2);
    const writes = Promise.all(Array.from({ length: 8 }, () => track()));
    disk.fill(0);
    await writes;
    await firstStatusOf(503, 10_000);
    await new Promise((resolve) => setTimeout(resolve, 6_000));
    disk.free();
    await firstStatusOf(200, 10_000);
    expect(service.supervised.output()).toContain(BROKER_RESTARTED);
    await until('ClickHouse has every acknowledged event', async () => {
      const rows = await answered('rows', service.sql<{ event_id: string }>('SELECT event_id FROM events'));
      const stored = rows.map((row) => row.event_id);
      expect(new Set(stored).size).toBe(stored.length);
      return [...acknowledged].every((id) => stored.includes(id));
    });
  });
});
