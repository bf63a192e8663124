import type { Json, JsonObject } from '../../core/kernel/text/json.ts';
import { CAMPAIGN_LIMITS } from '../campaigns/limits.ts';
import { COUNTER_LIMITS } from '../computed/limits.ts';
import { FLAG_LIMITS } from '../flags/limits.ts';
import { STATE_LIMITS } from '../../core/vocabulary/limits.ts';
import { aCampaign, campaignId, campaignSetOf } from '../campaigns/testing-campaign.ts';
import type { CommandBody, Query, TrackItem } from '../../core/vocabulary/commands/commands.ts';
import { DAY_MS } from '../../core/kernel/days.ts';
import { answer, decide } from '../decide.ts';
import { aFlag, aRule, targetingOf } from '../flags/evaluate/testing-flag.ts';
import { createDraft } from '../runtime/term/draft.ts';
import { createSegmentSet } from '../segments/segment-set.ts';
import type { PlayerState } from '../../core/vocabulary/state/state.ts';
import { aCommand, aPlayer, definitionsOf } from '../testing-players.ts';
import { compileCondition } from './compile-condition.ts';
import type { Definitions } from '../decision/definitions.ts';

/** For tests: a command or query, with definitions whose conditions cost as much as the limits allow. */
export interface WorstCommand {
  name: string;
  /** Compiles the definitions and returns a function that decides the command once. */
  prepare: () => () => void;
}

const NOW_MS = 20_000 * DAY_MS;

const range = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));

/** A pattern that keeps every thread of its automaton active at every character. */
export const HUNGRY = '(?:(?:[a-z]|.)*(?:a|b|.)?){8}(?:[a-z]?){10}[!?]';
const HUNGRY_TEXT = 'ab'.repeat(512);

/** Segments that share one condition, compiled once. */
function definitionsWith(conditions: JsonObject, many: number = STATE_LIMITS.segmentsPerEnvironment): Definitions {
  const compiled = compileCondition(conditions);
  if (compiled.kind === 'invalid') throw new Error(JSON.stringify(compiled.faults));
  const { condition } = compiled;
  const set = createSegmentSet(
    range(many, (index) => {
      const id = `seg_${String(index).padStart(4, '0')}`;
      return { segment: { id, key: id, condition }, conditions };
    }),
  );
  return definitionsOf({ segments: set.all }, set);
}

const playerId = (index: number): string => `7d6f3f5e-6f0b-5f8e-9d2c-${String(index).padStart(12, '0')}`;

function playersWith(count: number, some: (index: number) => Partial<PlayerState>): PlayerState[] {
  return range(count, (index) =>
    aPlayer({
      id: playerId(index),
      lifecycleStage: 'active',
      firstSeenAt: NOW_MS - 40 * DAY_MS,
      lastSeenAt: NOW_MS,
      lifecycleDueAt: NOW_MS + DAY_MS,
      ...some(index),
    }),
  );
}

function deciding(players: readonly PlayerState[], body: CommandBody, definitions: Definitions): () => void {
  const states = new Map(players.map((player) => [player.id, player]));
  return () => {
    decide(
      createDraft((id) => states.get(id)),
      aCommand(body, { receivedAt: NOW_MS }),
      definitions,
    );
  };
}

function track(items: readonly Partial<TrackItem>[]): CommandBody {
  return {
    kind: 'TrackEvents',
    items: items.map((item, index) => ({
      index,
      playerId: playerId(0),
      eventId: `e${index}`,
      remember: false,
      eventName: 'win',
      properties: '{}',
      sessionId: null,
      timestamp: NOW_MS,
      ...item,
    })),
  };
}

/** Segments that every event may change. */
function segments(
  name: string,
  each: JsonObject,
  value: Json,
  players = 1,
  many: number = STATE_LIMITS.segmentsPerEnvironment,
): WorstCommand {
  return {
    name,
    prepare: () =>
      deciding(
        playersWith(players, () => ({ attributes: JSON.stringify({ a: value }) })),
        track(range(players === 1 ? 1 : players, (index) => ({ playerId: playerId(index) }))),
        definitionsWith({ days_since_last_seen: { $gte: 0 }, ...each }, many),
      ),
  };
}

