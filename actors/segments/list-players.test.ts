import { describe, expect, it } from 'vitest';
import { LIST_LIMITS } from './limits.ts';
import { given } from '../testing/harness.ts';
import { aCommand, aPlayer, definitionsOf } from '../testing-players.ts';
import type { Definitions } from '../decision/definitions.ts';
import { loadBegan, newLoadId, type ListPlayers } from '../../core/vocabulary/documents/player-lists.ts';
import { listCondition, withExceptions } from './list-condition.ts';
import { createSegmentSet } from './segment-set.ts';

const NOW = Date.UTC(2026, 0, 15);
const timeless = { firstSeenAt: NOW, lastSeenAt: NOW, lifecycleStage: 'active', lifecycleDueAt: 0 } as const;
const [ANN, BEN] = [aPlayer({ id: 'ann', ...timeless }), aPlayer({ id: 'ben', ...timeless })];
const FIRST = newLoadId(NOW - 1_000, new Uint8Array(4), '');
const SECOND = newLoadId(NOW, new Uint8Array(4), FIRST);

/** The definitions with one static segment whose list in force is a load. */
function inForce(load: string, all = ['seg_1']): Definitions {
  const segment = { id: 'seg_1', key: 'vip', condition: listCondition('seg_1', load), load };
  return definitionsOf({}, createSegmentSet([{ segment, conditions: {} }], undefined, new Set(all)));
}

function listing(some: Partial<ListPlayers> = {}, receivedAt = NOW): ReturnType<typeof aCommand> {
  const body: ListPlayers = {
    kind: 'ListPlayers',
    segmentId: 'seg_1',
    load: FIRST,
    active: FIRST,
    change: 'add',
    playerIds: ['ann', 'ben', 'nobody'],
    ...some,
  };
  return aCommand(body, { receivedAt });
}

