import { evaluateFlags } from '../../../../actors/flags/evaluate/evaluate-flags.ts';
import { createLiveDefinitions } from '../../../../actors/runtime/definitions/live-definitions.ts';
import { updateSegments } from '../../../../actors/segments/update-segments.ts';
import { aPlayer } from '../../../../actors/testing-players.ts';
import type { FlagDocument, FlagRule, SegmentDocument } from '../../../../core/vocabulary/documents/documents.ts';
import { LIFECYCLE_STAGES } from '../../../../core/vocabulary/state/lifecycle-stages.ts';
import type { EventCounter } from '../../../../core/vocabulary/state/player.ts';
import type { FlagEvaluation } from '../../../../core/vocabulary/commands/replies.ts';
import type { PlayerState } from '../../../../core/vocabulary/state/state.ts';
import { metered } from '../../../../actors/conditions/steps.ts';
import { createDefinitionTexts } from '../../../../src/api/flags/definition-texts.ts';
import { DAY_MS, dayOf } from '../../../../core/kernel/days.ts';
import { uuidv5 } from '../../../../core/kernel/ids.ts';
import type { Json, JsonObject } from '../../../../core/kernel/text/json.ts';
import { createMemoryConfigStore } from '../../../../test/support/in-memory/memory-config-store.ts';
import { createFakeClock } from '../../../../test/support/in-memory/fake-clock.ts';
import { silentLogger } from '../../../../test/support/in-memory/silent-logger.ts';
import { createCompiler } from '../../server/local/compiled-definitions.ts';
import { readDefinitions } from '../../server/local/definitions-document.ts';
import { createEvaluator, type Evaluator } from '../../server/local/evaluator.ts';
import type { FlagResult } from '../../server/local/flag-result.ts';
import type { PlayerInput } from '../../server/local/player-input.ts';

/*
 * Random games and players, evaluated by the code that the service runs and by the client of game servers: definitions
 * go through the config store and the text that the endpoint answers, memberships through the owner's update.
 */

export const NOW_MS = Date.UTC(2026, 0, 15, 12, 0, 0, 7);
const NAMESPACE = '1c7e1f1e-9d0f-4c52-8a6e-3f5f4f0b7a11';
const EVENTS = ['level_won', 'shop.opened', 'boss'];
const FIELDS = [
  'lifecycle_stage',
  'session_count',
  'total_revenue',
  'is_payer',
  'purchase_count',
  'total_playtime_seconds',
  'days_since_first_seen',
  'days_since_last_seen',
  'platform',
  'app_version',
  'attributes.country',
  'attributes.level',
  'attributes.tags',
  'attributes.deep.name',
  ...EVENTS.flatMap((name) =>
    ['count_1d', 'count_7d', 'count_30d', 'last_days_ago'].map((of) => `events.${name}.${of}`),
  ),
];
const CONTEXT_FIELDS = ['context.build', 'context.region'];

export type Random = () => number;

