import { isDeepStrictEqual } from 'node:util';
import { recall } from '../../../actors/events/recent-events.ts';
import { evolve } from '../../../actors/evolve.ts';
import { decodeCommit, encodeCommit } from '../../../core/codec/codec.ts';
import type { EntityState, PlayerState } from '../../../core/vocabulary/state/state.ts';
import type { World } from '../world.ts';
import type { Attributed, Deed } from './attributed.ts';
import type { SimOwners } from './owners.ts';
import { COUNTED } from './play.ts';

/** Every player's totals are those of the deeds that count for it, and no deed counts twice or for none. */
export function checkTotals(world: World, { states }: SimOwners, attributed: Attributed): void {
  for (const playerId of attributed.players()) {
    const state = states.get(playerId);
    const deeds = attributed.deedsOf(playerId) ?? [];
    if (state?.kind !== 'player') {
      world.violate('alias', `${playerId} is ${state?.kind}, and should be a player`);
      continue;
    }
    const [expected, found] = [totalsOf(deeds), totalsIn(state)];
    for (const name of TOTALS) {
      if (expected[name] !== found[name])
        world.violate('totals', `${playerId}: ${name} is ${found[name]}, and its deeds give ${expected[name]}`);
    }
    for (const deed of deeds) {
      if (deed.kind === 'event' && recall(state, deed.name, 'server') === undefined)
        world.violate('recognised', `${playerId} does not recognise ${deed.name}`);
    }
  }
  for (const [id, state] of states) {
    if (state.kind === 'merged' && attributed.deedsOf(id) !== undefined) world.violate('alias', `${id} is merged`);
    if (state.kind === 'merged' && state.stage !== 'settled' && state.stage !== 'moved')
      world.violate('ends', `the merge of ${id} is still ${state.stage}`);
  }
}

const TOTALS = ['sessionCount', 'totalPlaytimeSeconds', 'events', 'totalRevenue', 'purchaseCount'] as const;

function totalsOf(deeds: readonly Deed[]) {
  const sales = new Map<string, number>();
  // The account's own record of a purchase comes first, and wins.
  for (const { kind, name, amount } of deeds) if (kind === 'purchase' && !sales.has(name)) sales.set(name, amount);
  const sum = (kind: Deed['kind']) => deeds.reduce((total, deed) => total + (deed.kind === kind ? deed.amount : 0), 0);
  return {
    sessionCount: sum('session'),
    totalPlaytimeSeconds: sum('playtime'),
    events: sum('event'),
    totalRevenue: [...sales.values()].reduce((total, amount) => total + amount, 0),
    purchaseCount: sales.size,
  };
}

function totalsIn({ counters, ...state }: PlayerState) {
  const counted = counters.filter(({ name }) => COUNTED.has(name)).flatMap(({ counts }) => counts);
  const { sessionCount, totalPlaytimeSeconds, totalRevenue, purchaseCount } = state;
  const events = counted.reduce((total, count) => total + count, 0);
  return { sessionCount, totalPlaytimeSeconds, totalRevenue, purchaseCount, events };
}

/** Every session ends once, whoever has it. A guest that was taken back has its open sessions again. */
export function checkSessions(world: World, attributed: Attributed): void {
  for (const [sessionId, closed] of attributed.sessions()) {
    if (closed === 0 || (closed > 1 && !attributed.hasReleased))
      world.violate('session-ends-once', `${sessionId} was closed ${closed} times`);
  }
}

/** The facts, written and read again, give the same states from the beginning. */
export function checkReplay(world: World, { log, states }: SimOwners): void {
  const replayed = new Map<string, EntityState>();
  const head = { partition: 0, epoch: 1, owner: 'sim', committedAt: 0, position: null, configRevision: 0 };
  for (const { sequence, facts } of log) {
    const { facts: read } = decodeCommit(encodeCommit({ ...head, facts: [...facts] }));
    for (const fact of read) {
      if (fact.kind === 'SnapshotMark' || fact.kind === 'EntitySnapshot' || fact.entityId.startsWith('ledger:'))
        continue;
      replayed.set(fact.entityId, evolve(replayed.get(fact.entityId), fact));
    }
    for (const fact of read) {
      const state = 'entityId' in fact ? replayed.get(fact.entityId) : undefined;
      if (state !== undefined) state.lastSeq = sequence;
    }
  }
  for (const [id, state] of replayed) {
    if (!isDeepStrictEqual(comparable(state), comparable(states.get(id))))
      world.violate('replay', `${id} differs: ${show(state)} instead of ${show(states.get(id))}`);
  }
}

const comparable = (state: EntityState | undefined): unknown => JSON.parse(show(state));
const show = (state: EntityState | undefined): string =>
  JSON.stringify(state, (_, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value,
  );
