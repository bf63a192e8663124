import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TABLE_NAMES, TABLES } from '../../../clickhouse-schema/rows/tables/tables.ts';
import { createErasureTarget } from '../../../streams/sinks/clickhouse/erasure/erasure-target.ts';
import { createMergeTarget, type MergeTarget } from '../../../streams/sinks/clickhouse/merges/merge-target.ts';
import { rowsOf, type TestClickhouse } from '../../support/servers/clickhouse.ts';
import { startWithTables } from '../../support/wire/made-tables.ts';
import {
  DROPPED,
  erase,
  FACTS,
  idOf,
  merge,
  moveAll,
  owners,
  ownersIn,
  play,
  startOver,
  takeBack,
} from '../../support/wire/merged-rows.ts';

let clickhouse: TestClickhouse;
let target: MergeTarget;
beforeAll(async () => {
  clickhouse = await startWithTables();
  target = createMergeTarget(clickhouse.address);
});
afterAll(async () => {
  await target.close();
  await clickhouse.close();
});
beforeEach(() => startOver(clickhouse));

describe('tables on a merge', () => {
  it.each(TABLE_NAMES.filter((table) => TABLES[table].columns.includes('player_id')))(
    '%s says what becomes of a guest’s rows, as its columns and its key demand',
    async (table) => {
      const { onMerge, columns } = TABLES[table];
      const found = await rowsOf<{ name: string; key: number; kind: string }>(
        clickhouse,
        `SELECT name, is_in_sorting_key AS key, default_kind AS kind FROM system.columns
          WHERE database = currentDatabase() AND table = '${table}'`,
      );
      const isInKey = found.some(({ name, key }) => name === 'player_id' && key === 1);
      const hasColumn = found.some(({ name }) => name === 'merged_from');
      expect({ table, hasColumn }).toEqual({ table, hasColumn: onMerge === 'update' || onMerge === 'copy' });
      if (onMerge === 'update') expect(isInKey).toBe(false);
      if (onMerge === 'copy') {
        expect(isInKey).toBe(true);
        // A copy has every stored column.
        const stored = found.filter(({ kind }) => kind !== 'ALIAS').map(({ name }) => name);
        expect(stored.toSorted()).toEqual([...columns, 'merged_from'].toSorted());
      }
    },
  );
});

