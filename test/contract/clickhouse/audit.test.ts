import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Analytics, createAnalytics } from '../../../clickhouse-schema/queries/analytics.ts';
import type { AuditQuery, FoundEntry } from '../../../clickhouse-schema/queries/audit-query.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import { createMetrics } from '../../../src/parts/metrics.ts';
import { encodeAuditEntries } from '../../../core/codec/codec.ts';
import { eventSchemaKey } from '../../../streams/config/event-schema-key.ts';
import { createMemoryBroker, type MemoryLog } from '../../../streams/log/memory/log-memory.ts';
import type { AuditEntry } from '../../../core/vocabulary/records/audit-entry.ts';
import { type ClickhouseSink, createClickhouseSink } from '../../../streams/sinks/clickhouse/clickhouse-sink.ts';
import { auditSubject } from '../../../streams/subjects.ts';
import { rowsOf, type TestClickhouse } from '../../support/servers/clickhouse.ts';
import { startWithTables } from '../../support/wire/made-tables.ts';
import { silentLogger } from '../../support/in-memory/silent-logger.ts';
import { until } from '../../support/until.ts';

/* From AUDIT to the table of entries, and how they are found, on the real engine. */

const AT = Date.now() - 60_000;
const PLAYER = '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11';
const EVENT = 'boss beaten/Ω';
let clickhouse: TestClickhouse;
let analytics: Analytics;
let log: MemoryLog;
let sink: ClickhouseSink;

const idOf = (n: number): string => `019b7600-0000-7000-8000-${String(n).padStart(12, '0')}`;
const anEntry = (n: number, some: Partial<AuditEntry> = {}): AuditEntry => ({
  id: idOf(n),
  at: AT + n,
  game: 'demo',
  environment: 'live',
  actor: { kind: 'user', id: 'u-1', name: 'ann@example.com' },
  network: '203.0.113.7',
  kind: 'flag',
  key: `flag_${n}`,
  action: 'changed',
  playerId: '',
  before: '{"enabled":false}',
  after: '{"enabled":true,"name":"<img onerror=alert(1)> \\u0000\\t\\\\N"}',
  reason: '20 % more',
  outcome: 'stored',
  ...some,
});

beforeAll(async () => {
  clickhouse = await startWithTables();
  analytics = createAnalytics({ address: clickhouse.address, clock: systemClock, logger: silentLogger });
  const broker = createMemoryBroker({ clock: systemClock });
  log = broker.connect('test');
  const terms = { clock: systemClock, holder: 'sink', logger: silentLogger, metrics: createMetrics() };
  sink = createClickhouseSink({ ...terms, log: broker.connect('sink'), clickhouse: clickhouse.address });
  sink.start();
  const begun = (entry: AuditEntry): AuditEntry[] => [{ ...entry, outcome: 'begun' }, entry];
  const entries = [
    ...begun(anEntry(1)),
    anEntry(2, { outcome: 'begun' }),
    ...begun(anEntry(3, { outcome: 'refused' })),
    ...begun(anEntry(4, { environment: '_', kind: 'user', key: 'u-2', actor: { kind: 'cli', id: 'root', name: '' } })),
    ...begun(anEntry(5, { environment: 'test' })),
    ...begun(anEntry(6, { game: 'other' })),
    ...begun(anEntry(7, { game: '_', environment: '_', kind: 'deployment' })),
    ...begun(anEntry(8, { kind: 'player', key: PLAYER, playerId: PLAYER, action: 'erased', before: '', after: '' })),
    // In the same millisecond as the one before.
    ...begun(anEntry(9, { at: AT + 8 })),
    ...begun(anEntry(10, { game: 'schemas', kind: 'event_schema', key: eventSchemaKey(EVENT) })),
  ];
  for (const entry of entries) await log.append(auditSubject('n-1'), encodeAuditEntries([entry]));
  await until('all entries are there', async () => {
    const [row] = await rowsOf<{ n: number }>(
      clickhouse,
      "SELECT toUInt32(countIf(outcome != 'begun')) AS n FROM audit_entries FINAL",
    );
    return row?.n === 9;
  });
});
afterAll(async () => {
  await sink.stop();
  await analytics.close();
  await clickhouse.close();
});

