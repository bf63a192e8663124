import { setTimeout as delay } from 'node:timers/promises';
import { followStream, type StreamFollower } from '../support/wire/stream-follower.ts';
import { until } from '../support/until.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/wire/webhook-receiver.ts';
import { createCaller } from './clients/caller.ts';
import { emptyTally, type ClientLog, type Tally } from './clients/client-log.ts';
import { startLoadClient } from './clients/load-client.ts';
import { createRandom } from './random.ts';
import { startTwoVersions, type Stage } from './two-versions-rig.ts';
import { scanFacts } from './verify-facts.ts';
import { verify, type Verdict } from './verify.ts';

export interface TwoVersionsRunOptions {
  seed: number;
  /** The folder of the other version. */
  other: string;
  stages: readonly Stage[];
  /** How long the load runs on each stage once both processes are ready. */
  stageMs: number;
  clients?: number;
  report?: (line: string) => void;
  onOutput?: (output: string) => void;
}

export interface TwoVersionsRun {
  tally: Tally;
  verdict: Verdict;
  /** Deliveries of events by webhook: received, of distinct ids, and events delivered under two ids. */
  webhooks: { received: number; ids: number; lost: number; doubled: number };
  /** Events that each of two stream readers saw. */
  streams: { seen: number; lost: number; doubled: number }[];
}

/** An upgrade from the other version to this one, and the way back. */
export const FORWARDS_AND_BACK: readonly Stage[] = [
  ['other', 'other'],
  ['other', 'this'],
  ['this', 'this'],
  ['this', 'other'],
  ['other', 'other'],
];
/** The same, beginning with this version. */
export const BACK_AND_FORWARDS: readonly Stage[] = FORWARDS_AND_BACK.map(([a, b]): Stage => [
  a === 'this' ? 'other' : 'this',
  b === 'this' ? 'other' : 'this',
]);

const PLAYERS_PER_CLIENT = 3;
const PAUSE_MS = 60;
const CATCH_UP_MS = 120_000;

/**
 * Runs two processes of two versions side by side under load, stage by stage, and compares the acknowledgements with
 * FACTS, ClickHouse, the webhook's deliveries and the streams. Processes end in order and by kill -9 by turns.
 */
export async function runTwoVersions(options: TwoVersionsRunOptions): Promise<TwoVersionsRun> {
  const { seed, other, stages, stageMs, clients = 8, report = () => {} } = options;
  const [first] = stages;
  if (first === undefined) throw new Error('a run needs a stage');
  const random = createRandom(seed);
  const beganMs = performance.now();
  const nowMs = (): number => performance.now() - beganMs;
  const tally = emptyTally();
  const [stop, giveUp] = [new AbortController(), new AbortController()];
  const receiver = await startWebhookReceiver();
  const settings = { WEBHOOK_ALLOW_PRIVATE_HOSTS: '127.0.0.1', WEBHOOK_RETRY_DELAYS_SECONDS: '1,1,2,5' };
  const rig = await startTwoVersions({ other, first, env: settings });
  const followers: StreamFollower[] = [];
  const caller = () =>
    createCaller({ baseUrls: rig.baseUrls, keys: rig.keys, random: random.fork(), tally, giveUp: giveUp.signal });
  try {
    const body = { name: 'all events', url: receiver.url, events: ['event.*'] };
    const made = await caller().call({ method: 'POST', path: '/v1/integrations/webhooks', key: 'server', body });
    if (made?.status !== 201) throw new Error(`the webhook was not created: ${made?.text}`);
    for (const url of rig.baseUrls) followers.push(followStream({ url, key: rig.keys.live.server }));
    await until('both streams are connected', () => followers.every((one) => one.types().includes('connected')));
    const load = Array.from({ length: clients }, (_, place) =>
      startLoadClient({
        name: `client-${place}`,
        players: PLAYERS_PER_CLIENT,
        caller: caller(),
        random: random.fork(),
        stop: stop.signal,
        pauseMs: PAUSE_MS,
        nowMs,
      }),
    );
    let current = first;
    for (const [place, stage] of stages.entries()) {
      for (const slot of [0, 1] as const) {
        if (stage[slot] === current[slot]) continue;
        const signal = place % 2 === 0 ? 'SIGKILL' : 'SIGTERM';
        report(`${seconds(nowMs())}  slot ${slot}: ${signal}, then ${stage[slot]}`);
        await rig.replace(slot, stage[slot], signal);
      }
      current = stage;
      report(`${seconds(nowMs())}  ${stage.join(' + ')}: ${tally.acked} acknowledged, ${tally.unavailable} 503`);
      await delay(stageMs);
    }
    stop.abort();
    await Promise.all(load.map((client) => client.done));
    const logs = load.map((client) => client.log);
    const verdict = await verify(rig, logs);
    return {
      tally,
      verdict,
      webhooks: await webhookFigures(receiver, logs, rig),
      streams: streamFigures(followers, logs),
    };
  } finally {
    stop.abort();
    giveUp.abort();
    options.onOutput?.(rig.output());
    await Promise.all(followers.map((one) => one.stop()));
    await rig.stop();
    await receiver.stop();
  }
}

