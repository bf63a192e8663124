import type { Command } from '../actors/vocabulary/commands.ts';
import { compileCondition } from '../actors/conditions/compile-condition.ts';
import { decide } from '../actors/decide.ts';
import { createDraft, type CommitDraft } from '../actors/runtime/draft.ts';
import { createSegmentSet, type DefinedSegment } from '../actors/segments/segment-set.ts';
import type { EntityState, PlayerState } from '../actors/vocabulary/state.ts';
import { aCommand, aPlayer, definitionsOf } from '../actors/testing.ts';
import type { JsonObject } from '../src/kernel/json.ts';
import { pairsCase, type Pair, type Work } from './lib/figures/pairs.ts';

const PLAYERS = 200;
const NOW_MS = Date.UTC(2026, 0, 15, 12);
const EVENT = 'level_up';

export const segments = pairsCase('segments', 'Keep segments up to date, beside having none: per event.', segmentPairs);

/** An owner's work for one event, segments included, beside the same without segments. */
function segmentPairs(): Pair[] {
  const without = upkeep([]);
  const pair = (name: string, count: number, conditions: (index: number) => JsonObject): Pair => ({
    name,
    work: upkeep(Array.from({ length: count }, (_, index) => conditions(index))),
    reference: without,
    referenceName: 'no segments',
  });
  return [
    pair('an event, no segments', 0, attributes),
    pair('an event, 10 segments, none reads it', 10, attributes),
    pair('an event, 10 segments, one reads it', 10, (index) => (index === 0 ? counter(0) : attributes(index))),
    pair('an event, 10 segments, all read it', 10, counter),
    pair('an event, 100 segments, none reads it', 100, attributes),
    pair('an event, 100 segments, 10 read it', 100, (index) => (index % 10 === 0 ? counter(index) : attributes(index))),
    pair('an event, 100 segments, all read it', 100, counter),
  ];
}

const attributes = (index: number): JsonObject => ({
  'attributes.level': { $gte: index },
  'attributes.country': { $in: ['DE', 'NO'] },
  is_payer: index % 2 === 0,
});

const counter = (index: number): JsonObject => ({
  'attributes.level': { $gte: index },
  [`events.${EVENT}.count_7d`]: { $gte: index % 5 },
  'attributes.country': 'DE',
});

function upkeep(conditions: readonly JsonObject[]): Work {
  const set = createSegmentSet(conditions.map(defined));
  const definitions = definitionsOf({ segments: set.all }, set);
  const players = Array.from({ length: PLAYERS }, (_, index) => player(index));
  const commands = players.map(({ id }) => track(id));
  let states = new Map<string, EntityState>(players.map((state) => [state.id, state]));
  const decideAll = (): CommitDraft => {
    const draft = createDraft((id) => states.get(id));
    for (const command of commands) decide(draft, command, definitions);
    return draft;
  };
  // After the first events memberships are settled: as with nearly all events, what is measured changes none.
  for (let round = 0; round < 6; round++) states = new Map([...states, ...decideAll().changed]);
  return { operations: PLAYERS, run: () => decideAll().facts.length };
}

function defined(conditions: JsonObject, index: number): DefinedSegment {
  const compiled = compileCondition(conditions);
  if (compiled.kind === 'invalid') throw new Error(`a condition of the bench is invalid: ${JSON.stringify(compiled)}`);
  const id = `seg_${String(index).padStart(3, '0')}`;
  return { segment: { id, key: id, condition: compiled.condition }, conditions };
}

function player(index: number): PlayerState {
  const id = `7d6f3f5e-6f0b-5f8e-9d2c-${String(index).padStart(12, '0')}`;
  const counters = Array.from({ length: 12 }, (_, place) => ({
    name: `event_${place}`,
    day: Math.floor(NOW_MS / 86_400_000),
    counts: [3, 1, 4, 1, 5],
  }));
  return aPlayer({
    id,
    attributes: JSON.stringify({ level: index % 60, country: index % 3 === 0 ? 'DE' : 'FR', guild: `guild ${index}` }),
    firstSeenAt: NOW_MS - 40 * 86_400_000,
    lastSeenAt: NOW_MS,
    lifecycleStage: 'active',
    counters,
  });
}

function track(playerId: string): Command {
  const item = {
    index: 0,
    playerId,
    eventId: 'e-1',
    remember: false,
    eventName: EVENT,
    properties: '{"level":7,"character":"mage"}',
    sessionId: null,
    timestamp: NOW_MS,
  };
  return aCommand({ kind: 'TrackEvents', items: [item] }, { receivedAt: NOW_MS });
}