describe('a list of players', () => {
  it('in force makes its players enter with the same command, and tells who is no player', () => {
    const world = given([ANN, BEN], inForce(FIRST));
    const { facts } = world.when(listing()).thenReply({ kind: 'listed', members: 2, changed: 2, unknown: [2] });
    expect(facts.map(({ kind, entityId }) => `${kind} ${entityId}`)).toEqual([
      'PlayerListed ann',
      'PlayerListed ben',
      'SegmentEntered ann',
      'SegmentEntered ben',
    ]);
    world
      .when(listing())
      .thenFacts([])
      .thenReply({ members: 2, changed: 0, unknown: [2] });
    world
      .when(listing({ change: 'remove', playerIds: ['ann'] }))
      .thenFacts([{ kind: 'PlayerListed', loads: [] }, { kind: 'SegmentExited' }]);
    expect(world.player('ann')).not.toHaveProperty('lists');
  });

  it('that is still being loaded moves nobody, until the segment names it', () => {
    const world = given([{ ...ANN, lists: [{ segmentId: 'seg_1', loads: [FIRST] }] }, BEN], inForce(FIRST));
    world
      .when(listing({ load: SECOND, playerIds: ['ben', 'ben'] }))
      .thenFacts([{ kind: 'PlayerListed', entityId: 'ben' }])
      .thenReply({ members: 2, changed: 1 });
    const ben = world.player('ben');
    const matches = (load: string) => listCondition('seg_1', load).matches({ player: ben, nowMs: NOW });
    expect([matches(FIRST), matches(SECOND)]).toEqual([false, true]);
  });

  it('is refused when another one came into force', () => {
    given([ANN], inForce(SECOND)).when(listing()).thenFacts([]).thenReply({ kind: 'failure', code: 'CONFLICT' });
  });

  it('keeps the loads that may still come into force, and drops those that cannot', () => {
    const old = newLoadId(NOW - 3 * LIST_LIMITS.listLoadMs, new Uint8Array(4), '');
    const other = newLoadId(NOW, new Uint8Array([1, 0, 0, 0]), FIRST);
    const world = given([{ ...ANN, lists: [{ segmentId: 'seg_1', loads: [old, FIRST, other] }] }], inForce(FIRST));
    world.when(listing({ load: SECOND, playerIds: ['ann'] }));
    expect(world.player('ann').lists).toEqual([{ segmentId: 'seg_1', loads: [FIRST, other, SECOND] }]);
  });

  it('may be replaced as often as one likes', () => {
    let active = FIRST;
    let player = ANN;
    for (let n = 0; n < 3 * LIST_LIMITS.listLoadsOfPlayer; n++) {
      const load = newLoadId(NOW, new Uint8Array([n, 0, 0, 0]), active);
      const world = given([player], inForce(active));
      world.when(listing({ load, active, playerIds: ['ann'] })).thenReply({ kind: 'listed', members: 1 });
      player = world.player('ann');
      expect(player.lists).toEqual([{ segmentId: 'seg_1', loads: n === 0 ? [load] : [active, load] }]);
      active = load;
    }
  });

  it('is kept although an owner has not seen the list that it replaces', () => {
    const third = newLoadId(NOW, new Uint8Array(4), SECOND);
    const world = given([{ ...ANN, lists: [{ segmentId: 'seg_1', loads: [FIRST, third] }] }], inForce(FIRST));
    const late = newLoadId(NOW, new Uint8Array([1, 0, 0, 0]), FIRST);
    world.when(listing({ load: late, playerIds: ['ann'] }));
    expect(world.player('ann').lists).toEqual([{ segmentId: 'seg_1', loads: [FIRST, third, late] }]);
  });

  it('is refused as a whole after too many that broke, for as long as those are kept', () => {
    const broken = Array.from({ length: LIST_LIMITS.listLoadsOfPlayer - 1 }, (_, n) =>
      newLoadId(NOW, new Uint8Array([n + 1, 0, 0, 0]), FIRST),
    );
    const lists = [{ segmentId: 'seg_1', loads: [FIRST, ...broken] }];
    const world = given([ANN, { ...BEN, lists }], inForce(FIRST));
    const waitSeconds = (2 * LIST_LIMITS.listLoadMs) / 1_000;
    world
      .when(listing({ load: SECOND }))
      .thenFacts([])
      .thenReply({ code: 'CONFLICT', details: { retry_after_seconds: waitSeconds } });
    world.when(listing({ load: SECOND }, NOW + waitSeconds * 1_000)).thenReply({ kind: 'listed', members: 2 });
  });

  it("drops the lists of deleted segments with the player's next list", () => {
    const lists = [
      { segmentId: 'seg_0', loads: [FIRST] },
      { segmentId: 'seg_2', loads: [FIRST] },
    ];
    const world = given([{ ...ANN, lists }], inForce(FIRST, ['seg_1', 'seg_2']));
    world.when(listing({ playerIds: ['ann'] })).thenFacts([{ dropped: ['seg_0'] }, { kind: 'SegmentEntered' }]);
    expect(world.player('ann').lists?.map(({ segmentId }) => segmentId)).toEqual(['seg_1', 'seg_2']);
  });

  it('ends with the erasure of its player, also if the player registers again', () => {
    const world = given([{ ...ANN, lists: [{ segmentId: 'seg_1', loads: [FIRST] }] }], inForce(FIRST));
    world.when(aCommand({ kind: 'ErasePlayer', playerId: 'ann' }));
    const again = { kind: 'RegisterPlayer', playerId: 'ann', externalId: 'e', createOnly: false } as const;
    world.when(aCommand({ ...again, byClientKey: false }));
    expect(world.player('ann')).not.toHaveProperty('lists');
    expect(world.player('ann').segments).toEqual([]);
  });
});

describe('players that a segment names', () => {
  const holds = { matches: () => true, changesAt: () => 5 };
  const fails = { matches: () => false, changesAt: () => 5 };
  const of = (condition: typeof holds, includes: string[], excludes: string[]) => {
    const made = withExceptions(condition, { includes, excludes });
    return [made.matches({ player: ANN, nowMs: 1 }), made.changesAt(ANN, 1)];
  };

  it('are in it or not whatever its condition says, and time does not change that', () => {
    expect(of(fails, ['ann'], [])).toEqual([true, undefined]);
    expect(of(holds, [], ['ann'])).toEqual([false, undefined]);
    expect(of(holds, ['ann'], ['ann'])).toEqual([false, undefined]);
    expect(of(holds, ['ben'], ['zoe'])).toEqual([true, 5]);
  });
});

describe('the id of a load', () => {
  it('says when it began, which is later than its base whatever the clocks say', () => {
    expect(loadBegan(newLoadId(NOW, new Uint8Array([1, 2, 3, 4]), ''))).toBe(NOW);
    expect(loadBegan('')).toBe(0);
    expect(loadBegan(newLoadId(NOW - 60_000, new Uint8Array(4), SECOND))).toBe(NOW + 1);
  });
});
