import { describe, expect, it } from 'vitest';
import type { SegmentEntered } from '../../core/vocabulary/facts/facts.ts';
import type { FlagExposed } from '../../core/vocabulary/facts/flag-facts.ts';
import { aPlayer } from '../../actors/testing-players.ts';
import { DAY_MS } from '../../core/kernel/days.ts';
import type { EntityState } from '../../core/vocabulary/state/state.ts';
import { decodeState } from '../../core/codec/state/state-codec.ts';
import { aCommit, aTrackedEvent } from '../../streams/sinks/testing-commits.ts';
import { readNativeBlock } from '../../test/support/wire/native-block.ts';
import { EXTRACTED_COLUMNS } from '../extracted-properties.ts';
import { createRowBatch, type RowBlock } from './row-batch.ts';
import { namedRowsOf } from './testing-rows.ts';

const PLACE = { stream: '2026-01-01T00:00:00.5Z', sequence: 9, index: 2, partition: 1 };
const PLACE_AT = Date.UTC(2026, 0, 9, 12);
/** The first column of a block of events. */
const eventIds = (block: RowBlock | undefined) =>
  readNativeBlock(block?.bytes ?? new Uint8Array()).rows.map(([first]) => first);
const snapshot = (state: EntityState) =>
  ({ kind: 'EntitySnapshot', game: 'demo', environment: 'live', entityId: state.id, at: 5_000, state }) as const;