const any = (count: number, operandOf: (index: number) => Json): JsonObject => ({
  $or: range(count, (index) => ({ 'attributes.a': operandOf(index) })),
});

const ALL_FLAGS: Query = {
  requestId: 'r',
  replyTo: 'g',
  game: 'demo',
  environment: 'live',
  configRevision: 0,
  deadlineAt: NOW_MS,
  body: { kind: 'EvaluateFlags', playerId: playerId(0), flagKeys: 'all', context: '{}', exposes: false, by: 'server' },
};
const STILL = { wallMs: () => NOW_MS, monotonicMs: () => 0 };

export const worstCommands = (): WorstCommand[] => [
  ...worstPatterns(),
  ...worstComparisons(),
  ...worstPlayers(),
  ...worstFlags(),
  ...worstCampaigns(),
];

function worstPatterns(): WorstCommand[] {
  return [
    segments(
      '40 patterns over lists of 15 texts',
      any(40, () => ({ $elemMatch: { $regex: HUNGRY } })),
      range(15, () => HUNGRY_TEXT),
      1,
      1,
    ),
    segments(
      'that in 500 segments',
      any(40, () => ({ $elemMatch: { $regex: HUNGRY } })),
      range(15, () => HUNGRY_TEXT),
    ),
    segments(
      'that for 100 players',
      any(40, () => ({ $elemMatch: { $regex: HUNGRY } })),
      range(15, () => HUNGRY_TEXT),
      100,
    ),
    segments(
      'Unicode classes',
      any(40, () => ({ $regex: String.raw`(?:\p{L}|\p{N}|\p{P}|\p{S}){60}[!]` })),
      'é1!+'.repeat(256),
    ),
  ];
}

function worstComparisons(): WorstCommand[] {
  return [
    segments(
      'lists of 32,000 in lists',
      any(190, () => ({ $in: ['x'] })),
      range(32_000, () => 1),
    ),
    segments(
      'lists of 6,000 texts in lists, ignoring case',
      any(190, () => ({ $ini: ['x'] })),
      range(6_000, (i) => `k${i}`),
    ),
    segments(
      'objects of 6,500 keys',
      any(150, () => ({ $eq: { x: 1 } })),
      Object.fromEntries(range(6_500, (i) => [`k${i}`, 1])),
    ),
    segments(
      'lists of objects',
      any(150, () => ({ $elemMatch: { $eq: { x: 1 } } })),
      range(7_000, () => ({ y: 1 })),
    ),
    segments(
      'lists in lists',
      any(100, () => ({ $elemMatch: { $elemMatch: { $elemMatch: { $eq: 2 } } } })),
      range(16_000, () => [[]]),
    ),
    segments(
      'versions of 8,000 characters',
      any(300, () => ({ $vgt: '1.0.0' })),
      '1.'.repeat(4_000),
    ),
    segments(
      'numbers of 8,000 digits',
      any(300, () => ({ $gt: 1e300 })),
      '1'.repeat(8_000),
    ),
    segments(
      'texts of 8,000 characters in lower case',
      any(190, () => ({ $ini: ['x'] })),
      'A'.repeat(8_000),
    ),
    segments(
      'all of a list',
      any(100, () => ({ $all: ['x', 'y', 'z', 'u', 'v'] })),
      range(32_000, () => 1),
    ),
    segments(
      '1,000 plain tests',
      any(450, (i) => i),
      451,
    ),
    segments(
      'equal texts of 4,000 characters',
      any(15, () => `${'a'.repeat(4_000)}b`),
      `${'a'.repeat(4_000)}c`,
    ),
  ];
}

