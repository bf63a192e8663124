import { describe, expect, it } from 'vitest';
import { liveDefinitions } from '../../../test/support/in-memory/live-definitions.ts';
import { silentLogger } from '../../../test/support/in-memory/silent-logger.ts';
import { API_LIMITS } from '../../../src/api/limits.ts';
import { CLOCK_LIMITS } from '../../../streams/limits.ts';
import { OWNER_LIMITS } from '../limits.ts';
import { TEXT_LIMITS } from '../../../core/kernel/text/limits.ts';
import { decodeCommit, encodeCommit } from '../../../core/codec/codec.ts';
import type { Command, TrackItem } from '../../../core/vocabulary/commands/commands.ts';
import { aCommand, definitionsOf } from '../../testing-players.ts';
import { listCondition } from '../../segments/list-condition.ts';
import type { DefinedSegment } from '../../segments/segment-set.ts';
import { buildCommit } from './build-commit.ts';
import { createEntities } from './entities.ts';
import type { RequestFeed } from './request-feed.ts';
import { createMemoryStores } from '../store/store-memory.ts';

const NO_TASKS = { snapshotIds: [], dueIds: [], sweepIds: [], sweepWants: () => true, mark: undefined, idle: false };

function feedOf(commands: readonly Command[]): RequestFeed & { taken: number } {
  const feed = {
    taken: 0,
    open: () => Promise.resolve(),
    closed: false,
    peek: () => commands[feed.taken],
    take: () => {
      feed.taken += 1;
    },
    position: null,
    wantedRevision: 0,
    backlogTaken: true,
    stop: () => {},
  };
  return feed;
}

function build(
  commands: Command[],
  nowMs = 2_000,
  handedOver: Command[] = [],
  internalCommands: Command[] = [],
  segments: readonly DefinedSegment[] = [],
) {
  const store = createMemoryStores().partition(0);
  const entities = createEntities({ store, factsCreated: 'c', hotBytes: 1e6, nowMs: () => 0 });
  const feed = feedOf(commands);
  const waiting = feedOf(handedOver);
  const handed = { ...waiting, peek: () => handedOver[waiting.taken], take: () => waiting.take() };
  const internal = internalCommands.map((command) => ({ command }));
  const next = () => {
    const shared = { partition: 0, epoch: 1, nowMs, configRevision: 3, entities, feed, maintenance: NO_TASKS };
    const definitions = liveDefinitions(definitionsOf(), segments);
    const own = { definitions, monotonicMs: () => 0, internal: { take: () => internal.shift() } };
    const room = { commandsFit: true, handed, computing: { sync: () => false, take: () => {} } };
    const commit = buildCommit({ ...shared, ...own, ...room, logger: silentLogger });
    entities.applyCommit(commit.draft, [], entities.appliedSeq + 1);
    return commit;
  };
  return { feed, handed: waiting, next };
}

const register = (id: string, some: Partial<Command> = {}, attributes?: string): Command => {
  const own = attributes === undefined ? {} : { attributes };
  return aCommand(
    { kind: 'RegisterPlayer', playerId: id, externalId: id, createOnly: false, byClientKey: false, ...own },
    some,
  );
};

const track = (id: string, chars: number, count: number): Command => {
  const properties = JSON.stringify({ text: '\u6f22'.repeat(chars) });
  const items = Array.from({ length: count }, (_, index): TrackItem => ({
    index,
    playerId: id,
    eventId: `${id}-${index}`,
    remember: false,
    eventName: 'e',
    properties,
    sessionId: null,
    timestamp: 1,
  }));
  return aCommand({ kind: 'TrackEvents', items });
};

/** Events whose names and ids have the maximum length, in characters of three bytes. */
const longNamed = (id: string, batch: number): Command => {
  const longest = '\u6f22'.repeat(TEXT_LIMITS.callerIdLength - 5);
  const items = Array.from({ length: API_LIMITS.batchEvents }, (_, index): TrackItem => ({
    index,
    playerId: id,
    eventId: `${longest}${batch}-${index}`,
    remember: true,
    eventName: longest,
    properties: '{}',
    sessionId: longest,
    timestamp: 1,
  }));
  return aCommand({ kind: 'TrackEvents', items });
};

