import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type {
  DefinitionVersionsQuery,
  StoredVersion,
} from '../../../clickhouse-schema/queries/lookups/definition-versions.ts';
import { type Analytics, createAnalytics } from '../../../clickhouse-schema/queries/analytics.ts';
import { encodeAuditEntries } from '../../../core/codec/codec.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import type { AuditEntry, AuditOutcome } from '../../../core/vocabulary/records/audit-entry.ts';
import type { SegmentDocument, WebhookDocument } from '../../../core/vocabulary/documents/documents.ts';
import type { AnnotationDocument } from '../../../core/vocabulary/documents/annotation.ts';
import { createMetrics } from '../../../src/parts/metrics.ts';
import { changesOf } from '../../../streams/audit/document-changes.ts';
import { AUDIT_ENTRY_LIMITS } from '../../../streams/audit/limits.ts';
import { createMemoryBroker, type MemoryLog } from '../../../streams/log/memory/log-memory.ts';
import { type ClickhouseSink, createClickhouseSink } from '../../../streams/sinks/clickhouse/clickhouse-sink.ts';
import { auditSubject } from '../../../streams/subjects.ts';
import { silentLogger } from '../../support/in-memory/silent-logger.ts';
import { rowsOf, type TestClickhouse } from '../../support/servers/clickhouse.ts';
import { until } from '../../support/until.ts';
import { startWithTables } from '../../support/wire/made-tables.ts';

/* From changes of definitions, as the audit holds them, to their versions, on the real engine. */

const AT = Date.now() - 60_000;
const PLAYER = '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11';
let clickhouse: TestClickhouse;
let analytics: Analytics;
let log: MemoryLog;
let sink: ClickhouseSink;
let sent = 0;

const segment = (version: number, some: Partial<SegmentDocument> = {}): SegmentDocument => ({
  id: 'seg_1',
  key: 'payers',
  name: `Payers ${version}`,
  description: '',
  conditions: { 'attributes.größe': { $gte: version } },
  includes: [PLAYER],
  createdAt: 1,
  updatedAt: version,
  version,
  writes: [{ id: 'mark', bodyHash: 'x', at: 1 }],
  ...some,
});
const WEBHOOK: WebhookDocument = {
  id: 'wh_1',
  name: 'Hook',
  url: 'https://hooks.example.com/T0/top-path?k=top-query',
  events: ['*'],
  secret: 'whsec_top',
  previousSecret: { secret: 'whsec_before', until: 5 },
  enabled: true,
  headers: { Authorization: 'Bearer top' },
  retryPolicy: { maxRetries: 3, backoff: 'linear' },
  filters: {},
  createdAt: 1,
  version: 1,
};
const NOTE: AnnotationDocument = {
  id: 'ann_1',
  text: 'Release',
  at: '2026-01-15',
  link: null,
  madeBy: { kind: 'user', id: 'u-1', email: 'ann@example.com' },
  createdAt: 1,
  updatedAt: 1,
  version: 1,
};

/** Logs a change as the audited config does, at a second of its own. */
async function change(changes: ReturnType<typeof changesOf>, outcome: AuditOutcome | 'none' = 'stored') {
  for (const made of changes) {
    sent += 1;
    const entry: Omit<AuditEntry, 'outcome'> = {
      ...made,
      id: `019b7600-0000-7000-8000-${String(sent).padStart(12, '0')}`,
      at: AT + 1_000 * sent,
      actor: { kind: 'user', id: 'u-1', name: 'ann@example.com' },
      network: '203.0.113.7',
      reason: `because ${sent}`,
    };
    const begun = { ...entry, outcome: 'begun' } as const;
    await log.append(auditSubject('test'), encodeAuditEntries([begun]), { messageId: `b${sent}` });
    if (outcome === 'none') continue;
    await log.append(auditSubject('test'), encodeAuditEntries([{ ...entry, outcome }]), { messageId: `e${sent}` });
  }
}
const ofSegment = { game: 'demo', environment: 'live', kind: 'segment', key: 'seg_1' } as const;
const settings = { game: 'demo', environment: '_', kind: 'game', key: 'settings' } as const;
const GAME = { name: 'Demo', tenant: 'demo', namespace: 'top-namespace', createdAt: 1 };

beforeAll(async () => {
  clickhouse = await startWithTables();
  analytics = createAnalytics({ address: clickhouse.address, clock: systemClock, logger: silentLogger });
  const broker = createMemoryBroker({ clock: systemClock });
  log = broker.connect('test');
  const terms = { clock: systemClock, holder: 'sink', logger: silentLogger, metrics: createMetrics() };
  sink = createClickhouseSink({ ...terms, log: broker.connect('sink'), clickhouse: clickhouse.address });
  sink.start();
  await change(changesOf(ofSegment, undefined, segment(1)));
  await change(changesOf(ofSegment, segment(1), segment(2)));
  await change(changesOf(ofSegment, segment(2), segment(3)), 'refused');
  await change(changesOf(ofSegment, segment(2), segment(3)));
  await change(changesOf(ofSegment, segment(3), segment(4)), 'none');
  await change(changesOf(ofSegment, segment(4), undefined), 'unknown');
  await change(changesOf({ ...ofSegment, environment: 'test' }, undefined, segment(1)));
  await change(changesOf({ ...ofSegment, game: 'other' }, undefined, segment(1)));
  const large = { note: { $in: Array.from({ length: 20_000 }, (_, n) => `value ${n}`) } };
  await change(changesOf({ ...ofSegment, key: 'seg_2' }, undefined, segment(1, { id: 'seg_2', conditions: large })));
  await change(changesOf({ ...ofSegment, kind: 'webhook', key: 'wh_1' }, undefined, WEBHOOK));
  await change(changesOf({ ...ofSegment, kind: 'annotation', key: 'ann_1' }, undefined, NOTE));
  await change(changesOf(settings, GAME, { ...GAME, timeZone: 'Europe/Berlin', version: 2 }));
  const key = { id: 'k', kind: 'server', tier: 'pro', scopes: [], hint: 'sk', createdAt: 1, revokedAt: null } as const;
  await change(changesOf({ ...ofSegment, kind: 'key', key: 'f' }, undefined, { ...key, scopes: [] }));
  await until('all entries are there', async () => {
    const [row] = await rowsOf<{ n: string }>(
      clickhouse,
      "SELECT countIf(outcome != 'begun') AS n FROM audit_entries FINAL",
    );
    return Number(row?.n) === sent - 1;
  });
});
afterAll(async () => {
  await sink.stop();
  await analytics.close();
  await clickhouse.close();
});

