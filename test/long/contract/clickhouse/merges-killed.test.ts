import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createErasureTarget } from '../../../../streams/sinks/clickhouse/erasure/erasure-target.ts';
import { createMergeTarget, type MergeTarget } from '../../../../streams/sinks/clickhouse/merges/merge-target.ts';
import type { TestClickhouse } from '../../../support/servers/clickhouse.ts';
import { startWithTables } from '../../../support/wire/made-tables.ts';
import { erase, FACTS, killedAt, merge, moveAll, owners, play, startOver } from '../../../support/wire/merged-rows.ts';

/* The mover of merged rows is killed at each of its statements. */

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

const position = { stream: FACTS.stream, sequence: 1_000 };
const records = { createdMs: FACTS.createdMs, sequence: 1_000 };

it(
  'rows of a merged player are the same wherever the mover is killed, before a statement or with its answer lost',
  { timeout: 600_000 },
  async () => {
    for (const isDone of [false, true]) {
      for (let n = 1; ; n++) {
        await startOver(clickhouse);
        await play(clickhouse, 'g', 1, 2);
        await play(clickhouse, 'a', 3);
        await merge(clickhouse, { guest: 'g', into: 'a', sequence: 10 });
        const dying = killedAt(clickhouse, n, isDone);
        const end = await moveAll(dying).then(
          () => 'moved',
          (error: Error) => error.message,
        );
        await dying.close();
        await moveAll(target);
        expect({ n, isDone, rows: await owners(clickhouse) }).toEqual({ n, isDone, rows: { a: ['g:1', 'g:2', '3'] } });
        if (end === 'moved') break;
        expect(end).toBe('killed');
      }
    }
  },
);

it(
  'no row of either player is left when an erasure comes between the parts of a move',
  { timeout: 600_000 },
  async () => {
    const erasures = createErasureTarget(clickhouse.address);
    for (let n = 1; n < 30; n += 2) {
      await play(clickhouse, 'g', 1);
      await play(clickhouse, 'a', 2);
      await merge(clickhouse, { guest: 'g', into: 'a', sequence: 10 });
      await erase(clickhouse, 'a', 20);
      await erase(clickhouse, 'g', 21);
      const dying = killedAt(clickhouse, n, true);
      await moveAll(dying).catch(() => {});
      await dying.close();
      for (;;) {
        const free = await target.free(await erasures.pending(position, 10), 'moved');
        if (free.length > 0) {
          await erasures.count(free, records);
          await erasures.remove(free, records);
          await erasures.note('done', free);
          break;
        }
        await moveAll(target);
      }
      expect(await owners(clickhouse)).toEqual({});
      await startOver(clickhouse);
    }
    await erasures.close();
  },
);