describe('rows of facts', () => {
  it('an event becomes one row of `events`, with its position in the log', () => {
    const [row, ...more] = namedRowsOf(
      aTrackedEvent({
        properties: '{"a":"\\"\\n"}',
        sessionId: 's1',
        country: 'DE',
        platform: 'ios',
        appVersion: '2.4.0',
        build: '240',
      }),
      PLACE,
    );
    expect(more).toEqual([]);
    expect(row).toEqual([
      'events',
      {
        event_id: 'event-1',
        game_id: 'demo',
        environment: 'live',
        player_id: '7d6f3f5e-6f0b-5f8e-9d2c-0d1e2f3a4b5c',
        external_id: 'ext-1',
        event_name: 'level_up',
        session_id: 's1',
        properties: '{"a":"\\"\\n"}',
        timestamp: Date.UTC(2026, 0, 1, 11, 59),
        received_at: Date.UTC(2026, 0, 1, 12),
        lifecycle_stage: 'active',
        is_payer: false,
        country: 'DE',
        platform: 'ios',
        app_version: '2.4.0',
        build: '240',
        schema_fault: undefined,
        source: 'caller',
        key_kind: '',
        facts_sequence: 9,
        facts_index: 2,
        facts_created: 0,
        ...Object.fromEntries(EXTRACTED_COLUMNS.map((name) => [name, undefined])),
      },
      Date.UTC(2026, 0, 1, 12),
    ]);
  });

  it.each([
    [{ by: 'client', eventName: 'purchase' }, ['caller', 'client']],
    [{ by: 'server', eventName: 'win' }, ['caller', 'server']],
    [{ by: 'service', eventName: 'purchase' }, ['service', '']],
    // From before sources were recorded.
    [{ eventName: 'purchase' }, ['', '']],
    [{ eventName: 'session_recorded' }, ['', '']],
    [{ eventName: 'win' }, ['caller', '']],
  ] as const)('an event with %o has the source and kind of key %o', (some, expected) => {
    const row = namedRowsOf(aTrackedEvent(some), PLACE)[0]?.[1];
    expect([row?.['source'], row?.['key_kind']]).toEqual(expected);
  });

  it.each([
    [-62_135_596_800_000, '1900-01-01T00:00:00.000Z'],
    [253_402_300_799_999, '2299-12-31T23:59:59.999Z'],
    [-1, '1969-12-31T23:59:59.999Z'],
    [1_000.5, '1970-01-01T00:00:01.000Z'],
    [1_078, '1970-01-01T00:00:01.078Z'],
  ])('a device clock at %d is stored as %s, within what the column can hold', (timestamp, stored) => {
    const batch = createRowBatch();
    batch.add(aCommit([aTrackedEvent({ timestamp })]), PLACE);
    const { columns, rows } = readNativeBlock(batch.blocks()[0]?.bytes ?? new Uint8Array());
    const place = columns.findIndex(({ name }) => name === 'timestamp');
    expect(rows[0]?.[place]).toBe(Date.parse(stored));
  });

  it('a snapshot of a player holds the analysts’ columns and the whole state', () => {
    const state = aPlayer({ totalRevenue: 123_456, email: 'a@example.com', lastSeq: 8, attributes: '{"level":3}' });
    const [row] = namedRowsOf(snapshot(state), PLACE);
    expect(row?.[0]).toBe('player_snapshots');
    expect(row?.[1]).toMatchObject({
      kind: 'player',
      player_id: state.id,
      entity_id: '',
      partition: 1,
      total_revenue: 123_456,
      email: 'a@example.com',
      attributes: '{"level":3}',
      last_seq: 8,
    });
    expect(decodeState(Buffer.from(String(row?.[1]['state']), 'base64'))).toEqual(state);
  });

  it('a snapshot of a player shows its named properties as of its time, each in its latest definition', () => {
    const day = Math.floor(PLACE_AT / DAY_MS);
    const count = { aggregate: 'count', days: 7, filled: true } as const;
    const computed = [
      { ...count, id: 'wins@a', generation: 3, buckets: [day, 2, day - 6, 1, day - 7, 5] },
      { ...count, id: 'wins@b', generation: 2, buckets: [day, 40] },
      { ...count, id: 'unnamed', generation: 4, buckets: [day, 9] },
      {
        ...count,
        id: '__proto__@c',
        generation: 5,
        aggregate: 'last' as const,
        days: 0,
        buckets: [0, PLACE_AT, '"\t'],
      },
      { ...count, id: 'best@d', generation: 6, aggregate: 'max' as const, buckets: [day - 8, 3] },
    ];
    const [row] = namedRowsOf({ ...snapshot(aPlayer({ computed })), at: PLACE_AT }, PLACE);
    expect(row?.[1]['computed']).toBe('{"wins":3,"__proto__":"\\"\\t","best":null}');
  });

  it('a snapshot of a ledger has no player columns', () => {
    const ledger: EntityState = {
      kind: 'ledger',
      id: 'ledger:k1',
      game: 'demo',
      environment: 'live',
      keys: [],
      lastSeq: 3,
    };
    expect(namedRowsOf(snapshot(ledger), PLACE)[0]?.[1]).toMatchObject({
      kind: 'ledger',
      player_id: '00000000-0000-0000-0000-000000000000',
      entity_id: 'ledger:k1/1',
    });
  });

  it('a snapshot of a stream created later is newer, whatever the sequences', () => {
    const version = (stream: string, sequence: number) =>
      BigInt(String(namedRowsOf(snapshot(aPlayer()), { ...PLACE, stream, sequence })[0]?.[1]['version']));
    expect(version('2026-01-01T00:00:00Z', 10)).toBeGreaterThan(version('2026-01-01T00:00:00Z', 9));
    expect(version('2026-01-02T00:00:00Z', 1)).toBeGreaterThan(version('2026-01-01T00:00:00Z', 1_000_000));
  });

  const entered: SegmentEntered = {
    kind: 'SegmentEntered',
    game: 'demo',
    environment: 'live',
    entityId: aPlayer().id,
    at: Date.UTC(2026, 0, 1, 12),
    segmentId: 'seg_1',
    segmentKey: 'whales',
    externalId: 'ext-1',
  };

  it('an entry into a segment becomes a transition and the newest membership; an exit marks it as exited', () => {
    const common = {
      game_id: 'demo',
      environment: 'live',
      segment_id: 'seg_1',
      segment_key: 'whales',
      player_id: aPlayer().id,
      external_id: 'ext-1',
      received_at: Date.UTC(2026, 0, 1, 12),
    };
    const rows = (kind: 'SegmentEntered' | 'SegmentExited') =>
      namedRowsOf(kind === 'SegmentEntered' ? entered : { ...entered, kind }, PLACE).map(([table, row]) => [
        table,
        row,
      ]);
    const place = { facts_sequence: 9, facts_index: 2 };
    const version = (BigInt(Date.parse(PLACE.stream)) << 80n) | (9n << 32n) | 2n;
    expect(rows('SegmentEntered')).toEqual([
      ['segment_transitions', { ...common, ...place, transition: 'entered' }],
      ['segment_membership_states', { ...common, exited: 0, version }],
    ]);
    expect(rows('SegmentExited')).toMatchObject([
      ['segment_transitions', { transition: 'exited' }],
      ['segment_membership_states', { exited: 1 }],
    ]);
  });

  it('memberships are ordered by creation of the stream, then record, then index, and fit 128 bits', () => {
    const version = (stream: string, sequence: number, index: number) =>
      BigInt(String(namedRowsOf(entered, { stream, sequence, index, partition: 0 })[1]?.[1]['version']));
    const inOrder = [
      version('2026-01-01T00:00:00Z', 9, 4_999),
      version('2026-01-01T00:00:00Z', 10, 0),
      version('2026-01-01T00:00:00Z', 10, 1),
      version('2026-01-02T00:00:00Z', 1, 0),
      version('2299-12-31T00:00:00Z', 2 ** 48 - 1, 2 ** 32 - 1),
    ];
    expect(inOrder.toSorted((a, b) => (a < b ? -1 : 1))).toEqual(inOrder);
    expect(inOrder.at(-1)).toBeLessThan(1n << 128n);
  });

  it('an exposure becomes one row of `flag_exposures`', () => {
    const exposed: FlagExposed = {
      kind: 'FlagExposed',
      game: 'demo',
      environment: 'live',
      entityId: aPlayer().id,
      at: Date.UTC(2026, 0, 1, 12),
      flagKey: 'shop',
      flagVersion: 3,
      period: 2,
      attribution: 'earlier',
      variantKey: null,
      value: 'true',
      reason: 'percentage_rollout',
      stratum: 2 ** 31 + 2_000,
      cluster: 2 ** 32 - 1,
      externalId: 'ext-1',
    };
    expect(namedRowsOf(exposed, PLACE)).toEqual([
      [
        'flag_exposures',
        {
          game_id: 'demo',
          environment: 'live',
          flag_key: 'shop',
          flag_version: 3,
          period: 2,
          variant_key: null,
          value: 'true',
          reason: 'percentage_rollout',
          stratum: 2_147_485_648,
          cluster: 4_294_967_295,
          attribution: 'earlier',
          player_id: aPlayer().id,
          external_id: 'ext-1',
          received_at: Date.UTC(2026, 0, 1, 12),
          facts_sequence: 9,
          facts_index: 2,
        },
        Date.UTC(2026, 0, 1, 12),
      ],
    ]);
  });

  it('a batch gathers one block per table', () => {
    const batch = createRowBatch();
    const events = [aTrackedEvent({ eventId: 'a' }), aTrackedEvent({ eventId: 'b' })];
    batch.add(aCommit([...events, snapshot(aPlayer())]), { stream: PLACE.stream, sequence: 1 });
    batch.add(aCommit([aTrackedEvent({ eventId: 'c' })]), { stream: PLACE.stream, sequence: 2 });
    const blocks = batch.blocks();
    expect(blocks.map(({ table, rows }) => [table, rows])).toEqual([
      ['events', 3],
      ['player_snapshots', 1],
    ]);
    expect(eventIds(blocks[0])).toEqual(['a', 'b', 'c']);
    expect(batch.rows).toBe(4);
  });

  it('a cleared batch holds no earlier rows', () => {
    const batch = createRowBatch();
    const add = (eventId: string) =>
      batch.add(aCommit([aTrackedEvent({ eventId })]), { stream: PLACE.stream, sequence: 1 });
    add('a');
    batch.clear();
    expect([batch.rows, batch.blocks()]).toEqual([0, []]);
    add('b');
    expect(batch.blocks().map((block) => [block.rows, eventIds(block)])).toEqual([[1, ['b']]]);
  });

  it('a block holds rows of one month, so the engine writes one part atomically', () => {
    const at = (text: string) => ({ ...aTrackedEvent({ eventId: text }), at: Date.parse(text) });
    const times = ['2026-01-31T23:59:59.999Z', '2026-02-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'];
    const batch = createRowBatch();
    batch.add(aCommit(times.map(at)), { stream: PLACE.stream, sequence: 1 });
    expect(
      batch.blocks().map(({ rows, receivedFromMs, receivedToMs }) => [rows, receivedFromMs, receivedToMs]),
    ).toEqual([
      [2, Date.parse('2026-01-01T00:00:00.000Z'), Date.parse('2026-01-31T23:59:59.999Z')],
      [1, Date.parse('2026-02-01T00:00:00.000Z'), Date.parse('2026-02-01T00:00:00.000Z')],
    ]);
  });
});
