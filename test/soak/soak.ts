import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { partitionOf } from '../../core/kernel/partition.ts';
import { startService, type RunningService } from '../support/servers/running-service.ts';
import { followStream } from '../support/wire/stream-follower.ts';
import { until } from '../support/until.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/wire/webhook-receiver.ts';
import { meterFacts, type FactsMeter } from './facts-meter.ts';

export interface SoakOptions {
  /** Size of FACTS. */
  factsBytes: number;
  /** How many times the size of FACTS is written. */
  fills: number;
  /** In how many seconds; a slow machine gets half as many again. */
  seconds: number;
  report: (line: string) => void;
  signal: AbortSignal;
}

export interface SoakResult {
  acceptedEvents: number;
  players: number;
  appendedBytes: number;
  ownBytes: number;
  mostBytes: number;
  maxBytes: number;
  /** The most bytes of the broker's files of FACTS. */
  mostDiskBytes: number;
  trims: number;
  /** Everything that must not happen, in words. */
  violations: string[];
}

/** Players at play at the same time. Each plays for `BATCHES_OF_PLAYER` batches; then another registers. */
const ACTIVE_PLAYERS = 40;
const BATCHES_OF_PLAYER = 30;
const BATCH_EVENTS = 20;
/** Large events fill the log with little processor time. */
const TEXT = 'the forest of the north '.repeat(30);
const RARE_NAME = 'boss_beaten';
/** One of so many events has the name of which the webhook hears. */
const RARE_EVERY = 50;
const PARTITIONS = 2;
const CALLERS = 8;
const SLOW_SHARE = 1.5;
const CATCH_UP_MS = 60_000;
const REPORT_MS = 15_000;

/**
 * Fills a small FACTS of the real service several times over, at a steady rate, and then compares ClickHouse, the event
 * stream and a webhook with what was acknowledged. In the last third only one partition has traffic: the other must not
 * keep FACTS from being trimmed.
 */
