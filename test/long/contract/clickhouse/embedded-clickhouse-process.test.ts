import { describe, expect, it } from 'vitest';
import { execSql, rowsOf, runSql, startClickhouse } from '../../../support/servers/clickhouse.ts';
import { until } from '../../../support/until.ts';

describe('the engine in its own process', () => {
  it('keeps what was inserted through kill -9, and starts again on the same folder', async () => {
    const own = await startClickhouse();
    try {
      await execSql(
        own,
        'CREATE TABLE kept (n UInt64) ENGINE = MergeTree ORDER BY n SETTINGS fsync_after_insert = 1, fsync_part_directory = 1',
      );
      for (let i = 0; i < 5; i++) await execSql(own, 'INSERT INTO kept FORMAT JSONEachRow', { body: `{"n":${i}}\n` });
      await own.kill('SIGKILL');
      await own.restart();
      expect((await runSql(own, 'SELECT count() FROM kept')).text).toBe('5\n');
    } finally {
      await own.close();
    }
  });

  it('ends on SIGTERM within seconds, also with a statement running', async () => {
    const own = await startClickhouse();
    try {
      const running = fetch(`${own.url}/?query=SELECT+count()+FROM+numbers(1000000000000)`).catch(() => undefined);
      await until('the statement runs', async () => {
        const [row] = await rowsOf<{ n: string }>(
          own,
          "SELECT count() AS n FROM system.processes WHERE query LIKE '%numbers(%'",
        );
        return Number(row?.n) > 1;
      });
      const startedMs = performance.now();
      await own.kill('SIGTERM');
      expect(performance.now() - startedMs).toBeLessThan(8_000);
      await running;
    } finally {
      await own.close();
    }
  });

  it('ends when its supervisor does, and releases the folder', async () => {
    const own = await startClickhouse();
    try {
      await own.orphan();
      await own.restart();
      expect((await runSql(own, 'SELECT 1')).text).toBe('1\n');
    } finally {
      await own.close();
    }
  });

  it('refuses to share a folder', async () => {
    const own = await startClickhouse();
    try {
      await expect(own.another()).rejects.toThrow(/Another process/);
      expect((await runSql(own, 'SELECT 1')).text).toBe('1\n');
    } finally {
      await own.close();
    }
  });

  it('serves the configured database, also to readers', async () => {
    const own = await startClickhouse({ CLICKHOUSE_DATABASE: 'analytics' });
    try {
      await execSql(own, 'CREATE TABLE t (n UInt8) ENGINE = MergeTree ORDER BY n');
      expect((await runSql(own, 'SELECT currentDatabase(), count() FROM t', { as: 'reader' })).text).toBe(
        'analytics\t0\n',
      );
    } finally {
      await own.close();
    }
  });
});
