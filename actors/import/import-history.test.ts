import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../core/kernel/days.ts';
import { COUNTER_LIMITS } from '../computed/limits.ts';
import { IMPORT_STATE_LIMITS } from './limits.ts';
import { STATE_LIMITS } from '../../core/vocabulary/limits.ts';
import { compileCondition } from '../conditions/compile-condition.ts';
import { createSegmentSet } from '../segments/segment-set.ts';
import { given } from '../testing/harness.ts';
import { createHistoryBatch } from '../../src/cli/import/send/history-batch.ts';
import { aCommand, aPlayer, definitionsOf } from '../testing-players.ts';
import type { ImportHistory, ImportItem } from '../../core/vocabulary/commands/import.ts';
import { importLedgerIdOf, type PlayerHistory } from '../../core/vocabulary/commands/import.ts';
import { createEventPacker } from '../../core/vocabulary/facts/pack-events.ts';
import { NEVER_SEEN } from '../../core/vocabulary/state/player.ts';
import { unpackEvents } from '../../core/vocabulary/facts/packed-events.ts';
import { sightingOf, talliesOf } from './some-lines.ts';

const NOW = Date.UTC(2026, 0, 15);
const ID = aPlayer().id;
const FILE = '0f3a';
const pack = createEventPacker();
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
  event: { ...named('purchase'), eventId: `e-${line}` },
  purchase: { amount, currency: null, productId: null, transactionId },
});

const refund = (line: number, at: number, amount: number, transactionId: string, refundId: string | null = null) => ({
  line,
  playerId: ID,
  externalId: 'ext-1',
  at,
  event: { ...named('purchase_refunded'), eventId: `e-${line}` },
  refund: { amount, transactionId, refundId },
});

/** The command that the importer makes of a player's lines. */
const lines = (items: ImportItem[], after = 0, importId = FILE): ReturnType<typeof aCommand> => {
  const to = items.at(-1)?.line ?? 0;
  const body: ImportHistory = { kind: 'ImportHistory', importId, after, to, players: [historyOf(items)] };
  return aCommand(body, { receivedAt: NOW });
};

function historyOf(items: ImportItem[]): PlayerHistory {
  const events = items.flatMap(({ at, event: made }) => (made === undefined ? [] : { at, ...made }));
  const [fromAt, toAt] = [Math.min(...items.map(({ at }) => at)), Math.max(...items.map(({ at }) => at))];
  return {
    playerId: ID,
    externalId: 'ext-1',
    lines: items.map(({ line }) => line),
    firstAt: Math.min(...items.map((item) => sightingOf(item).firstAt)),
    lastAt: Math.max(...items.map((item) => sightingOf(item).lastAt)),
    ...(events.length === 0 ? {} : { events: { packed: pack(events), fromAt, toAt, tallies: talliesOf(events) } }),
    others: items.flatMap(({ at, session, purchase, refund, player, quarantined }, place) => {
      const others = {
        ...(quarantined === undefined ? {} : { quarantined }),
        ...(session === undefined ? {} : { session }),
        ...(purchase === undefined ? {} : { purchase }),
        ...(refund === undefined ? {} : { refund }),
        ...(player === undefined ? {} : { player }),
      };
      return Object.keys(others).length === 0 ? [] : { place, at, ...others };
    }),
  };
}

describe('imported players without a time', () => {
  const profile: ImportItem = {
    line: 1,
    playerId: ID,
    externalId: 'ext-1',
    at: NEVER_SEEN,
    player: { attributes: '{"country":"SE"}' },
  };
  const state = (of: ReturnType<typeof given>) => {
    const { firstSeenAt, lastSeenAt, lifecycleStage, lifecycleDueAt, country } = of.player(ID);
    return { firstSeenAt, lastSeenAt, lifecycleStage, due: lifecycleDueAt !== 0, country };
  };

  it('were never seen: neither their stage nor their risk changes by time', () => {
    const history = given([]);
    history.when(lines([profile]));
    expect(state(history)).toEqual({
      firstSeenAt: NOW,
      lastSeenAt: NEVER_SEEN,
      lifecycleStage: 'new',
      due: false,
      country: 'SE',
    });
    expect(history.player(ID).churnHigh).toBe(false);
  });

  it.each(['before', 'behind'])('have the times and the stage of their events, which are imported %s', (place) => {
    const history = given([]);
    const events = lines([event(1, day(400)), event(2, day(100))], 0, '1f3a');
    for (const command of place === 'before' ? [events, lines([profile])] : [lines([profile]), events])
      history.when(command);
    expect(state(history)).toMatchObject({
      firstSeenAt: day(400),
      lastSeenAt: day(100),
      lifecycleStage: 'churned',
      country: 'SE',
    });
  });

  it('say when they began only if their line does', () => {
    const facts = (item: ImportItem) => given([]).when(lines([item])).facts;
    const begun = (item: ImportItem) =>
      facts(item).flatMap((fact) => (fact.kind === 'PlayerImported' ? fact.begunAt : []));
    const timed = { ...profile, at: day(10), player: { firstSeenAt: day(300) } };
    expect([begun(profile), begun(timed)]).toEqual([
      [undefined, undefined],
      [undefined, day(300)],
    ]);
  });

  it('keep the times of a known player', () => {
    const known = aPlayer({ firstSeenAt: day(40), lastSeenAt: day(10), lifecycleStage: 'at_risk' });
    const history = given([known]);
    history.when(lines([profile]));
    expect(state(history)).toMatchObject({ firstSeenAt: day(40), lastSeenAt: day(10), lifecycleStage: 'at_risk' });
  });
});

