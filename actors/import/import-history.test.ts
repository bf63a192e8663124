import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../src/kernel/days.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import { compileCondition } from '../conditions/compile-condition.ts';
import { createSegmentSet } from '../segments/segment-set.ts';
import { given } from '../testing/harness.ts';
import { aCommand, aPlayer, definitionsOf } from '../testing.ts';
import type { ImportHistory, ImportItem } from '../vocabulary/import.ts';
import { importLedgerIdOf } from '../vocabulary/import.ts';

const NOW = Date.UTC(2026, 0, 15);
const ID = aPlayer().id;
const LEDGER = importLedgerIdOf('file-1');
const day = (ago: number): number => NOW - ago * DAY_MS;

function event(line: number, at: number, some: Partial<ImportItem> = {}): ImportItem {
  const made = { eventId: `e-${line}`, eventName: 'level_up', properties: '{}', sessionId: null };
  return { line, playerId: ID, externalId: 'ext-1', at, event: made, ...some };
}

const purchase = (line: number, at: number, amount: number, transactionId: string | null = null): ImportItem => ({
  line,
  playerId: ID,
  externalId: 'ext-1',
  at,
  purchase: { amount, currency: null, productId: null, transactionId },
});

const lines = (items: ImportItem[], after = 0): ReturnType<typeof aCommand> => {
  const body: ImportHistory = { kind: 'ImportHistory', ledgerId: LEDGER, after, items };
  return aCommand(body, { receivedAt: NOW });
};