async function found(some: Partial<AuditQuery> = {}): Promise<FoundEntry[]> {
  const result = await analytics.auditEntries({ game: 'demo', environment: 'live', limit: 100, ...some });
  if (result.kind === 'unavailable') throw new Error('ClickHouse does not answer');
  return result.value;
}
const numbers = (entries: readonly FoundEntry[]): number[] => entries.map(({ id }) => Number(id.slice(-4)));

describe('entries', () => {
  it('are found once, newest first, of a game and one environment or both, without refused ones', async () => {
    const entries = await found();
    expect(numbers(entries)).toEqual([9, 8, 4, 2, 1]);
    expect(entries.at(-1)).toEqual({
      id: idOf(1),
      at: AT + 1,
      environment: 'live',
      actorKind: 'user',
      actorId: 'u-1',
      actor: 'ann@example.com',
      network: '203.0.113.7',
      kind: 'flag',
      key: 'flag_1',
      action: 'changed',
      playerId: '',
      before: '{"enabled":false}',
      after: anEntry(1).after,
      reason: '20 % more',
      outcome: 'stored',
    });
  });

  it('without an outcome say so', async () => {
    expect((await found({ key: 'flag_2' }))[0]?.outcome).toBe('begun');
    expect(numbers(await found({ outcome: 'begun' }))).toEqual([2]);
  });

  it.each<[Partial<AuditQuery>, number[]]>([
    [{ outcome: 'refused' }, [3]],
    [{ kind: 'user' }, [4]],
    [{ actor: 'root' }, [4]],
    [{ actor: 'ann@example.com', action: 'erased' }, [8]],
    [{ playerId: PLAYER }, [8]],
    [{ sinceMs: AT + 2, untilMs: AT + 8 }, [4, 2]],
    [{ environment: 'test' }, [5, 4]],
    [{ game: '_', environment: '_' }, [7]],
    [{ key: "flag_1' OR 1=1 --" }, []],
    [{ game: 'schemas', key: EVENT, schemaKey: eventSchemaKey(EVENT) }, [10]],
    [{ key: 'flag_1', schemaKey: eventSchemaKey('flag_1') }, [1]],
  ])('are found by %o', async (query, expected) => {
    expect(numbers(await found(query))).toEqual(expected);
  });

  it('come in pages that neither repeat nor skip, also within a millisecond', async () => {
    const pages: number[][] = [];
    let last: FoundEntry | undefined;
    do {
      const page = await found({ limit: 1, ...(last === undefined ? {} : { behind: { at: last.at, id: last.id } }) });
      last = page[0];
      pages.push(numbers(page));
    } while (last !== undefined);
    expect(pages.flat()).toEqual([9, 8, 4, 2, 1]);
  });

  it('hide people, addresses and contents from readers without a password', async () => {
    const asReader = async (sql: string): Promise<[number, string]> => {
      const response = await fetch(clickhouse.url, { method: 'POST', body: sql });
      return [response.status, await response.text()];
    };
    for (const column of ['*', 'actor', 'network', 'before', 'after', 'actor.size', 'length(after)']) {
      const [status, text] = await asReader(`SELECT ${column} FROM audit_entries`);
      expect([column, status, text.includes('ann@')]).toEqual([column, 403, false]);
    }
    expect((await asReader('SELECT count() FROM live_audit_entries'))[0]).toBe(200);
    const [, text] = await asReader('SELECT * FROM live_audit_entries');
    expect(text).toContain('flag_1');
    expect(text).not.toContain('203.0.113.7');
  });
});