describe('the device of imported events', () => {
  const device = { platform: 'ios', osVersion: null, appVersion: '9.0', build: '900', deviceModel: null };

  it("is what their lines say, never that of today; their country is the player's if they name none", () => {
    const history = given([aPlayer({ device, country: 'SE', attributes: '{"country":"SE"}' })]);
    const batch = createHistoryBatch();
    const said = (some: object) => ({ event: { ...named('level_up'), ...some } });
    const ios = { playedWith: { platform: 'ios', appVersion: '1.0' } };
    const items = [
      event(1, day(9), said(ios)),
      event(2, day(8), said({ playedWith: { platform: 'ios', appVersion: '1.0' } })),
      purchase(3, day(7), 10_000),
      event(4, day(6), said({ ...ios, country: 'DE' })),
      event(5, day(5)),
    ];
    for (const item of items) batch.add(item);
    const { facts, reply } = history.when(aCommand(batch.close(FILE, 0), { receivedAt: NOW }));
    expect(reply).toMatchObject({ imported: 5, importedTo: 5 });
    expect(facts.filter(({ kind }) => kind === 'HistoryImported')).toHaveLength(1);
    const runs = facts.flatMap((fact) => (fact.kind === 'EventsImported' ? [fact] : []));
    const rows = runs.map(({ packed, playedWith, country, payerFrom }) => ({
      days: unpackEvents(packed).map(({ at }) => (NOW - at) / DAY_MS),
      playedWith,
      country,
      payerFrom,
    }));
    expect(rows).toEqual([
      { days: [9, 8], ...ios, country: 'SE', payerFrom: 2 },
      { days: [7], playedWith: undefined, country: 'SE', payerFrom: 0 },
      { days: [6], ...ios, country: 'DE', payerFrom: 0 },
      { days: [5], playedWith: undefined, country: 'SE', payerFrom: 0 },
    ]);
  });
});

describe('events that do not fit', () => {
  const faults = [{ path: '/properties/a', message: 'must be a string of at most 8192 bytes' }];
  const cut = (line: number, at: number): ImportItem => {
    const quarantined = {
      eventId: `q-${line}`,
      eventName: 'level_up',
      properties: '{"a":"x"}',
      sessionId: null,
      faults,
    };
    return { line, playerId: ID, externalId: 'ext-1', at, quarantined };
  };

  it('are in the quarantine of their player, with their time and their faults', () => {
    const history = given([]);
    const { facts, reply } = history.when(lines([cut(1, day(50)), cut(2, day(40))]));
    expect(reply).toMatchObject({ imported: 2, rejected: [] });
    expect(facts.filter(({ kind }) => kind === 'EventQuarantined')).toMatchObject([
      {
        eventId: 'q-1',
        at: NOW,
        timestamp: day(50),
        number: 1,
        externalId: 'ext-1',
        reason: { schemaVersion: 0, faults },
      },
      { eventId: 'q-2', at: NOW, timestamp: day(40), number: 2 },
    ]);
    expect(history.player(ID)).toMatchObject({ firstSeenAt: day(50), lastSeenAt: day(40), counters: [] });
  });
});

