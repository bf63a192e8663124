import { expect, it } from 'vitest';
import type { ClickHouse } from './clickhouse.ts';
import { readMerges } from './merges.ts';

/** `g>a@10` is a merge in the record 10, `g<a@20` its take-back; with `?` it is not moved. */
function mergesOf(...all: string[]) {
  const rows = all.map((text) => {
    const [, guest = '', sign, into = '', sequence, open] = /^(\w)([<>])(\w)@(\d+)(\??)$/.exec(text) ?? [];
    return [guest, guest, into, into, sign === '<' ? 1 : 0, open === '?' ? 0 : 1, Number(sequence), 0];
  });
  const clickhouse: Pick<ClickHouse, 'each'> = {
    each: async (_sql, _parameters, take) => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- rows as the statement names them
      for (const row of rows) take(row as unknown as Parameters<typeof take>[0]);
    },
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the reader asks with `each` only
  return readMerges(clickhouse as ClickHouse, 1);
}

it.each([
  {
    what: 'a row from before a merge is the account’s',
    merges: ['g>a@10'],
    row: ['g', 5],
    owners: 'ga',
    isMoved: true,
  },
  { what: 'one from after it is the guest’s', merges: ['g>a@10'], row: ['g', 15], owners: 'g', isMoved: true },
  { what: 'a chain', merges: ['g>h@10', 'h>a@20'], row: ['g', 5], owners: 'gha', isMoved: true },
  {
    what: 'an account that was merged before',
    merges: ['a>b@5', 'g>a@10'],
    row: ['g', 7],
    owners: 'ga',
    isMoved: true,
  },
  { what: 'a take-back', merges: ['g>a@10', 'g<a@20'], row: ['g', 5], owners: 'gag', isMoved: true },
  { what: 'a merge again', merges: ['g>a@10', 'g<a@20', 'g>b@30'], row: ['g', 5], owners: 'gagb', isMoved: true },
  { what: 'a merge that is under way', merges: ['g>a@10?'], row: ['g', 5], owners: 'ga', isMoved: false },
] as const)('$what', async ({ merges, row: [player, sequence], owners, isMoved }) => {
  const found = await mergesOf(...merges);
  const place = { sequence, index: 0 };
  expect(
    found
      .ownersOf(player, place)
      .map((one) => one.player)
      .join(''),
  ).toBe(owners);
  expect(found.isMoved(player, place)).toBe(isMoved);
  expect(found.pending()).toEqual(isMoved ? [] : ['g', 'a']);
});