async function versions(some: Partial<DefinitionVersionsQuery> = {}): Promise<StoredVersion[]> {
  const found = await analytics.lookups.definitionVersions({ ...ofSegment, limit: 100, ...some });
  if (found.kind === 'unavailable') throw new Error('ClickHouse does not answer');
  return found.value;
}
const numbers = (found: readonly StoredVersion[]) => found.map(({ version, outcome }) => `${version} ${outcome}`);

describe('the versions of a definition', () => {
  it('are there once, newest first, whole, of one game and environment, without refused changes', async () => {
    const found = await versions();
    expect(numbers(found)).toEqual(['5 unknown', '4 begun', '3 stored', '2 stored', '1 stored']);
    expect(found.map(({ document }) => document === '')).toEqual([true, false, false, false, false]);
    const { writes: _, ...whole } = segment(2);
    expect(JSON.parse(found[3]?.document ?? '')).toEqual({ ...whole, includes: { players: 1 } });
    expect(found[3]).toMatchObject({
      at: AT + 2_000,
      action: 'changed',
      actorKind: 'user',
      actorId: 'u-1',
      actor: 'ann@example.com',
      reason: 'because 2',
    });
    expect(numbers(await versions({ environment: 'test' }))).toEqual(['1 stored']);
    expect(numbers(await versions({ key: "seg_1' OR 1=1 --" }))).toEqual([]);
  });

  it('are found by number and by time, and come in pages', async () => {
    expect(numbers(await versions({ version: 2 }))).toEqual(['2 stored']);
    expect(numbers(await versions({ atMs: AT + 3_999, limit: 1 }))).toEqual(['2 stored']);
    expect(numbers(await versions({ atMs: AT + 4_000, limit: 1 }))).toEqual(['3 stored']);
    expect(await versions({ atMs: AT + 999 })).toEqual([]);
    const pages: string[] = [];
    let behind: StoredVersion | undefined;
    do {
      [behind] = await versions({ limit: 1, behind });
      if (behind !== undefined) pages.push(String(behind.version));
    } while (behind !== undefined);
    expect(pages).toEqual(['5', '4', '3', '2', '1']);
  });

  it('that are larger than the bound are there without their document', async () => {
    const [found] = await versions({ key: 'seg_2' });
    expect([found?.version, found?.document]).toEqual([1, '']);
    expect(AUDIT_ENTRY_LIMITS.definitionBytes).toBeLessThan(20_000 * '"value 19999",'.length);
  });

  it('are kept of settings of games, for both environments', async () => {
    const [found] = await versions({ environment: '_', kind: 'game', key: 'settings' });
    expect(JSON.parse(found?.document ?? '')).toEqual({
      name: 'Demo',
      tenant: 'demo',
      createdAt: 1,
      timeZone: 'Europe/Berlin',
      version: 2,
    });
  });

  it('hold no secret, no player, no e-mail address, and nothing of what is no definition', async () => {
    const texts = (
      await rowsOf<{ text: string }>(
        clickhouse,
        'SELECT toString(tuple(* EXCEPT actor)) AS text FROM definition_changes',
      )
    )
      .map(({ text }) => text)
      .join('\n');
    for (const secret of ['whsec', 'Bearer', 'T0', 'top', PLAYER, 'ann@', 'mark', '203.0.113.7']) {
      expect(texts).not.toContain(secret);
    }
    expect(texts).toContain('https://hooks.example.com/[hidden]');
    const kinds = await rowsOf(clickhouse, 'SELECT DISTINCT kind FROM definition_changes ORDER BY kind');
    expect(kinds).toEqual(['annotation', 'game', 'segment', 'webhook'].map((kind) => ({ kind })));
  });

  it('are read by readers without a password, without the addresses of people', async () => {
    const asReader = async (sql: string): Promise<[number, string]> => {
      const response = await fetch(clickhouse.url, { method: 'POST', body: sql });
      return [response.status, await response.text()];
    };
    for (const column of ['*', 'actor', 'actor.size', 'length(actor)']) {
      const [status, text] = await asReader(`SELECT ${column} FROM definition_changes`);
      expect([column, status, text.includes('ann@')]).toEqual([column, 403, false]);
    }
    expect((await asReader('SELECT document, reason FROM definition_changes'))[0]).toBe(200);
    const [, text] = await asReader(
      "SELECT key, version FROM live_definition_changes WHERE game_id = 'demo' ORDER BY at",
    );
    expect(text.split('\n').filter((line) => line.startsWith('seg_1'))).toEqual(
      [1, 2, 3, 4, 5].map((n) => `seg_1\t${n}`),
    );
    expect(text).toContain('settings\t2');
  });
});