export async function soak(options: SoakOptions): Promise<SoakResult> {
  const { factsBytes, fills, seconds, report, signal } = options;
  const receiver = await startWebhookReceiver();
  const service = await startService({
    FACTS_MAX_BYTES: String(factsBytes),
    PARTITIONS: String(PARTITIONS),
    WEBHOOK_ALLOW_PRIVATE_HOSTS: '127.0.0.1',
    LOG_LEVEL: 'warn',
  });
  let meter: FactsMeter | undefined;
  try {
    meter = await meterFacts(service.supervised.natsUrl);
    return await run(service, receiver, meter);
  } finally {
    await meter?.stop();
    await service.stop();
    await receiver.stop();
  }

  async function run(running: RunningService, webhooks: WebhookReceiver, facts: FactsMeter): Promise<SoakResult> {
    const violations: string[] = [];
    const { client, server } = running.keys.live;
    const created = await running.call(server, 'POST', '/v1/integrations/webhooks', {
      name: 'soak',
      url: webhooks.url,
      events: [`event.${RARE_NAME}`],
    });
    if (created.status !== 201) throw new Error(`the webhook could not be created: ${created.status}`);
    const stream = followStream({ url: running.url, key: server });
    await until('the stream is connected', () => stream.types().includes('connected'));

    const totalBytes = fills * factsBytes;
    const beganMs = performance.now();
    const due = (): number => ((performance.now() - beganMs) / 1000 / seconds) * totalBytes;
    const lastMs = beganMs + SLOW_SHARE * seconds * 1000;
    const isOver = (): boolean => signal.aborted || facts.appendedBytes >= totalBytes || performance.now() > lastMs;
    let [accepted, rare, players, mostDiskBytes] = [0, 0, 0, 0];
    let reportedMs = beganMs;

    function note(): void {
      mostDiskBytes = Math.max(mostDiskBytes, diskBytesOf(running.supervised.dataDir));
      if (performance.now() - reportedMs < REPORT_MS) return;
      reportedMs = performance.now();
      const share = Math.round((facts.appendedBytes / totalBytes) * 100);
      report(`${share} %: ${accepted} events, ${facts.trims} trims, FACTS at most ${mib(facts.mostBytes)}`);
    }

    async function play(caller: number): Promise<void> {
      while (!isOver()) {
        const own = Array.from({ length: ACTIVE_PLAYERS / CALLERS }, (_, place) => place);
        const ids: string[] = [];
        for (const place of own) ids.push(await newPlayer(`${caller}-${place}-${players}`));
        for (let batch = 0; batch < BATCHES_OF_PLAYER && !isOver(); batch++) {
          for (const id of ids) {
            while (facts.appendedBytes > due() && !isOver()) await delay(5);
            await send(id);
          }
        }
      }
    }

    async function newPlayer(name: string): Promise<string> {
      const wantsFirst = facts.appendedBytes > (2 / 3) * totalBytes;
      for (let tries = 0; ; tries++) {
        players += 1;
        const id = await running.player(client, `${name}-${tries}`);
        if (!wantsFirst || partitionOf(id, PARTITIONS) === 0) return id;
      }
    }

    async function send(playerId: string): Promise<void> {
      const events = Array.from({ length: BATCH_EVENTS }, (_, place) => ({
        player_id: playerId,
        event_name: (accepted + place) % RARE_EVERY === 0 ? RARE_NAME : 'level_up',
        properties: { level: place, text: TEXT },
      }));
      const { status, body } = await running.call(client, 'POST', '/v1/events/events/batch', { events });
      if (status !== 200) {
        violations.push(`a batch was answered ${status}: ${JSON.stringify(body).slice(0, 200)}`);
        return;
      }
      accepted += events.length;
      rare += events.filter(({ event_name: name }) => name === RARE_NAME).length;
    }

    const watch = setInterval(note, 500);
    await Promise.all(Array.from({ length: CALLERS }, (_, caller) => play(caller)));
    clearInterval(watch);
    note();
    report(`written in ${Math.round((performance.now() - beganMs) / 1000)} s; comparing the outputs`);

    async function settled(what: string, wanted: number, count: () => number | Promise<number>): Promise<void> {
      const found = async (): Promise<boolean> => (await count()) >= wanted;
      await until(what, found, CATCH_UP_MS).catch(() => {});
      // A repeated row or delivery would come a moment later.
      await delay(500);
      const held = await count();
      if (held !== wanted) violations.push(`${what}: ${held} of ${wanted}`);
    }
    const rows = async (select: string): Promise<number> => {
      const where = `event_name IN ('level_up', '${RARE_NAME}')`;
      const [row] = await running.sql<{ n: string }>(`SELECT toString(${select}) AS n FROM events WHERE ${where}`);
      return Number(row?.n);
    };
    await settled('rows in ClickHouse', accepted, () => rows('count()'));
    await settled('different rows in ClickHouse', accepted, () => rows('uniqExact(event_id)'));
    await settled('events of the stream', accepted, () => stream.eventIds().length);
    await settled('different events of the stream', accepted, () => new Set(stream.eventIds()).size);
    await settled('deliveries', rare, () => webhooks.requests.length);
    if (stream.types().includes('gap')) violations.push('the stream had a gap');
    await stream.stop();
    if (facts.appendedBytes < totalBytes)
      violations.push(`FACTS was filled ${(facts.appendedBytes / factsBytes).toFixed(1)} of ${fills} times in time`);
    if (facts.mostBytes > factsBytes) violations.push(`FACTS held ${facts.mostBytes} bytes of ${factsBytes}`);
    if (mostDiskBytes > 2 * factsBytes + 64 * MIB) violations.push(`FACTS took ${mostDiskBytes} bytes of the disk`);
    const [appendedBytes, ownBytes] = [facts.appendedBytes, facts.ownBytes];
    const { mostBytes, maxBytes, trims } = facts;
    return {
      acceptedEvents: accepted,
      players,
      appendedBytes,
      ownBytes,
      mostBytes,
      maxBytes,
      mostDiskBytes,
      trims,
      violations,
    };
  }
}

const MIB = 1024 ** 2;
export const mib = (bytes: number): string => `${(bytes / MIB).toFixed(1)} MiB`;

/** Bytes of the broker's files of FACTS. A file may vanish meanwhile. */
function diskBytesOf(dataDir: string): number {
  const folder = join(dataDir, 'nats');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.includes('/FACTS/msgs/'))
    .reduce((sum, file) => sum + (statSync(join(folder, file), { throwIfNoEntry: false })?.size ?? 0), 0);
}