describe('imported history', () => {
  it('registers an unknown player as of its time, without facts that trigger anything', () => {
    const history = given([]);
    const { facts, reply } = history.when(lines([event(3, day(400)), event(5, day(100)), event(9, day(200))]));
    expect(reply).toEqual({ kind: 'imported', importedTo: 9, imported: 3, repeated: 0, earlier: 0, rejected: [] });
    expect(facts.map(({ kind }) => kind)).toEqual([
      'PlayerImported',
      'EventsImported',
      'HistoryImported',
      'ImportAdvanced',
    ]);
    const [, imported] = facts;
    if (imported?.kind !== 'EventsImported') throw new Error('no events');
    expect(unpackEvents(imported.packed).map(({ at }) => at)).toEqual([day(400), day(100), day(200)]);
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
      .thenReply({ imported: 0, earlier: 3, importedTo: 3 })
      .thenFacts([]);
    history.when(lines(all.slice(1), 1)).thenReply({ imported: 1, earlier: 2, importedTo: 4 });
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
    history.when(lines([event(1, day(3))]));
    history.when(lines([item], 1));
    history.when(lines([event(3, day(300), { event: named('old_name') })], 2));
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
    const counters = Array.from({ length: COUNTER_LIMITS.countedNames }, (_, n) => ({
      name: `n${n}`,
      day: 1,
      counts: [1],
    }));
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

  it('leaves out the event of a purchase that the player has, and says from which event on it had paid', () => {
    const history = given([]);
    const items = [event(1, day(9)), purchase(2, day(8), 5, 'tx'), purchase(3, day(7), 5, 'tx'), event(4, day(6))];
    const { facts } = history.when(lines(items)).thenReply({ imported: 3, repeated: 1, importedTo: 4 });
    const imported = facts.find((fact) => fact.kind === 'EventsImported');
    expect(imported).toMatchObject({ payerFrom: 1, fromAt: day(9), toAt: day(6) });
    if (imported?.kind !== 'EventsImported') return;
    expect(unpackEvents(imported.packed).map(({ eventId }) => eventId)).toEqual(['e-1', 'e-2', 'e-4']);
    expect(imported.tallies.map(([name]) => name)).toEqual(['level_up', 'purchase', 'level_up']);
    const later = history.when(lines([...items, event(5, day(5))], 3)).thenReply({ imported: 1, earlier: 4 });
    expect(later.facts.find(({ kind }) => kind === 'EventsImported')).toMatchObject({ payerFrom: 0, fromAt: day(5) });
  });

  it('remembers some files, forgets the oldest after a time, and refuses a new one before', () => {
    const scope = { game: 'demo', environment: 'live' } as const;
    const id = importLedgerIdOf('demo', 'live', FILE);
    const file = (n: number, ago: number) => ({ importId: `0f3${n}`, line: 7, at: day(ago) });
    const others = Array.from({ length: IMPORT_STATE_LIMITS.importLedgerFiles - 1 }, (_, n) => file(n + 1, 2));
    const ledger = (oldest: number) =>
      given([{ kind: 'ledger', id, ...scope, keys: [], imports: [file(0, oldest), ...others], lastSeq: 1 }]);
    const full = ledger(29);
    full
      .when(lines([event(1, day(1))]))
      .thenReply({ kind: 'failure', code: 'CONFLICT' })
      .thenFacts([]);
    full.when(lines([event(8, day(1))], 7, '0f30')).thenReply({ importedTo: 8 });
    const old = ledger(31);
    old.when(lines([event(1, day(1))])).thenReply({ importedTo: 1 });
    expect(old.states.get(id)).toMatchObject({ imports: [...others, { importId: FILE, line: 1, at: NOW }] });
  });

  it('moves the next change of the churn risk when it adds sessions between the first and the last time', () => {
    const due = (items: ImportItem[]): number => {
      const history = given([]);
      for (const [place, item] of items.entries()) history.when(lines([item], items[place - 1]?.line ?? 0));
      return history.player(ID).lifecycleDueAt;
    };
    const played = (line: number, ago: number) => {
      const session = { sessionId: `s-${line}`, durationSeconds: 600 };
      return event(line, day(ago), { session });
    };
    const all = [event(1, day(20)), event(2, NOW - 1), played(3, 9), played(4, 10), played(5, 11)];
    const other = [played(1, 9), played(2, 10), played(3, 11), event(4, day(20)), event(5, NOW - 1)];
    expect(due(all)).toBe(due(other));
  });

  it('rejects lines of an erased player, also when they are repeated, and lines beyond the bounds', () => {
    const scope = { game: 'demo', environment: 'live' } as const;
    const history = given([{ kind: 'erased', id: ID, ...scope, erasedAt: 1, keys: [], quarantined: 0, lastSeq: 1 }]);
    const rejected = [{ line: 1, message: expect.stringContaining('erased') }];
    history.when(lines([event(1, day(1))])).thenReply({ imported: 0, importedTo: 1, rejected });
    history.when(lines([event(1, day(1))])).thenReply({ earlier: 0, rejected });
    const rich = given([aPlayer({ totalRevenue: STATE_LIMITS.totalRevenue })]);
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

describe('imported refunds', () => {
  it('are taken off at their own time, once, and are no activity', () => {
    const history = given([]);
    const file = [
      purchase(1, day(90), 99_900, 'tx-1'),
      refund(2, day(3), 20_000, 'tx-1'),
      refund(3, day(2), 79_900, 'tx-1'),
    ];
    history.when(lines(file)).thenReply({ imported: 3, rejected: [] });
    expect(history.player(ID)).toMatchObject({
      totalRevenue: 0,
      purchaseCount: 0,
      isPayer: false,
      lastSeenAt: day(90),
    });
    // The same lines in another file.
    history.when(lines(file, 0, '1c00')).thenReply({ imported: 0, repeated: 3 });
    expect(history.player(ID)).toMatchObject({ totalRevenue: 0, lastSeenAt: day(90) });
  });

  it('of a transaction that is not there, or of more than remains, are rejected', () => {
    const history = given([]);
    history.when(lines([refund(1, day(3), 1, 'tx-1')])).thenReply({ imported: 0, rejected: [{ line: 1 }] });
    const file = [purchase(2, day(9), 10_000, 'tx-1'), refund(3, day(3), 10_001, 'tx-1', 'r-1'), event(4, day(5))];
    history
      .when(lines(file, 1))
      .thenReply({ imported: 2, rejected: [{ line: 3, message: expect.stringContaining('1 of') }] });
    expect(history.player(ID)).toMatchObject({ totalRevenue: 10_000, lastSeenAt: day(5) });
  });
});
