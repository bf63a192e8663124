import { sleep } from '../../../core/kernel/clock.ts';
import type { JsonObject } from '../../../core/kernel/text/json.ts';
import type { SegmentDocument, WebhookDocument } from '../../../core/vocabulary/documents/documents.ts';
import { changeCampaigns } from './change-campaigns.ts';
import { changeExperiments } from './change-experiments.ts';
import { changeFlags } from './change-flags.ts';
import { changeProperties, drawCount } from './change-properties.ts';
import { LOADS } from '../model/players/model-lists.ts';
import type { Random } from '../random.ts';
import type { ChangeOptions } from './change-options.ts';
import type { SimProcess } from '../machines/sim-process.ts';
import type { World } from '../world.ts';

const AT_MOST = 3;
/** The maximum number of segments besides the permanent one. */
const SEGMENTS = 4;
/** The deepest nesting of a condition: each level is two of the 16 that the service allows. */
const DEEPEST = 6;

/** Changes definitions through random processes, so that revisions move while commands are in progress. */
export function changeDefinitions(options: ChangeOptions): void {
  void makeWebhooks(options);
  void changeSegments(options);
  void changeProperties(options);
  void changeFlags(options);
  void changeExperiments(options);
  void changeCampaigns(options);
}

/** Creates a webhook from time to time. */
async function makeWebhooks({ world, serving, done }: ChangeOptions): Promise<void> {
  const random = world.random('definitions');
  for (let made = 0; made < AT_MOST && !done(); made++) {
    await sleep(world.clock, random.between(0, 8_000));
    const processes = serving();
    if (processes.length === 0) continue;
    const process = random.pick(processes);
    const key = `webhook-${made}`;
    makeWebhook(world, process, key);
  }
}

/** Creates a webhook through one process. */
export function makeWebhook(world: World, process: SimProcess, key: string): void {
  process.clock.arrivals.timer(0.1, () => {
    // Revision 0 makes the write conditional: a copy that reaches the broker again has no effect.
    void process.serving?.config.put({ game: 'demo', environment: 'live', kind: 'webhook', key }, webhook(key), 0);
    world.cover('config: webhook made');
  });
}

/**
 * Creates, edits and deletes segments. The first is permanent: an owner that never saw a segment need not sweep for it.
 */
async function changeSegments({ world, serving, done, players }: ChangeOptions): Promise<void> {
  const random = world.random('segments');
  const lists = world.random('lists');
  const counts = world.random('counts');
  const nests = world.random('nests');
  let version = 0;
  while (!done()) {
    await sleep(world.clock, random.between(0, random.chance(0.5) ? 1_000 : 5_000));
    const processes = serving();
    if (processes.length === 0) continue;
    const process = random.pick(processes);
    const config = process.serving?.config;
    const isFirst = config?.list('segment').length === 0;
    const key = isFirst ? 'segment-0' : `segment-${random.int(0, SEGMENTS)}`;
    const address = { game: 'demo', environment: 'live', kind: 'segment', key } as const;
    const held = config?.get(address);
    version += 1;
    const own = drawCondition(random, counts);
    const conditions = nests.chance(0.4) ? drawNested(nests, own, Number(key.slice(-1))) : own;
    const document = { ...segment(key, version, conditions), ...drawList(lists, key, players) };
    process.clock.arrivals.timer(0.1, () => {
      if (process.serving === undefined) return;
      const { config } = process.serving;
      if (held !== undefined && !isFirst && key !== 'segment-0' && random.chance(0.4)) {
        void config.delete(address);
        world.cover('config: segment deleted');
      } else {
        void config.put(address, document);
        world.cover(held === undefined ? 'config: segment made' : 'config: segment edited');
      }
    });
  }
}

/** The segments that have a list more often than not. */
export const LISTED_SEGMENTS = ['segment-1', 'segment-2'] as const;

/** A list, and players who are in the segment or not in any case. */
function drawList(random: Random, key: string, players: readonly string[]): Partial<SegmentDocument> {
  const isListed = LISTED_SEGMENTS.some((listed) => listed === key) && random.chance(0.8);
  const load = random.chance(0.7) ? LOADS[0] : random.pick(LOADS);
  return {
    ...(isListed ? { list: { load, players: 0, loadedAt: null } } : {}),
    ...(random.chance(0.2) ? { includes: [random.pick(players)] } : {}),
    ...(random.chance(0.2) ? { excludes: [random.pick(players)] } : {}),
  };
}

/** A condition with a share of the players, or with segments of higher numbers: ids and depths differ in order. */
function drawNested(random: Random, own: JsonObject, place: number): JsonObject {
  const inner = Array.from({ length: SEGMENTS - place }, (_, more) => `segment-${place + 1 + more}`);
  const by = random.pick(['player', 'device', 'attribute:a1']);
  const member =
    inner.length === 0 || random.chance(0.3)
      ? { $bucket: { salt: random.pick(['one', 'two']), by, below: random.pick([30, 50, 70]) } }
      : { $inSegment: [random.pick(inner), random.pick(inner)] };
  return random.pick<() => JsonObject>([
    () => member,
    () => ({ $not: member }),
    () => ({ $and: [own, member] }),
    () => ({ $or: [own, { $not: member }] }),
    () => ({ $not: { $or: [own, member] } }),
  ])();
}

/** Conditions on time and on what the simulation's clients change. */
function drawCondition(random: Random, counts: Random, depth = 1): JsonObject {
  const event = `events.event_${random.int(1, 3)}`;
  const usual = random.pick<() => JsonObject>([
    () => ({ [`attributes.a${random.int(1, 3)}`]: { $gte: random.int(1, 8) } }),
    () => ({ 'attributes.country': random.pick(['NO', 'DE']) }),
    () => ({ [`${event}.count_1d`]: { $gte: random.int(1, 3) } }),
    () => ({ [`${event}.count_1d`]: { $gte: 1 } }),
    () => ({ [`${event}.count_7d`]: { $gte: random.int(2, 4) } }),
    () => ({ [`${event}.last_days_ago`]: { $gte: 1 } }),
    () => ({ lifecycle_stage: 'active' }),
    () => ({ days_since_first_seen: { $gte: 1 } }),
    () => ({ days_since_last_seen: { $gte: 1 } }),
  ])();
  const one = counts.chance(0.3) ? drawCount(counts) : usual;
  const dice = random.next();
  if (depth === DEEPEST) return one;
  if (dice < 0.15) return { $not: one };
  if (dice < 0.3) return { $or: [one, drawCondition(random, counts, depth + 1)] };
  return dice < 0.4 ? { $and: [one, drawCondition(random, counts, depth + 1)] } : one;
}

function segment(id: string, version: number, conditions: JsonObject): SegmentDocument {
  const texts = { key: `key-of-${id}`, name: id, description: '' };
  return { id, ...texts, conditions, createdAt: 0, updatedAt: version, version };
}

function webhook(id: string): WebhookDocument {
  return {
    id,
    name: id,
    url: 'https://receiver.example/',
    events: ['event.*', 'player.lifecycle_changed', 'churn.risk_high', 'campaign.triggered'],
    secret: 'secret',
    enabled: true,
    headers: {},
    retryPolicy: { maxRetries: 4, backoff: 'exponential' },
    filters: {},
    createdAt: 0,
    version: 1,
  };
}
