import { compileCondition } from '../../actors/conditions/compile-condition.ts';
import { DAY_MS } from '../../core/kernel/days.ts';
import { counted } from '../../actors/computed/event-counters.ts';
import type { PlayerState } from '../../core/vocabulary/state/state.ts';
import type { Condition } from '../../actors/decision/targeting.ts';
import { aPlayer } from '../../actors/testing-players.ts';
import type { JsonObject } from '../../core/kernel/text/json.ts';
import { pairsCase, type Pair, type Work } from '../lib/figures/pairs.ts';
import type { EventCounter } from '../../core/vocabulary/state/player.ts';

const NOW_MS = Date.UTC(2026, 0, 15, 10, 30);
const REPEATS = 100;
const PLAYERS = 1_000;

export const conditions = pairsCase(
  'conditions',
  'Evaluate conditions for players, and count events: per evaluation or event.',
  conditionPairs,
);

/** Conditions evaluated for players, and events counted, beside JSON.parse of the attributes or a bare copy. */
function conditionPairs(): Pair[] {
  const counters = countersOf(20);
  const many = countersOf(256);
  const players = Array.from({ length: PLAYERS }, (_, turn) => samplePlayer(turn, counters));
  const three = compiled({
    'attributes.level': { $gte: 0 },
    'attributes.country': { $in: ['SE', 'DE'] },
    'events.event_10.count_7d': { $gte: 1 },
  });
  return [
    beside('three comparisons', evaluating(three, players), parsing(players)),
    beside('a version', evaluating(compiled({ app_version: { $vgte: '1.2.0' } }), players), parsing(players)),
    beside(
      'a regular expression',
      evaluating(compiled({ device_model: { $regex: '^iPad(Pro)?' } }), players),
      parsing(players),
    ),
    {
      name: 'three comparisons of a new state, parsing it',
      work: { operations: PLAYERS, run: () => tally(players, (player) => three.matches({ player, nowMs: NOW_MS })) },
      reference: { operations: PLAYERS, run: () => tally(players, (player) => JSON.parse(player.attributes) !== null) },
      referenceName: 'JSON.parse of its attributes',
    },
    counting('count an event, the latest of 20 names', counters, 'event_19'),
    counting('count an event, the oldest of 20 names', counters, 'event_0'),
    counting('count an event, a new name beyond 256', many, 'another'),
  ];
}

function beside(name: string, work: Work, reference: Work): Pair {
  return { name, work, reference, referenceName: 'JSON.parse of the attributes' };
}

/** Each player's state is evaluated many times, as it is for many segments or flags. */
function evaluating(condition: Condition, players: readonly PlayerState[]): Work {
  const run = () =>
    tally(players, (player) => {
      let yes = 0;
      for (let turn = 0; turn < REPEATS; turn++) if (condition.matches({ player, nowMs: NOW_MS })) yes++;
      return yes > 0;
    });
  return { operations: PLAYERS * REPEATS, run };
}

function parsing(players: readonly PlayerState[]): Work {
  return { operations: PLAYERS, run: () => tally(players, (player) => JSON.parse(player.attributes) !== null) };
}

function counting(name: string, counters: readonly EventCounter[], eventName: string): Pair {
  return {
    name,
    work: { operations: 1, run: () => counted(counters, eventName, NOW_MS) },
    reference: { operations: 1, run: () => counters.slice() },
    referenceName: 'copy of the list',
  };
}

/** One more than the number of players for whom the test holds, so that it is never 0. */
function tally(players: readonly PlayerState[], test: (player: PlayerState) => boolean): number {
  let sum = 1;
  for (const player of players) if (test(player)) sum++;
  return sum;
}

function compiled(conditions: JsonObject): Condition {
  const result = compileCondition(conditions);
  if (result.kind === 'invalid') throw new Error(JSON.stringify(result.faults));
  return result.condition;
}

function countersOf(names: number): readonly EventCounter[] {
  let counters: readonly EventCounter[] = [];
  for (let turn = 0; turn < names; turn++) counters = counted(counters, `event_${turn}`, NOW_MS - (turn % 5) * DAY_MS);
  return counters;
}

function samplePlayer(turn: number, counters: readonly EventCounter[]): PlayerState {
  const country = turn % 2 === 0 ? 'SE' : 'DE';
  return aPlayer({
    attributes: JSON.stringify({ level: turn % 50, country, language: 'en', is_vip: turn % 20 === 0 }),
    counters,
    device: {
      platform: 'ios',
      osVersion: '17.2',
      appVersion: `1.${turn % 20}.0`,
      build: null,
      deviceModel: 'iPad Air 11',
    },
  });
}
