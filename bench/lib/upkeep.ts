import type { Command } from '../../core/vocabulary/commands/commands.ts';
import { compileCondition } from '../../actors/conditions/compile-condition.ts';
import { propertiesChanged } from '../../actors/computed/evolve-properties.ts';
import { writeProperty } from '../../actors/computed/property-text.ts';
import { decide } from '../../actors/decide.ts';
import { createDraft, type CommitDraft } from '../../actors/runtime/term/draft.ts';
import { createSegmentSet, type DefinedSegment } from '../../actors/segments/segment-set.ts';
import { propertiesLedgerOf, type PropertySpec } from '../../core/vocabulary/documents/computed.ts';
import type { EntityState, PlayerState } from '../../core/vocabulary/state/state.ts';
import { aCommand, aPlayer, definitionsOf } from '../../actors/testing-players.ts';
import type { JsonObject } from '../../core/kernel/text/json.ts';
import type { Work } from './figures/pairs.ts';

const PLAYERS = 200;
const NOW_MS = Date.UTC(2026, 0, 15, 12);
/** The name of the events. Their level is 7. */
export const EVENT = 'level_up';

/**
 * An owner's work for one event of each of some players, with conditions of segments and with computed properties. What
 * an earlier event changes is settled: as with nearly all events, memberships stay.
 */
export function upkeep(conditions: readonly JsonObject[], properties: readonly PropertySpec[] = []): Work {
  const set = createSegmentSet(conditions.map(defined));
  const definitions = definitionsOf({ segments: set.all }, set);
  const players = Array.from({ length: PLAYERS }, (_, index) => player(index));
  const commands = players.map(({ id }) => track(id));
  let states = new Map<string, EntityState>(players.map((state) => [state.id, state]));
  if (properties.length > 0) {
    const ledger = ledgerWith(properties);
    states.set(ledger.id, ledger);
  }
  const decideAll = (): CommitDraft => {
    const draft = createDraft((id) => states.get(id));
    for (const command of commands) decide(draft, command, definitions);
    return draft;
  };
  // After the first events memberships are settled: as with nearly all events, what is measured changes none.
  for (let round = 0; round < 6; round++) states = new Map([...states, ...decideAll().changed]);
  return { operations: PLAYERS, run: () => decideAll().facts.length };
}

function ledgerWith(properties: readonly PropertySpec[]): EntityState {
  const { game, environment } = aPlayer();
  const began = properties.map((spec, index) => ({ id: `property-${index}`, spec: writeProperty(spec) }));
  const entityId = propertiesLedgerOf(game, environment);
  const base = { kind: 'PropertiesChanged', entityId, game, environment, at: NOW_MS, revision: 1 } as const;
  const counting = propertiesChanged(undefined, { ...base, began, ended: [], from: 0, filled: [] });
  return propertiesChanged(counting, { ...base, began: [], ended: [], from: 1, filled: began.map(({ id }) => id) });
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
