import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { decide } from '../../../actors/decide.ts';
import { createDraft } from '../../../actors/runtime/term/draft.ts';
import { aCommand, aPlayer, definitionsOf } from '../../../actors/testing-players.ts';
import type { ExperimentQuery } from '../../../clickhouse-schema/queries/experiments/experiment-query.ts';
import { type Analytics, createAnalytics } from '../../../clickhouse-schema/queries/analytics.ts';
import { TABLE_NAMES } from '../../../clickhouse-schema/rows/tables/tables.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import type { CommandBody } from '../../../core/vocabulary/commands/commands.ts';
import type { CallerKind } from '../../../core/vocabulary/documents/scope.ts';
import type { DomainFact, Fact } from '../../../core/vocabulary/facts/facts.ts';
import type { EntityState } from '../../../core/vocabulary/state/state.ts';
import { createMetrics } from '../../../src/parts/metrics.ts';
import { createMemoryBroker } from '../../../streams/log/memory/log-memory.ts';
import { createClickhouseSink } from '../../../streams/sinks/clickhouse/clickhouse-sink.ts';
import { aTrackedEvent, commit } from '../../../streams/sinks/testing-commits.ts';
import { silentLogger } from '../../support/in-memory/silent-logger.ts';
import { execSql, type TestClickhouse } from '../../support/servers/clickhouse.ts';
import { until } from '../../support/until.ts';
import { startWithTables } from '../../support/wire/made-tables.ts';

/* What players paid and got back: decided by the owner, through the real sink, in the figures that analysts read. */

let clickhouse: TestClickhouse;
let analytics: Analytics;
beforeAll(async () => {
  clickhouse = await startWithTables();
  analytics = createAnalytics({ address: clickhouse.address, clock: systemClock, logger: silentLogger });
});
afterAll(async () => {
  await analytics.close();
  await clickhouse.close();
});
beforeEach(async () => {
  for (const table of TABLE_NAMES) await execSql(clickhouse, `TRUNCATE TABLE ${table}`);
});

const DAY_MS = 86_400_000;
const START = Date.UTC(2026, 0, 20, 10);
const playerId = (n: number): string => `00000000-0000-5000-8000-${String(n).padStart(12, '0')}`;
const SCOPE = { game: 'demo', environment: 'live' } as const;

/** Players whose commands are decided one by one; each is a record of the log. */
function aGame() {
  const states = new Map<string, EntityState>();
  const records: Fact[][] = [];
  return {
    records,
    exposed(n: number, variant: string, at = START): void {
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
        },
      ];
      records.push(facts);
    },
    send(n: number, at: number, by: CallerKind, body: CommandBody) {
      const id = playerId(n);
      const draft = createDraft((other) => states.get(other) ?? aPlayer({ id: other, externalId: `ext-${n}` }));
      const reply = decide(draft, aCommand(body, { receivedAt: at, by }), definitionsOf());
      const state = draft.get(id);
      if (state !== undefined) states.set(id, state);
      if (draft.facts.length > 0) records.push([...draft.facts]);
      return reply;
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

async function write(records: readonly Fact[][]): Promise<void> {
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

async function measured(some: Partial<ExperimentQuery> = {}) {
  const result = await analytics.experiment({
    ...SCOPE,
    flagKey: 'shop',
    fromVersion: 1,
    beforeVersion: 2,
    variantBy: 'variant_key',
    variants: ['a', 'b'],
    metric: 'purchase',
    aggregate: { kind: 'sum', property: 'amount' },
    windowDays: 7,
    sinceMs: START - DAY_MS,
    untilMs: START + 100 * DAY_MS,
    earlierSinceMs: START - DAY_MS,
    ...some,
  });
  if (result.kind === 'unavailable') throw new Error('ClickHouse did not answer');
  return result.value.map(({ variant, players, conversions, sum }) => ({ variant, players, conversions, sum }));
}

describe("an experiment's metric of the event `purchase`", () => {
  it('counts a transaction once that a client key and a server key recorded with different amounts', async () => {
    const game = aGame();
    for (let n = 1; n <= 6; n++) {
      game.exposed(n, 'a');
      game.buy(n, START + 1_000, 'client', 99_900, `tx-${n}`);
      game.buy(n, START + 2_000, 'server', 50_000, `tx-${n}`);
    }
    await write(game.records);
    const players = { variant: 'a', players: 6, conversions: 6 };
    expect(await measured()).toEqual([{ ...players, sum: 30 }]);
    expect(await measured({ aggregate: { kind: 'count' } })).toEqual([{ ...players, sum: 6 }]);
    expect(await measured({ aggregate: { kind: 'conversion' } })).toEqual([{ ...players, sum: 6 }]);
  });

  it('counts purchases without a transaction each, and none from before the exposure or after the window', async () => {
    const game = aGame();
    game.buy(1, START - 1, 'client', 10_000, 'early');
    game.exposed(1, 'a');
    // The server's record of a purchase that the client made before the exposure does not move it behind that.
    game.buy(1, START + 1, 'server', 20_000, 'early');
    game.buy(1, START + 2, 'server', 30_000, null);
    game.buy(1, START + 2, 'server', 30_000, null);
    game.buy(1, START + 7 * DAY_MS, 'server', 40_000, 'late');
    game.exposed(2, 'b');
    await write(game.records);
    expect(await measured()).toEqual([
      { variant: 'a', players: 1, conversions: 1, sum: 6 },
      { variant: 'b', players: 1, conversions: 0, sum: 0 },
    ]);
  });

  it('leaves out a purchase from before the period that the server records within it', async () => {
    const game = aGame();
    game.buy(1, START - 3 * DAY_MS, 'client', 10_000, 'early');
    game.exposed(1, 'a');
    game.buy(1, START + 1, 'server', 20_000, 'early');
    await write(game.records);
    expect(await measured()).toEqual([{ variant: 'a', players: 1, conversions: 0, sum: 0 }]);
  });

  it("includes the game's own events of that name, with any property", async () => {
    const game = aGame();
    game.exposed(1, 'a');
    game.buy(1, START + 1, 'server', 30_000, 'tx');
    const own = { entityId: playerId(1), eventName: 'purchase', properties: '{"amount":2,"coins":40}' } as const;
    game.records.push([aTrackedEvent({ ...own, at: START + 2, by: 'client' })]);
    await write(game.records);
    expect(await measured()).toMatchObject([{ conversions: 1, sum: 5 }]);
    expect(await measured({ aggregate: { kind: 'count' } })).toMatchObject([{ sum: 2 }]);
    expect(await measured({ aggregate: { kind: 'sum', property: 'coins' } })).toMatchObject([{ sum: 40 }]);
  });
});