/** Bytes of the records that the commands take, one after the other. */
function recordSizes(commands: Command[]): number[] {
  const { feed, next } = build(commands);
  const sizes: number[] = [];
  while (feed.taken < commands.length) {
    const before = feed.taken;
    const { facts, encoded } = next();
    const record = { partition: 0, epoch: 1, owner: 'o', committedAt: 0, position: null, configRevision: 0, facts };
    const bytes = encodeCommit(record, encoded);
    expect(decodeCommit(bytes)).toEqual(record);
    sizes.push(bytes.length);
    expect(feed.taken).toBeGreaterThan(before);
  }
  return sizes;
}

describe('building a commit', () => {
  it('cuts records between commands so that none is over its size, whatever the characters', () => {
    const commands = [register('p'), ...Array.from({ length: 12 }, () => track('p', 7_000, 45))];
    const sizes = recordSizes(commands);
    expect(sizes.length).toBeGreaterThan(1);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(OWNER_LIMITS.commitBytes);
  });

  it('keeps a record of events within its size, whatever the lengths of their names, ids and country', () => {
    const country = '\u6f22'.repeat(Math.floor(TEXT_LIMITS.stringBytes / 3));
    const attributes = JSON.stringify({ country });
    const commands = [
      register('p', {}, attributes),
      ...Array.from({ length: 40 }, (_, batch) => longNamed('p', batch)),
    ];
    const sizes = recordSizes(commands);
    expect(sizes.length).toBeGreaterThan(1);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(OWNER_LIMITS.commitBytes);
  });

  it('never applies a command past its deadline, and moves past it', () => {
    const { feed, next } = build([register('a', { deadlineAt: 1_999 }), register('b', { deadlineAt: 2_000 })]);
    const commit = next();
    expect(commit.facts.map((fact) => fact.kind === 'PlayerRegistered' && fact.player.id)).toEqual(['b']);
    expect(commit.replies).toHaveLength(1);
    expect(feed.taken).toBe(2);
  });

  it('dates a command of a gateway whose clock is ahead by the clock of the owner, and other commands as received', () => {
    const aheadMs = 25 * 3_600_000;
    const nowMs = 2_000 + aheadMs;
    const toleratedMs = nowMs + 2 * CLOCK_LIMITS.clockToleranceMs;
    const at = (id: string, receivedAt: number) => register(id, { receivedAt, deadlineAt: receivedAt + 5_000 });
    const { next } = build(
      [at('p', nowMs + aheadMs), at('q', toleratedMs + 1), at('r', toleratedMs), at('s', nowMs - 3_000)],
      nowMs,
    );
    expect(next().facts.flatMap((fact) => (fact.kind === 'PlayerRegistered' ? [fact.at] : []))).toEqual([
      nowMs,
      nowMs,
      toleratedMs,
      nowMs - 3_000,
    ]);
  });

  it('answers 503 to a command made under a revision it has not seen', () => {
    const { next } = build([register('a', { configRevision: 4 })]);
    const commit = next();
    expect(commit.facts).toEqual([]);
    expect(commit.replies[0]?.reply).toMatchObject({ kind: 'failure', code: 'SERVICE_UNAVAILABLE' });
  });

  it('rejects a command that throws alone, undoing what it emitted', () => {
    const broken = track('a', 1, 2);
    if (broken.body.kind === 'TrackEvents' && broken.body.items[1] !== undefined) {
      Object.defineProperty(broken.body.items[1], 'timestamp', {
        get() {
          throw new Error('a bug');
        },
      });
    }
    const { next } = build([register('a'), broken, register('b')]);
    const commit = next();
    expect(commit.facts.map((fact) => fact.kind)).toEqual(['PlayerRegistered', 'PlayerRegistered']);
    expect(commit.replies.map(({ reply }) => (reply.kind === 'failure' ? reply.code : reply.kind))).toEqual([
      'player',
      'INTERNAL_ERROR',
      'player',
    ]);
  });

  it('decides what was handed over after what was read, and leaves it half of a record', () => {
    const count = 2 * OWNER_LIMITS.commitFacts;
    const registrations = (name: string) => Array.from({ length: count }, (_, index) => register(`${name}-${index}`));
    const { feed, handed, next } = build(registrations('read'), 2_000, registrations('handed'));
    const ids = next().facts.flatMap((fact) => (fact.kind === 'PlayerRegistered' ? [fact.player.id] : []));
    expect(ids).toHaveLength(feed.taken + handed.taken);
    expect([ids[0], ids[feed.taken]]).toEqual(['read-0', 'handed-0']);
    expect(handed.taken).toBeGreaterThan(feed.taken / 2);
    for (let turn = 0; turn < 20; turn++) next();
    expect([feed.taken, handed.taken]).toEqual([count, count]);
  });

  it('leaves both sources a part of a record that internal commands have filled by half', () => {
    const registrations = (name: string, count: number) =>
      Array.from({ length: count }, (_, index) => register(`${name}-${index}`));
    const many = OWNER_LIMITS.commitFacts;
    const { feed, handed, next } = build(
      registrations('read', many),
      2_000,
      registrations('handed', many),
      registrations('own', many),
    );
    next();
    expect([feed.taken, handed.taken].map((taken) => taken > many / 20)).toEqual([true, true]);
  });

  it('needs no record for the position when it skips only what was handed over', () => {
    const late = { deadlineAt: 1_999 };
    expect(build([], 2_000, [register('a', late)]).next().mayDiffer).toBe(false);
    expect(build([register('a', late)], 2_000).next().mayDiffer).toBe(true);
  });

  it('needs one after a decision by definitions, which the next owner may not have', () => {
    const segment = { id: 'seg', key: 'vip', condition: listCondition('seg', '2.a'), load: '2.a' };
    const list = { kind: 'ListPlayers', segmentId: 'seg', load: '3.a', active: '1.a', change: 'add' } as const;
    const refused = aCommand({ ...list, playerIds: ['a'] });
    const commit = build([refused], 2_000, [], [], [{ segment, conditions: {} }]).next();
    expect(commit).toMatchObject({ facts: [], needsAppend: false, mayDiffer: true });
    expect(commit.replies[0]?.reply).toMatchObject({ code: 'CONFLICT' });
  });

  it("needs one after a decision by the owner's clock, which the next owner does not have", () => {
    const patch = (receivedAt: number) =>
      aCommand({ kind: 'PatchPlayer', playerId: 'a' }, { receivedAt, deadlineAt: receivedAt + 5_000 });
    const nowMs = 2_000;
    const toleratedMs = nowMs + 2 * CLOCK_LIMITS.clockToleranceMs;
    expect([toleratedMs, toleratedMs + 1].map((at) => build([patch(at)], nowMs).next().mayDiffer)).toEqual([
      false,
      true,
    ]);
  });

  it('needs none after repeats and refusals by the state alone', () => {
    const event = track('a', 1, 1);
    if (event.body.kind === 'TrackEvents') for (const item of event.body.items) item.remember = true;
    const unknown = { kind: 'PatchPlayer', playerId: 'nobody' } as const;
    const { next } = build([register('a'), event, event, register('a'), aCommand(unknown)]);
    expect(next()).toMatchObject({ needsAppend: true, mayDiffer: false });
    const again = build([aCommand(unknown), track('nobody', 1, 1)]).next();
    expect(again).toMatchObject({ needsAppend: false, mayDiffer: false, isEmpty: false });
  });

  it('is empty when nothing waits', () => {
    expect(build([]).next().isEmpty).toBe(true);
  });
});