describe('imported history', () => {
  it('registers an unknown player as of its time, without facts that trigger anything', () => {
    const history = given([]);
    const { facts, reply } = history.when(lines([event(3, day(400)), event(5, day(100)), event(9, day(200))]));
    expect(reply).toEqual({ kind: 'imported', importedTo: 9, imported: 3, repeated: 0, rejected: [] });
    expect(facts.map(({ kind }) => kind)).toEqual([
      'PlayerImported',
      'EventImported',
      'EventImported',
      'EventImported',
      'HistoryImported',
      'ImportAdvanced',
    ]);
    expect(facts.slice(1, 4).map(({ at }) => at)).toEqual([day(400), day(100), day(200)]);
    expect(history.player(ID)).toMatchObject({
      externalId: 'ext-1',
      firstSeenAt: day(400),
      lastSeenAt: day(100),
      lifecycleStage: 'churned',
      lifecycleChangedAt: day(70),
    });
    expect(history.whenTime(ID, NOW)).toEqual([]);
  });

  it.each([
    ['churned', day(400), day(30)],
    ['at_risk', day(400), day(7)],
    ['active', day(400), day(1)],
    ['new', NOW - 3_600_000, NOW - 60_000],
  ] as const)('makes a player %s by its first and last day, in any order of lines', (stage, first, last) => {
    for (const times of [
      [first, last],
      [last, first],
    ]) {
      const history = given([]);
      for (const [place, at] of times.entries()) history.when(lines([event(place + 1, at)], place));
      expect(history.player(ID)).toMatchObject({ lifecycleStage: stage, firstSeenAt: first, lastSeenAt: last });
    }
  });

  it('counts each line once, whatever is repeated and however it is cut', () => {
    const history = given([]);
    const all = [1, 2, 3, 4].map((line) => purchase(line, day(line), 10_000));
    history.when(lines(all.slice(0, 3)));
    history
      .when(lines(all.slice(0, 3)))
      .thenReply({ imported: 0, repeated: 3, importedTo: 3 })
      .thenFacts([]);
    history.when(lines(all.slice(1), 1)).thenReply({ imported: 1, repeated: 2, importedTo: 4 });
    expect(history.player(ID)).toMatchObject({ totalRevenue: 40_000, purchaseCount: 4, isPayer: true });
  });

  it('decides nothing while lines before it are missing', () => {
    const history = given([]);
    history.when(lines([event(1, day(1))]));
    history
      .when(lines([event(9, day(1))], 5))
      .thenReply({ importedTo: 1, imported: 0, rejected: [] })
      .thenFacts([]);
    history.when(lines([event(5, day(1)), event(9, day(1))], 1)).thenReply({ importedTo: 9, imported: 2 });
  });

  it('leaves what live traffic knows: stage, last time, attributes, counters and the order of names', () => {
    const live = aPlayer({
      lifecycleStage: 'reactivated',
      lifecycleChangedAt: day(2),
      firstSeenAt: day(90),
      lastSeenAt: day(1),
      attributes: '{"level":9}',
      email: 'new@example.com',
      counters: [
        { name: 'shop', day: NOW / DAY_MS, counts: [1] },
        { name: 'level_up', day: NOW / DAY_MS, counts: [2] },
      ],
    });
    const history = given([live]);
    const profile = { email: 'old@example.com', deviceId: 'phone', attributes: '{"level":1,"country":"SE"}' };
    const item = { line: 2, playerId: ID, externalId: 'ext-1', at: day(300), player: profile };
    history.when(lines([event(1, day(3)), item, event(3, day(300), { event: named('old_name') })]));
    expect(history.player(ID)).toMatchObject({
      lifecycleStage: 'reactivated',
      lifecycleChangedAt: day(2),
      firstSeenAt: day(300),
      lastSeenAt: day(1),
      email: 'new@example.com',
      deviceId: 'phone',
      attributes: '{"level":9,"country":"SE"}',
      country: 'SE',
      counters: [
        { name: 'shop' },
        { name: 'level_up', counts: [2, 0, 0, 1] },
        { name: 'old_name', day: day(300) / DAY_MS, counts: [1] },
      ],
    });
  });

  it('evicts no name that live events count', () => {
    const counters = Array.from({ length: LIMITS.countedNames }, (_, n) => ({ name: `n${n}`, day: 1, counts: [1] }));
    const history = given([aPlayer({ counters })]);
    history.when(lines([event(1, day(1))]));
    expect(history.player(ID).counters).toEqual(counters);
  });

  it('counts a session and a transaction once', () => {
    const history = given([aPlayer({ firstSeenAt: day(2), lastSeenAt: day(1) })]);
    const session = { sessionId: 's-1', durationSeconds: 60 };
    const items = [event(1, day(9), { session }), event(2, day(9), { session }), purchase(3, day(9), 5, 'tx')];
    history.when(lines([...items, purchase(4, day(9), 5, 'tx')])).thenReply({ imported: 3, repeated: 1 });
    expect(history.player(ID)).toMatchObject({
      sessionCount: 1,
      totalPlaytimeSeconds: 60,
      purchaseCount: 1,
      totalRevenue: 5,
    });
  });

  it('rejects lines of an erased player, also when they are repeated, and lines beyond the bounds', () => {
    const scope = { game: 'demo', environment: 'live' } as const;
    const history = given([{ kind: 'erased', id: ID, ...scope, erasedAt: 1, keys: [], quarantined: 0, lastSeq: 1 }]);
    const rejected = [{ line: 1, message: expect.stringContaining('erased') }];
    history.when(lines([event(1, day(1))])).thenReply({ imported: 0, importedTo: 1, rejected });
    history.when(lines([event(1, day(1))])).thenReply({ repeated: 0, rejected });
    const rich = given([aPlayer({ totalRevenue: LIMITS.totalRevenue })]);
    rich.when(lines([purchase(1, day(1), 1)])).thenReply({ imported: 0, rejected: [{ line: 1 }] });
  });

  it('enters segments without a trigger', () => {
    const conditions = { days_since_first_seen: { $gt: 100 } };
    const compiled = compileCondition(conditions);
    if (compiled.kind === 'invalid') throw new Error(JSON.stringify(compiled.faults));
    const segment = { id: 'seg_1', key: 'veterans', condition: compiled.condition };
    const history = given([], definitionsOf({}, createSegmentSet([{ segment, conditions }])));
    const { facts } = history.when(lines([event(1, day(200))]));
    const entered = facts.filter(({ kind }) => kind === 'SegmentEntered');
    expect(entered).toMatchObject([{ segmentKey: 'veterans', imported: true }]);
    expect(history.player(ID).segments).toHaveLength(1);
  });
});

function named(eventName: string) {
  return { eventId: 'x', eventName, properties: '{}', sessionId: null };
}
