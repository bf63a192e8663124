import { afterAll, beforeAll, expect, it } from 'vitest';
import { applyViews } from '../../../clickhouse-schema/views/apply-views.ts';
import { openClient } from '../../../clickhouse-schema/open-client.ts';
import { encodeAuditEntries } from '../../../core/codec/codec.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import type { AnnotationDocument } from '../../../core/vocabulary/documents/annotation.ts';
import type { AuditOutcome } from '../../../core/vocabulary/records/audit-entry.ts';
import { createMetrics } from '../../../src/parts/metrics.ts';
import { changesOf } from '../../../streams/audit/document-changes.ts';
import { createMemoryBroker, type MemoryLog } from '../../../streams/log/memory/log-memory.ts';
import { type ClickhouseSink, createClickhouseSink } from '../../../streams/sinks/clickhouse/clickhouse-sink.ts';
import { auditSubject } from '../../../streams/subjects.ts';
import { silentLogger } from '../../support/in-memory/silent-logger.ts';
import { execSql, rowsOf, type TestClickhouse } from '../../support/servers/clickhouse.ts';
import { until } from '../../support/until.ts';
import { startWithTables } from '../../support/wire/made-tables.ts';

/* From changes of annotations, as the audit holds them, to the view of annotations, on the real engine. */

const SAO_PAULO = 'America/Sao_Paulo';
let clickhouse: TestClickhouse;
let log: MemoryLog;
let sink: ClickhouseSink;
let sent = 0;

beforeAll(async () => {
  clickhouse = await startWithTables();
  const broker = createMemoryBroker({ clock: systemClock });
  log = broker.connect('test');
  const terms = { clock: systemClock, holder: 'sink', logger: silentLogger, metrics: createMetrics() };
  sink = createClickhouseSink({ ...terms, log: broker.connect('sink'), clickhouse: clickhouse.address });
  sink.start();
});
afterAll(async () => {
  await sink.stop();
  await clickhouse.close();
});

const note = (id: string, some: Partial<AnnotationDocument> = {}): AnnotationDocument => ({
  id,
  text: 'Release',
  at: '2026-01-15',
  link: null,
  madeBy: { kind: 'user', id: 'u-1', email: 'ann@example.com' },
  createdAt: 1,
  updatedAt: 1,
  version: 1,
  ...some,
});

async function change(
  before: AnnotationDocument | undefined,
  after: AnnotationDocument | undefined,
  outcome: AuditOutcome = 'stored',
): Promise<void> {
  const key = (after ?? before)?.id ?? '';
  const actor = { kind: 'user', id: 'u-1', name: 'ann@example.com' } as const;
  const [made] = changesOf({ game: 'demo', environment: 'live', kind: 'annotation', key }, before, after);
  if (made === undefined) throw new Error('a change has an entry');
  sent += 1;
  const of = {
    ...made,
    id: `019b7600-0000-7000-8000-${String(sent).padStart(12, '0')}`,
    at: Date.now(),
    actor,
    network: '',
    reason: '',
  };
  const begun = { ...of, outcome: 'begun' } as const;
  const entries = [begun, { ...of, outcome }];
  await log.append(auditSubject('test'), encodeAuditEntries(entries), { messageId: `m${sent}` });
}

const counted = async () =>
  Number((await rowsOf<{ n: string }>(clickhouse, 'SELECT count() AS n FROM audit_entries FINAL'))[0]?.n);
const shown = () =>
  rowsOf(clickhouse, 'SELECT * EXCEPT (game_id, environment, received_at) FROM annotations ORDER BY annotation_id');

it('has each note as it is now, by the day of its game, without who made it', async () => {
  const day = note('ann_1');
  const moment = note('ann_2', { at: '2026-01-16T02:30:00.000Z', link: { kind: 'flag', key: 'shop' } });
  const [edited, deleted] = [note('ann_3'), note('ann_4')];
  await change(undefined, day);
  await change(undefined, moment);
  await change(undefined, edited);
  await change(edited, { ...edited, text: 'Outage', at: '2026-01-20', version: 2 });
  await change(undefined, deleted);
  await change(deleted, undefined);
  await change(day, { ...day, text: 'refused', version: 2 }, 'refused');
  await change(undefined, note('ann_5'), 'unknown');
  await until('the entries are there', async () => (await counted()) === sent);
  const link = { link_kind: '', link_key: '' };
  const one = { annotation_id: 'ann_1', day: '2026-01-15', text: 'Release', ...link, version: 1 };
  const two = { annotation_id: 'ann_2', text: 'Release', link_kind: 'flag', link_key: 'shop', version: 1 };
  const three = { annotation_id: 'ann_3', day: '2026-01-20', text: 'Outage', ...link, version: 2 };
  const at = '2026-01-16 02:30:00.000';
  expect(await shown()).toEqual([
    { ...one, at: '2026-01-15 00:00:00.000' },
    { ...two, day: '2026-01-16', at },
    { ...three, at: '2026-01-20 00:00:00.000' },
  ]);

  // In Sao Paulo it is still the evening of the 15th.
  await execSql(
    clickhouse,
    `INSERT INTO player_days_builds (game_id, environment, zone, noted) VALUES ('demo', 'live', '${SAO_PAULO}', 1)`,
  );
  const client = openClient(clickhouse.address, 'test', 10_000);
  await applyViews(client);
  await client.close();
  expect(await shown()).toEqual([
    { ...one, at: '2026-01-15 03:00:00.000' },
    { ...two, day: '2026-01-15', at },
    { ...three, at: '2026-01-20 03:00:00.000' },
  ]);
});