describe('rows of merged players', () => {
  it('are the account’s in every table, and say whose they were', async () => {
    await play(clickhouse, 'g', 1, 2);
    await play(clickhouse, 'a', 3);
    await play(clickhouse, 'x', 4);
    await merge(clickhouse, { guest: 'g', into: 'a', sequence: 10 });
    await moveAll(target);
    expect(await owners(clickhouse)).toEqual({ a: ['g:1', 'g:2', '3'], x: ['4'] });
    for (const table of DROPPED) expect(await ownersIn(clickhouse, table)).toEqual({ a: ['3'], x: ['4'] });
    const names = await rowsOf(clickhouse, 'SELECT DISTINCT external_id FROM events WHERE notEmpty(merged_from)');
    expect(names).toEqual([{ external_id: 'name of a' }]);
  });

  it('go on to the next account in a chain, and come back with those of their own guests', async () => {
    await play(clickhouse, 'g', 1);
    await play(clickhouse, 'h', 2);
    await play(clickhouse, 'a', 3);
    await merge(clickhouse, { guest: 'g', into: 'h', sequence: 10 }, { guest: 'h', into: 'a', sequence: 11 });
    await moveAll(target);
    expect(await owners(clickhouse)).toEqual({ a: ['g:h:1', 'h:2', '3'] });
    await takeBack(clickhouse, { guest: 'h', into: 'a', sequence: 20 });
    await moveAll(target);
    expect(await owners(clickhouse)).toEqual({ h: ['g:1', '2'], a: ['3'] });
    await takeBack(clickhouse, { guest: 'g', into: 'h', sequence: 21 });
    await moveAll(target);
    expect(await owners(clickhouse)).toEqual({ g: ['1'], h: ['2'], a: ['3'] });
    const names = await rowsOf(clickhouse, 'SELECT external_id FROM events ORDER BY facts_sequence');
    expect(names).toEqual(['g', 'h', 'a'].map((player) => ({ external_id: `name of ${player}` })));
  });

  it('of the guest’s life after a take-back stay the guest’s, and may be merged again', async () => {
    await play(clickhouse, 'g', 1);
    await merge(clickhouse, { guest: 'g', into: 'a', sequence: 10 });
    await moveAll(target);
    await play(clickhouse, 'a', 12);
    await takeBack(clickhouse, { guest: 'g', into: 'a', sequence: 15 });
    await moveAll(target);
    await play(clickhouse, 'g', 16);
    expect(await owners(clickhouse)).toEqual({ g: ['1', '16'], a: ['12'] });
    await merge(clickhouse, { guest: 'g', into: 'a', sequence: 20 });
    await play(clickhouse, 'g', 21);
    await moveAll(target);
    expect(await owners(clickhouse)).toEqual({ a: ['g:1', '12', 'g:16'], g: ['21'] });
  });

  it('of two guests of one account, and of two accounts, move at once', async () => {
    await play(clickhouse, 'g', 1);
    await play(clickhouse, 'h', 2);
    await play(clickhouse, 'i', 3);
    await merge(
      clickhouse,
      { guest: 'g', into: 'a', sequence: 10 },
      { guest: 'h', into: 'a', sequence: 11 },
      { guest: 'i', into: 'b', sequence: 12 },
    );
    const merges = await target.pending({ stream: FACTS.stream, sequence: 1_000 });
    expect(merges).toHaveLength(3);
    await moveAll(target);
    expect(await owners(clickhouse)).toEqual({ a: ['g:1', 'h:2'], b: ['i:3'] });
  });

  it('move when the sink has passed the merge', async () => {
    await play(clickhouse, 'g', 1);
    await merge(clickhouse, { guest: 'g', into: 'a', sequence: 10 });
    await moveAll(target, 9);
    expect(await owners(clickhouse)).toEqual({ g: ['1'] });
    await moveAll(target, 10);
    expect(await owners(clickhouse)).toEqual({ a: ['g:1'] });
  });

  it('that came late from RECORDS move when the merge settles, unless it was taken back', async () => {
    for (const guest of ['g', 'h']) await merge(clickhouse, { guest, into: 'a', sequence: guest === 'g' ? 10 : 11 });
    await moveAll(target);
    await takeBack(clickhouse, { guest: 'h', into: 'a', sequence: 12 });
    await play(clickhouse, 'g', 1);
    await play(clickhouse, 'h', 2);
    const position = { stream: FACTS.stream, sequence: 1_000 };
    for (let merges = await target.unsettled(position); merges.length > 0; merges = await target.unsettled(position)) {
      await target.moveLate(merges, { createdMs: FACTS.createdMs, sequence: 1_000 });
      await target.note('settled', merges);
    }
    expect(await ownersIn(clickhouse, 'webhook_deliveries')).toEqual({ a: ['g:1'], h: ['2'] });
  });
});

describe('merges and erasures of one player', () => {
  const position = { stream: FACTS.stream, sequence: 1_000 };
  const records = { createdMs: FACTS.createdMs, sequence: 1_000 };

  it('follow the order of the log: an erasure waits for an earlier merge', async () => {
    const erasures = createErasureTarget(clickhouse.address);
    await play(clickhouse, 'g', 1);
    await play(clickhouse, 'a', 2);
    await merge(clickhouse, { guest: 'g', into: 'a', sequence: 10 });
    await erase(clickhouse, 'a', 20);
    await erase(clickhouse, 'x', 5);
    const pending = await erasures.pending(position, 10);
    expect((await target.free(pending, 'moved')).map(({ playerId }) => playerId)).toEqual([idOf('x')]);
    await moveAll(target);
    const free = await target.free(pending, 'moved');
    expect(free).toHaveLength(2);
    // Late rows of the guest may still move to the account.
    expect(await target.free(pending, 'settled')).toHaveLength(1);
    await erasures.remove(free, records);
    expect(await owners(clickhouse)).toEqual({});
    expect(await rowsOf(clickhouse, 'SELECT merge_id FROM player_merges')).toEqual([]);
    await erasures.close();
  });

  it('keep the guest’s rows when the account’s earlier life was erased before the merge', async () => {
    const erasures = createErasureTarget(clickhouse.address);
    await play(clickhouse, 'g', 1);
    await play(clickhouse, 'a', 2);
    await erase(clickhouse, 'a', 5);
    await merge(clickhouse, { guest: 'g', into: 'a', sequence: 10 });
    expect(await target.pending(position)).toEqual([]);
    const pending = await erasures.pending(position, 10);
    await erasures.remove(pending, records);
    await erasures.note('done', pending);
    expect(await target.pending(position)).toEqual([]);
    await erasures.note('settled', pending);
    await moveAll(target);
    expect(await owners(clickhouse)).toEqual({ a: ['g:1'] });
    await erasures.close();
  });
});
