import { sleep } from '../../../core/kernel/clock.ts';
import type { JsonObject } from '../../../core/kernel/text/json.ts';
import type { CampaignDocument, CampaignTrigger } from '../../../core/vocabulary/documents/documents.ts';
import type { Random } from '../random.ts';
import type { ChangeOptions } from './change-options.ts';

/** The maximum number of campaigns. */
const CAMPAIGNS = 4;

/** The campaigns' ids. Each is also the namespace of its interventions' ids. */
const CAMPAIGN_IDS: readonly string[] = Array.from(
  { length: CAMPAIGNS },
  (_, turn) => `cmp_019bc0de-1234-7abc-8def-00000000000${turn}`,
);

const MINUTE_MS = 60_000;

/** Time zones without daylight saving time, with their offset from UTC in minutes. */
export const ZONES: ReadonlyMap<string, number> = new Map([
  ['+05:30', 330],
  ['Asia/Tokyo', 540],
  ['America/Phoenix', -420],
]);

/** Creates, edits, disables and deletes campaigns through random processes. */
export async function changeCampaigns({ world, serving, done }: ChangeOptions): Promise<void> {
  const random = world.random('campaigns');
  let version = 0;
  while (!done()) {
    await sleep(world.clock, random.between(0, random.chance(0.4) ? 1_000 : 6_000));
    const processes = serving();
    if (processes.length === 0) continue;
    const process = random.pick(processes);
    version += 1;
    const document = drawCampaign(random, version, world.clock.wallMs());
    const isDeletion = random.chance(0.05);
    process.clock.arrivals.timer(0.1, () => {
      if (process.serving === undefined) return;
      const { config } = process.serving;
      const address = { game: 'demo', environment: 'live', kind: 'campaign', key: document.id } as const;
      if (isDeletion) {
        if (config.get(address) === undefined) return;
        void config.delete(address);
        world.cover('config: campaign deleted');
        return;
      }
      world.cover(config.get(address) === undefined ? 'config: campaign made' : 'config: campaign edited');
      if (!document.enabled) world.cover('config: campaign disabled');
      void config.put(address, document);
    });
  }
}

function drawCampaign(random: Random, version: number, nowMs: number): CampaignDocument {
  const turn = random.int(0, CAMPAIGNS - 1);
  const often = random.chance(0.4);
  return {
    id: CAMPAIGN_IDS[turn] ?? '',
    key: `campaign-${turn}`,
    name: '',
    enabled: random.chance(0.88),
    trigger: drawTrigger(random, nowMs),
    audience: random.chance(0.25) ? `segment-${random.int(0, 2)}` : null,
    content: { title: `title ${version}`, body: 'a1: {{attributes.a1|none}}', cta: '' },
    ...variantsOf(version),
    displayRules: {
      priority: random.pick(['urgent', 'high', 'normal', 'medium', 'low', 'some other']),
      dismissAfterSeconds: 30,
    },
    caps: often
      ? { total: null, perDay: null }
      : { total: random.pick([null, 1, 3]), perDay: random.pick([null, 1, 2]) },
    cooldownSeconds: often ? 0 : random.pick([0, 1, 3, 3_600]),
    quietHours: random.chance(0.2) ? drawQuietHours(random, nowMs) : null,
    holdoutPercentage: random.pick([0, 0, 0, 50]),
    expiresAfterSeconds: random.pick([2, 604_800, 604_800, 604_800]),
    startAt: random.chance(0.1) ? nowMs + random.int(-1_000, 3_000) : null,
    endAt: random.chance(0.1) ? nowMs + random.int(3_001, 8_000) : null,
    createdAt: 0,
    updatedAt: nowMs,
    version,
  };
}

/** Every third version tests two messages. */
function variantsOf(version: number): Pick<CampaignDocument, 'variants'> {
  if (version % 3 > 0) return {};
  const content = { title: `other ${version}`, body: 'for {{external_id}}', cta: '' };
  return {
    variants: [
      { key: 'a', weight: 1 },
      { key: 'b', weight: 3, content },
    ],
  };
}

function drawTrigger(random: Random, nowMs: number): CampaignTrigger {
  const dice = random.next();
  const segmentId = `segment-${random.int(0, 3)}`;
  if (dice < 0.1) return { kind: 'segment_entered', segmentId };
  if (dice < 0.18) return { kind: 'segment_exited', segmentId };
  if (dice < 0.27)
    return { kind: 'lifecycle', stage: random.pick(['active', 'active', 'at_risk', 'churned', 'reactivated']) };
  if (dice < 0.3) return { kind: 'churn', level: 'high' };
  if (dice < 0.45) return { kind: 'schedule', at: nowMs + random.int(2_000, 7_000) };
  const event = random.pick(['event_1', 'event_2', 'event_3', 'session_recorded', 'achievement_unlocked']);
  return { kind: 'event', event, ...(random.chance(0.4) ? { conditions: drawConditions(random) } : {}) };
}

/** A condition on the event, on the player, or on both. */
function drawConditions(random: Random): JsonObject {
  const level = { 'properties.level': { $gte: random.int(1, 3) } };
  const attribute = { [`attributes.a${random.int(1, 3)}`]: { $gte: random.int(1, 5) } };
  return random.pick<() => JsonObject>([() => level, () => attribute, () => ({ ...level, ...attribute })])();
}

/** Quiet hours of a few minutes around the present in a random time zone, so that they begin or end during a run. */
function drawQuietHours(random: Random, nowMs: number): { from: string; to: string } {
  const zoneMinutes = random.pick([0, 0, ...ZONES.values()]);
  const from = nowMs + (zoneMinutes + random.int(-2, 1)) * MINUTE_MS;
  return { from: timeOfDay(from), to: timeOfDay(from + random.int(1, 3) * MINUTE_MS) };
}

const timeOfDay = (atMs: number): string => new Date(atMs).toISOString().slice(11, 16);