/** The counter of an event, which its properties carry, within its player. */
type EventName = `${string}:${number}`;

async function webhookFigures(
  receiver: WebhookReceiver,
  logs: readonly ClientLog[],
  rig: { natsUrl: string },
): Promise<TwoVersionsRun['webhooks']> {
  const stored = (await scanFacts(rig.natsUrl)).events.length;
  const ids = (): Map<EventName, Set<string>> => {
    const found = new Map<EventName, Set<string>>();
    for (const { body } of receiver.requests) {
      const { id, data }: { id: string; data: { player_id: string; properties: { n: number } } } = JSON.parse(body);
      const name: EventName = `${data.player_id}:${data.properties.n}`;
      found.set(name, (found.get(name) ?? new Set()).add(id));
    }
    return found;
  };
  await until('every event is delivered', () => ids().size >= stored, CATCH_UP_MS).catch(() => {});
  const found = ids();
  const acked = logs.flatMap(({ players }) =>
    players.flatMap(({ id, events }) => events.map(({ n }) => `${id}:${n}` as const)),
  );
  return {
    received: receiver.requests.length,
    ids: new Set([...found.values()].flatMap((one) => [...one])).size,
    lost: acked.filter((name) => !found.has(name)).length,
    doubled: [...found.values()].filter((one) => one.size > 1).length,
  };
}

function streamFigures(followers: readonly StreamFollower[], logs: readonly ClientLog[]): TwoVersionsRun['streams'] {
  const acked = logs.flatMap(({ players }) => players.flatMap(({ events }) => events.map(({ eventId }) => eventId)));
  return followers.map((follower) => {
    const seen = follower.eventIds();
    const distinct = new Set(seen);
    return {
      seen: seen.length,
      lost: acked.filter((eventId) => !distinct.has(eventId)).length,
      doubled: seen.length - distinct.size,
    };
  });
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1).padStart(7)} s`;

/** The figures of a run as text. */
export function reportOfTwoVersions({ tally, verdict, webhooks, streams }: TwoVersionsRun): string {
  const { acked, unavailable, cut, timedOut } = tally;
  return [
    `requests: ${acked} acknowledged, ${unavailable} answered 503, ${cut} cut, ${timedOut} timed out, each repeated`,
    `events: ${verdict.ackedEvents} acknowledged, ${verdict.lost} lost, ${verdict.doubled} doubled, ` +
      `${verdict.reordered} reordered, ${verdict.unexplained} unexplained; ${verdict.differing} of ${verdict.players} ` +
      'players differ',
    `webhook: ${webhooks.received} requests, ${webhooks.ids} ids, ${webhooks.lost} lost, ${webhooks.doubled} doubled`,
    ...streams.map(({ seen, lost, doubled }) => `stream: ${seen} seen, ${lost} lost, ${doubled} doubled`),
    `terms: ${verdict.terms.service} and ${verdict.terms.peer}`,
    ...verdict.violations.slice(0, 20).map((violation) => `VIOLATION ${violation}`),
  ].join('\n');
}

/** Whether anything was lost, doubled or changed on the way. */
export function isWhole({ verdict, webhooks, streams }: TwoVersionsRun): boolean {
  return verdict.violations.length === 0 && [webhooks, ...streams].every(({ lost, doubled }) => lost + doubled === 0);
}