/** A generator of numbers, always the same for a seed. */
export function seeded(seed: number): Random {
  let state = (seed * 2_654_435_761) % 2_147_483_647 || 1;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

const pick = <T>(random: Random, list: readonly T[]): T => {
  const item = list[Math.floor(random() * list.length)];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
};
const integer = (random: Random, most: number) => Math.floor(random() * (most + 1));

function operand(random: Random, field: string): Json {
  if (field === 'lifecycle_stage') return { $in: [pick(random, ['new', 'active', 'churned']), 'at_risk'] };
  if (field === 'is_payer') return random() < 0.5;
  if (field === 'platform' || field === 'context.region') return pick(random, ['ios', 'android', 'web']);
  if (field === 'app_version' || field === 'context.build') {
    return { [pick(random, ['$vgte', '$vlt', '$veq'])]: `${integer(random, 2)}.${integer(random, 3)}.0` };
  }
  if (field === 'attributes.country') return pick<Json>(random, ['SE', { $nin: ['DE', 'NO'] }, { $regex: '^[DS]' }]);
  if (field === 'attributes.tags') {
    return pick<Json>(random, [{ $all: ['vip'] }, { $size: { $gte: 1 } }, { $elemMatch: { $eq: 'beta' } }]);
  }
  if (field === 'attributes.deep.name') return pick<Json>(random, [{ $exists: true }, 'grüße 🎮', { $type: 'null' }]);
  return { [pick(random, ['$gt', '$gte', '$lt', '$lte', '$eq', '$ne'])]: integer(random, 8) };
}

/** @param segments ids that it may name */
function condition(random: Random, fields: readonly string[], segments: readonly string[], depth = 0): JsonObject {
  const kind = random();
  if (depth < 2 && kind < 0.15) return { $not: condition(random, fields, segments, depth + 1) };
  if (depth < 2 && kind < 0.35) {
    const parts = [1, 2].map(() => condition(random, fields, segments, depth + 1));
    return { [pick(random, ['$and', '$or', '$nor'])]: parts };
  }
  if (segments.length > 0 && kind < 0.5) {
    return { $inSegment: Array.from({ length: 1 + integer(random, 1) }, () => pick(random, segments)) };
  }
  if (kind < 0.6) {
    const by = pick(random, ['player', 'device', 'attribute:country', 'attribute:deep.name']);
    return { $bucket: { salt: pick(random, ['s', 't']), by, below: pick(random, [20, 50, 99.99, 100]) } };
  }
  const field = pick(random, fields);
  return { [field]: operand(random, field) };
}

function rule(random: Random, segments: readonly string[]): FlagRule {
  const withConditions = random() < 0.6;
  return {
    name: 'rule',
    segmentId: segments.length > 0 && random() < 0.4 ? pick(random, segments) : null,
    ...(withConditions ? { conditions: condition(random, [...FIELDS, ...CONTEXT_FIELDS], segments) } : {}),
    value: random() < 0.85,
    percentage: pick(random, [100, 100, 50, 10, 33.3, 0.01, 0]),
    priority: integer(random, 3),
    startAt: random() < 0.1 ? NOW_MS + pick(random, [-1, 0, 1]) : null,
    endAt: random() < 0.1 ? NOW_MS + pick(random, [-1, 0, 1]) : null,
  };
}

function flag(random: Random, place: number, segments: readonly string[]): FlagDocument {
  const flagType = pick(random, ['boolean', 'multivariate', 'string', 'number', 'json'] as const);
  const values: Record<typeof flagType, Json[]> = {
    boolean: [],
    multivariate: ['a', 'b', 'grüße'],
    string: ['', 'x', '"'],
    number: [0, -1.5, 1e21],
    json: [{ rows: [1, { x: null }] }, [], null],
  };
  const variants = values[flagType].map((value, at) => ({ key: `v${at}`, value, weight: integer(random, 3) }));
  const [first] = variants;
  if (first !== undefined) first.weight += 1;
  const other = `flag-${integer(random, place + 1)}`;
  return {
    key: `flag-${place}`,
    name: 'flag',
    description: '',
    flagType,
    enabled: random() < 0.95,
    defaultValue: flagType === 'boolean' ? random() < 0.3 : pick<Json>(random, [null, values[flagType][0] ?? null]),
    salt: `salt-${integer(random, 1e9)}`,
    variants,
    rules: Array.from({ length: integer(random, 4) }, () => rule(random, segments)),
    prerequisites: random() < 0.15 ? [{ flagKey: other, value: pick<Json>(random, [true, false, 'a', 0]) }] : [],
    createdAt: 1,
    updatedAt: 1,
    archivedAt: null,
    version: 1 + integer(random, 5),
    periods: [{ period: 1, version: 1, since: 1 }],
  };
}

function player(random: Random, externalId: string): PlayerState {
  const counters = EVENTS.flatMap((name): EventCounter[] => {
    if (random() < 0.4) return [];
    const day = dayOf(NOW_MS) - integer(random, 8);
    return [{ name, day, counts: [1 + integer(random, 3), ...Array.from({ length: 9 }, () => integer(random, 2))] }];
  });
  const attributes: JsonObject = {};
  if (random() < 0.8) attributes['country'] = pick(random, ['SE', 'DE', 'NO', 'FI']);
  if (random() < 0.8) attributes['level'] = integer(random, 9);
  if (random() < 0.5) attributes['tags'] = pick<Json>(random, [[], ['vip'], ['beta', 'vip'], 'vip']);
  if (random() < 0.5) attributes['deep'] = { name: pick<Json>(random, ['grüße 🎮', null, 'x']), __proto: 1 };
  const device = {
    osVersion: null,
    deviceModel: null,
    build: null,
    appVersion: pick(random, ['1.0.0', '2.3.0', null]),
  };
  return aPlayer({
    id: idOf(externalId),
    externalId,
    lifecycleStage: pick(random, LIFECYCLE_STAGES),
    sessionCount: integer(random, 8),
    totalRevenue: pick(random, [0, 1, 19_900, 123_456_789]),
    isPayer: random() < 0.3,
    purchaseCount: integer(random, 4),
    totalPlaytimeSeconds: integer(random, 9),
    firstSeenAt: NOW_MS - integer(random, 9) * DAY_MS - integer(random, 2),
    lastSeenAt: NOW_MS - integer(random, 9) * DAY_MS + integer(random, 2) - 1,
    attributes: JSON.stringify(attributes),
    counters,
    device: random() < 0.7 ? { platform: pick(random, ['ios', 'android', null]), ...device } : null,
    deviceId: random() < 0.7 ? pick(random, ['d1', 'd2', 'd3', 'd4']) : null,
    overrides:
      random() < 0.2 ? [{ flagKey: `flag-${integer(random, 9)}`, value: pick(random, ['true', '"a"', '9']) }] : [],
  });
}

/** The player as the API shows it. */
function inputOf(state: PlayerState): PlayerInput {
  const today = dayOf(NOW_MS);
  const { device } = state;
  const { platform, osVersion, appVersion, build, deviceModel } = { ...device };
  return {
    external_id: state.externalId,
    device_id: state.deviceId,
    attributes: JSON.parse(state.attributes),
    lifecycle_stage: state.lifecycleStage,
    session_count: state.sessionCount,
    total_revenue: state.totalRevenue / 10_000,
    is_payer: state.isPayer,
    purchase_count: state.purchaseCount,
    total_playtime_seconds: state.totalPlaytimeSeconds,
    first_seen_at: new Date(state.firstSeenAt).toISOString(),
    last_seen_at: new Date(state.lastSeenAt),
    device_info: Object.fromEntries(
      Object.entries({
        platform,
        os_version: osVersion,
        app_version: appVersion,
        build,
        device_model: deviceModel,
      }).flatMap(([name, value]) => (value === null || value === undefined ? [] : [[name, value]])),
    ),
    events: Object.fromEntries(
      state.counters.map(({ name, day, counts }) => [name, [...Array<number>(today - day).fill(0), ...counts]]),
    ),
    overrides: Object.fromEntries(state.overrides.map(({ flagKey, value }) => [flagKey, JSON.parse(value)])),
  };
}

interface RandomGame {
  local: Evaluator;
  /** A player with its memberships, as its owner holds it, and a context. */
  player(random: Random, externalId: string): { state: PlayerState; context: JsonObject | undefined };
  /** What the service answers. */
  remote(state: PlayerState, context: JsonObject | undefined): readonly FlagEvaluation[];
}

const FLAGS = 10;
const SEGMENTS = 6;

const idsBelow = (place: number): string[] => Array.from({ length: place }, (_, other) => `seg_${other}`);

const idOf = (externalId: string): string => uuidv5(NAMESPACE, `live:${externalId}`);

/**
 * A game with random segments and flags.
 * @param externalIds of its players; some segments include or exclude some of them by id
 */
async function randomGame(random: Random, externalIds: readonly string[]): Promise<RandomGame> {
  const config = createMemoryConfigStore();
  const scope = { game: 'demo', environment: 'live' } as const;
  const someIds = (): string[] => [1, 2, 3].map(() => idOf(pick(random, externalIds)));
  const segments = Array.from({ length: SEGMENTS }, (_, place): SegmentDocument => ({
    id: `seg_${place}`,
    key: `segment-${place}`,
    name: '',
    description: '',
    // One of the names is of no segment.
    conditions: condition(random, FIELDS, place === 0 ? [] : ['seg_9', ...idsBelow(place)]),
    ...(random() < 0.1 ? { enabled: false } : {}),
    ...(random() < 0.3 ? { includes: someIds() } : {}),
    ...(random() < 0.3 ? { excludes: someIds() } : {}),
    createdAt: 1,
    updatedAt: 1,
    version: 1,
  }));
  const ids = idsBelow(SEGMENTS);
  for (const document of segments) await config.put({ ...scope, kind: 'segment', key: document.id }, document);
  for (let place = 0; place < FLAGS; place++) {
    const document = flag(random, place, ids);
    await config.put({ ...scope, kind: 'flag', key: document.key }, document);
  }
  const definitions = createLiveDefinitions(config, silentLogger);
  const texts = createDefinitionTexts({ config, clock: createFakeClock() });
  const made = await texts.of('demo', 'live');
  if (made.kind !== 'text') throw new Error(made.kind);
  const read = readDefinitions({ ...JSON.parse(made.text), environment: 'live', player_namespace: NAMESPACE });
  if (typeof read === 'string') throw new Error(read);
  const compiler = createCompiler((message) => {
    throw new Error(message);
  });
  const clock = { wallMs: () => NOW_MS, monotonicMs: () => 0 };

  return {
    local: createEvaluator(compiler.compile(read)),
    player(own, externalId) {
      const plain = player(own, externalId);
      const facts = updateSegments(plain, definitions.segments('demo', 'live'), 'all', NOW_MS);
      const members = facts.flatMap((fact) =>
        fact.kind === 'SegmentEntered' ? [{ segmentId: fact.segmentId, segmentKey: fact.segmentKey, since: 1 }] : [],
      );
      const context: JsonObject | undefined =
        own() < 0.3
          ? undefined
          : {
              ...(own() < 0.5 && { platform: pick(own, ['ios', 'web']) }),
              ...(own() < 0.5 && { build: pick(own, ['0.9', '2.0.0', 3]) }),
              region: pick<Json>(own, ['ios', 'web', { nested: [1] }]),
            };
      members.sort((one, other) => (one.segmentId < other.segmentId ? -1 : 1));
      return { state: { ...plain, segments: members }, context };
    },
    remote(state, context) {
      const query = { kind: 'EvaluateFlags', playerId: state.id, exposes: false, by: 'server' } as const;
      const text = JSON.stringify(context ?? {});
      const targeting = definitions.of('demo', 'live');
      const reply = metered(() => evaluateFlags(state, { ...query, flagKeys: 'all', context: text }, targeting, clock));
      if (reply.kind !== 'flags') throw new Error(reply.code);
      return reply.evaluations;
    },
  };
}

/** How a result differs from the service's; undefined if it does not. */
function difference(remote: FlagEvaluation, local: FlagResult | undefined): string | undefined {
  const { flagKey, value, variantKey, reason, segmentId, prerequisiteKey } = remote;
  const expected = { key: flagKey, value: JSON.parse(value), variant: variantKey, reason, segmentId, prerequisiteKey };
  const { key, value: own, variant, reason: ownReason, segmentId: ownSegment, prerequisiteKey: ownKey } = { ...local };
  const got = { key, value: own, variant, reason: ownReason, segmentId: ownSegment, prerequisiteKey: ownKey };
  const [one, other] = [JSON.stringify(expected), JSON.stringify(got)];
  return one === other ? undefined : `${one} but locally ${other} ${local?.missing?.join(' ') ?? ''}`;
}

export interface Compared {
  evaluations: number;
  differences: string[];
  /** By reason. */
  reasons: Record<string, number>;
}

/** Compares random players of random games: all flags together, and each by itself. */
export async function compareRandom(random: Random, games: number, playersPerGame: number): Promise<Compared> {
  const compared: Compared = { evaluations: 0, differences: [], reasons: {} };
  for (let game = 0; game < games; game++) {
    const externalIds = Array.from({ length: playersPerGame }, (_, turn) => `player-${game}-${turn}`);
    const made = await randomGame(random, externalIds);
    const { local } = made;
    for (const externalId of externalIds) {
      const { state, context } = made.player(random, externalId);
      const input = inputOf(state);
      const results = local.evaluateAll(undefined, input, context, NOW_MS);
      for (const evaluation of made.remote(state, context)) {
        const { flagKey, reason } = evaluation;
        const single = local.evaluate(flagKey, input, context, NOW_MS);
        const differs = difference(evaluation, results.get(flagKey)) ?? difference(evaluation, single);
        if (differs !== undefined) compared.differences.push(`${state.externalId}: ${differs}`);
        compared.evaluations += 1;
        compared.reasons[reason] = (compared.reasons[reason] ?? 0) + 1;
      }
    }
  }
  return compared;
}
