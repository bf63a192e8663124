import { decide } from '../../../actors/decide.ts';
import { createDraft } from '../../../actors/runtime/term/draft.ts';
import { aCommand, aPlayer, definitionsOf } from '../../../actors/testing-players.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import type { CommandBody } from '../../../core/vocabulary/commands/commands.ts';
import type { CallerKind } from '../../../core/vocabulary/documents/scope.ts';
import type { DomainFact, Fact } from '../../../core/vocabulary/facts/facts.ts';
import type { EntityState } from '../../../core/vocabulary/state/state.ts';
import { createMetrics } from '../../../src/parts/metrics.ts';
import { createMemoryBroker } from '../../../streams/log/memory/log-memory.ts';
import { createClickhouseSink } from '../../../streams/sinks/clickhouse/clickhouse-sink.ts';
import { createPlayerDaysTarget } from '../../../streams/sinks/clickhouse/player-days/target.ts';
import { commit } from '../../../streams/sinks/testing-commits.ts';
import { silentLogger } from '../in-memory/silent-logger.ts';
import type { TestClickhouse } from '../servers/clickhouse.ts';
import { until } from '../until.ts';
import { buildDays } from './built-days.ts';

/* A game whose commands are decided by the owner and written through the real sink. */

export const SCOPE = { game: 'demo', environment: 'live' } as const;
export const playerId = (n: number): string => `00000000-0000-5000-8000-${String(n).padStart(12, '0')}`;

/** Players whose commands are decided one by one; each is a record of the log. */
export function aGame() {
  const states = new Map<string, EntityState>();
  const records: Fact[][] = [];
  return {
    records,
    exposed(n: number, variant: string, at: number): void {
      const facts: DomainFact[] = [
        {
          kind: 'FlagExposed',
          ...SCOPE,
          entityId: playerId(n),
          externalId: `ext-${n}`,
          at,
          flagKey: 'shop',
          flagVersion: 1,
          period: 1,
          attribution: 'served',
          variantKey: variant,
          value: JSON.stringify(variant),
          reason: 'percentage_rollout',
          stratum: 10_000,
        },
      ];
      records.push(facts);
    },
    send(n: number, at: number, by: CallerKind, body: CommandBody) {
      const id = playerId(n);
      const draft = createDraft(
        (other) => states.get(other) ?? (other === id ? aPlayer({ id, externalId: `ext-${n}` }) : undefined),
      );
      const reply = decide(draft, aCommand(body, { receivedAt: at, by }), definitionsOf());
      const state = draft.get(id);
      if (state !== undefined) states.set(id, state);
      if (draft.facts.length > 0) records.push([...draft.facts]);
      return reply;
    },
    refund(n: number, at: number, transactionId: string, amount: number | null = null, refundId: string | null = null) {
      const eventId = `${n}-${at}-refund`;
      const body = { kind: 'RefundPurchase', playerId: playerId(n), transactionId, amount, refundId, eventId } as const;
      return this.send(n, at, 'server', body);
    },
    buy(n: number, at: number, by: CallerKind, amount: number, transactionId: string | null) {
      const eventId = `${n}-${at}-${by}`;
      const unsaid = { currency: null, productId: 'gems' };
      return this.send(n, at, by, {
        kind: 'RecordPurchase',
        playerId: playerId(n),
        amount,
        ...unsaid,
        transactionId,
        eventId,
      });
    },
  };
}

/** Writes records into the tables. */
export async function write(clickhouse: TestClickhouse, records: readonly Fact[][]): Promise<void> {
  const broker = createMemoryBroker({ clock: systemClock });
  const log = broker.connect();
  for (const facts of records) await commit(log, facts);
  const sink = createClickhouseSink({
    log: broker.connect(),
    clock: systemClock,
    holder: 'sink',
    clickhouse: clickhouse.address,
    logger: silentLogger,
    metrics: createMetrics(),
  });
  sink.start();
  await until('the sink is through', () => {
    const entry = broker.bucket('POSITIONS').get('clickhouse');
    return entry?.value !== undefined && JSON.parse(Buffer.from(entry.value).toString()).sequence >= records.length;
  });
  await sink.stop();
}

/** Builds the days of all records. */
export async function buildAllDays(clickhouse: TestClickhouse, records: readonly Fact[][]): Promise<void> {
  const days = createPlayerDaysTarget(clickhouse.address);
  await buildDays(days, 0, { createdMs: 1, sequence: records.length });
  await days.close();
}