function worstPlayers(): WorstCommand[] {
  return [
    {
      name: 'attributes of 64 KiB of 100 players',
      prepare: () =>
        deciding(
          playersWith(100, (n) => ({
            attributes: JSON.stringify({ n, a: Object.fromEntries(range(6_500, (i) => [`k${i}`, 1])) }),
          })),
          track(range(100, (index) => ({ playerId: playerId(index) }))),
          definitionsWith({ days_since_last_seen: { $gte: 0 }, 'attributes.b': 1 }, 1),
        ),
    },
    {
      name: '300 counters in each of 500 segments',
      prepare: () =>
        deciding(
          playersWith(1, () => ({
            counters: range(COUNTER_LIMITS.countedNames, (i) => ({ name: `event_${i}`, day: 20_000, counts: [1] })),
          })),
          track([{ eventName: 'event_0' }]),
          definitionsWith({
            $or: range(300, (i) => ({ [`events.none_${i % 30}.count_7d`]: { $gte: 2 } })),
            days_since_last_seen: 0,
          }),
        ),
    },
  ];
}

function worstFlags(): WorstCommand[] {
  return [
    {
      name: 'a chain of 2,000 flags, all evaluated',
      prepare: () => {
        const targeting = targetingOf(chain());
        const definitions = definitionsOf(targeting);
        const [player] = playersWith(1, () => ({}));
        return () => void answer(player, ALL_FLAGS, { definitions, clock: STILL });
      },
    },
    {
      name: 'a chain of 2,000 flags, its end in each of 100 events',
      prepare: () =>
        deciding(
          playersWith(1, () => ({})),
          track(range(100, () => ({ properties: '{"flag_key":"flag_1999"}' }))),
          definitionsOf(targetingOf(chain())),
        ),
    },
    {
      name: '2,000 flags of 50 rules with patterns, all evaluated',
      prepare: () => {
        const conditions = { 'attributes.a': { $regex: HUNGRY } };
        const rules = range(FLAG_LIMITS.flagRules, (i) => aRule({ name: `r${i}`, conditions }));
        const { flags } = targetingOf([aFlag({ key: 'flag', rules })]);
        const [flag] = flags.values();
        const many = range(flag === undefined ? 0 : 2_000, (i) => [`flag_${i}`, flag] as const);
        const definitions = definitionsOf({
          flags: new Map(many.flatMap(([key, one]) => (one === undefined ? [] : [[key, one]]))),
        });
        const [player] = playersWith(1, () => ({ attributes: JSON.stringify({ a: HUNGRY_TEXT }) }));
        return () => void answer(player, ALL_FLAGS, { definitions, clock: STILL });
      },
    },
  ];
}

function worstCampaigns(): WorstCommand[] {
  return [
    {
      name: '200 campaigns with patterns, 100 events',
      prepare: () => {
        const conditions = { 'properties.a': { $regex: HUNGRY } };
        const campaigns = campaignSetOf(
          ...range(200, (n) => aCampaign({ id: campaignId(n), trigger: { kind: 'event', event: 'win', conditions } })),
        );
        const properties = JSON.stringify({ a: HUNGRY_TEXT });
        return deciding(
          playersWith(1, () => ({})),
          track(range(100, () => ({ properties }))),
          definitionsOf({}, createSegmentSet([]), campaigns),
        );
      },
    },
    {
      name: '200 campaigns without conditions, 100 events, 1,000 tallies',
      prepare: () => {
        const campaigns = campaignSetOf(
          ...range(200, (n) =>
            aCampaign({
              id: campaignId(n),
              caps: { total: 1, perDay: null },
              trigger: { kind: 'event', event: 'win' },
            }),
          ),
        );
        return deciding(
          playersWith(1, () => ({
            campaignTallies: range(CAMPAIGN_LIMITS.campaignTallies, (n) => ({
              campaignId: campaignId(n),
              total: 1,
              shown: 1,
              day: 20_000,
              today: 1,
              lastAt: 1,
              suppressedAt: NOW_MS,
              suppressed: 1,
            })),
          })),
          track(range(100, () => ({}))),
          definitionsOf({}, createSegmentSet([]), campaigns),
        );
      },
    },
  ];
}

function chain() {
  return range(2_000, (i) =>
    aFlag({
      key: `flag_${i}`,
      rules: [aRule()],
      prerequisites: i === 0 ? [] : [{ flagKey: `flag_${i - 1}`, value: true }],
    }),
  );
}
