import { expect } from 'vitest';
import { given, type Harness } from '../../actors/testing/harness.ts';
import { aCommand } from '../../actors/testing-players.ts';
import { createRowBatch } from '../../clickhouse-schema/rows/row-batch.ts';
import { TABLES } from '../../clickhouse-schema/rows/tables/tables.ts';
import type { CommandBody, TrackItem } from '../../core/vocabulary/commands/commands.ts';
import type { DomainFact } from '../../core/vocabulary/facts/facts.ts';
import { systemIds, uuidv5 } from '../../core/kernel/ids.ts';
import { newSessionId } from '../../actors/sessions/session-id.ts';
import { fileFormat, type ImportKind } from '../../src/cli/import/files/file-formats.ts';
import { readHistory } from '../../src/cli/import/files/read-history.ts';
import { createHistoryBatch } from '../../src/cli/import/send/history-batch.ts';
import { aCommit } from '../../streams/sinks/testing-commits.ts';
import { execSql, type TestClickhouse } from '../support/servers/clickhouse.ts';
import { type Call, type GamePlan, type ImportedLine, type Sent, serviceEventId } from './story.ts';

/*
 * A story through the service's own parts: calls become commands, which the owner decides; its facts become rows, as
 * the sink writes them.
 */

const NAMESPACE = '5b2f1a6e-6f0e-4d5b-9a57-2d4b8f1c7e90';
/** When the log was created. */
export const CREATED_MS = Date.UTC(2018, 0, 1);
const FACTS_OF_BLOCK = 5_000;

export interface Store {
  /** The stage of a player when an event came, by the event's id: the owner decides it, and its own tests say how. */
  readonly stages: ReadonlyMap<string, string>;
  /** The last record. */
  readonly sequence: number;
  /** Decides a game's calls and what is due until a time, and inserts the rows. */
  tell(plan: GamePlan, calls: readonly Call[], untilMs: number): Promise<void>;
}

export function createStore(clickhouse: TestClickhouse): Store {
  const stages = new Map<string, string>();
  let sequence = 0;
  let rows = createRowBatch();
  let waiting = 0;

  async function insert(): Promise<void> {
    for (const { table, bytes } of rows.blocks()) {
      const sql = `INSERT INTO ${table} (${TABLES[table].columns.join(', ')}) FORMAT Native`;
      await execSql(clickhouse, sql, { body: Buffer.from(bytes) });
    }
    rows = createRowBatch();
    waiting = 0;
  }

  async function store(facts: readonly DomainFact[]): Promise<void> {
    if (facts.length === 0) return;
    sequence += 1;
    rows.add(aCommit([...facts]), { stream: new Date(CREATED_MS).toISOString(), sequence });
    for (const fact of facts) if (fact.kind === 'EventTracked') stages.set(fact.eventId, fact.lifecycleStage);
    waiting += facts.length;
    if (waiting >= FACTS_OF_BLOCK) await insert();
  }

  return {
    stages,
    get sequence() {
      return sequence;
    },
    async tell(plan, calls, untilMs) {
      for (const own of Map.groupBy(calls, ({ player }) => player).values()) {
        // Players share nothing: each has an owner of its own, and its calls are in their order.
        const harness = given([]);
        const ids = new Map<string, string>();
        for (const call of own) await store(await decide(harness, plan, call, ids));
        const [first] = own;
        if (first !== undefined) await store(harness.whenTime(playerIdOf(plan.id, first.player), untilMs));
      }
      await insert();
    },
  };
}

const externalIdOf = (player: number): string => `p${player}`;
const playerIdOf = (game: string, player: number): string => uuidv5(NAMESPACE, `${game}:${externalIdOf(player)}`);

async function decide(
  harness: Harness,
  plan: GamePlan,
  call: Call,
  sessions: Map<string, string>,
): Promise<DomainFact[]> {
  const facts: DomainFact[] = [];
  for (const body of await bodiesOf(plan, call, sessions)) {
    const command = aCommand(body, { game: plan.id, receivedAt: call.at, by: call.by });
    const outcome = harness.when(command);
    expect(outcome.reply, JSON.stringify(call)).not.toMatchObject({ kind: 'failure' });
    if (outcome.reply.kind === 'imported')
      expect(outcome.reply, JSON.stringify(call)).toMatchObject({ rejected: [], repeated: 0 });
    facts.push(...outcome.facts);
  }
  return facts;
}

/** The commands that gateway and importer make of a call. */
async function bodiesOf(plan: GamePlan, call: Call, sessions: Map<string, string>): Promise<CommandBody[]> {
  const { act, at, player, by } = call;
  const playerId = playerIdOf(plan.id, player);
  const sessionIdOf = (session: string): string => {
    const known = sessions.get(session) ?? newSessionId(systemIds, playerId, at);
    sessions.set(session, known);
    return known;
  };
  const eventId = serviceEventId(plan, call);
  switch (act.kind) {
    case 'register': {
      const attributes = JSON.stringify(act.country === '' ? {} : { country: act.country });
      const externalId = externalIdOf(player);
      return [
        { kind: 'RegisterPlayer', playerId, externalId, attributes, createOnly: false, byClientKey: by === 'client' },
      ];
    }
    case 'moves':
      return [{ kind: 'PatchPlayer', playerId, attributes: JSON.stringify({ country: act.country || null }) }];
    case 'init': {
      const { platform, appVersion, build } = act.device;
      const device = { platform, appVersion, build, osVersion: null, deviceModel: null };
      const sessionId = sessionIdOf(act.session);
      return [{ kind: 'InitSession', playerId, sessionId, device, flagKeys: [], ttlMs: 1_800_000 }];
    }
    case 'sync': {
      const sessionId = sessionIdOf(act.session);
      const events = itemsOf(playerId, act.events, sessionId);
      return [{ kind: 'SyncSession', playerId, sessionId, events, stateUpdates: null }];
    }
    case 'end': {
      const sessionId = sessionIdOf(act.session);
      const events = itemsOf(playerId, act.events, sessionId);
      return [{ kind: 'EndSession', playerId, sessionId, durationSeconds: act.seconds, events }];
    }
    case 'track':
      return [{ kind: 'TrackEvents', items: itemsOf(playerId, act.events, null) }];
    case 'played': {
      const endedAt = act.deviceAt === null ? null : act.deviceAt + act.seconds * 1_000;
      const times = { startedAt: act.deviceAt, endedAt, durationSeconds: act.seconds };
      return [{ kind: 'RecordSession', playerId, sessionId: act.session, ...times, eventId }];
    }
    case 'buys': {
      const { amount, currency, product: productId, transaction: transactionId } = act;
      return [{ kind: 'RecordPurchase', playerId, amount, currency, productId, transactionId, eventId }];
    }
    case 'refunded': {
      const { amount, transaction: transactionId, refund: refundId } = act;
      return [{ kind: 'RefundPurchase', playerId, transactionId, amount, refundId, eventId }];
    }
    case 'imported': {
      const lines = Map.groupBy(act.lines, ({ kind }) => (kind === 'player' ? 'players' : 'events'));
      return await Promise.all([...lines].map(([kind, own]) => importOf(plan, call, kind, own)));
    }
  }
}

const itemsOf = (playerId: string, events: readonly Sent[], sessionId: string | null): TrackItem[] =>
  events.map(({ eventId, name, properties, deviceAt, device }, index) => ({
    index,
    playerId,
    eventId,
    remember: true,
    eventName: name,
    properties: JSON.stringify(properties),
    sessionId,
    timestamp: deviceAt,
    ...(device === undefined ? {} : { playedWith: knownOf(device) }),
  }));

const knownOf = (device: { platform: string; appVersion: string; build: string }) => ({
  ...(device.platform === '' ? {} : { platform: device.platform }),
  ...(device.appVersion === '' ? {} : { appVersion: device.appVersion }),
  ...(device.build === '' ? {} : { build: device.build }),
});

/** A file of one player, read as the command `import` reads it. */
async function importOf(plan: GamePlan, call: Call, kind: ImportKind, lines: readonly ImportedLine[]) {
  const text = lines.map((line) => JSON.stringify(lineOf(call.player, line))).join('\n');
  const format = fileFormat('native', kind);
  if (format === undefined) throw new Error(`there is no format of ${kind}`);
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(text);
  }
  const importId = uuidv5(NAMESPACE, `${plan.id} ${call.player} ${call.at} ${kind}`);
  const playerIdOfLine = (): string => playerIdOf(plan.id, call.player);
  const of = { playerIdOf: playerIdOfLine, exchangeOf: () => undefined };
  const options = { fileKind: 'ndjson', format, importId, nowMs: call.at, ...of } as const;
  const batch = createHistoryBatch();
  for await (const read of readHistory({ chunks: chunks(), share: () => undefined }, options)) {
    for (const line of read) {
      if (line.kind === 'fault') throw new Error(`${line.reason} ${line.bytes.toString()}`);
      batch.add(line.item);
    }
  }
  return batch.close(importId, 0);
}

function lineOf(player: number, line: ImportedLine): object {
  const timestamp = new Date(line.at).toISOString();
  const base = { external_id: externalIdOf(player), timestamp };
  const byService = { ...base, source: 'service' };
  switch (line.kind) {
    case 'player':
      return { external_id: externalIdOf(player), first_seen_at: new Date(line.firstSeenAt).toISOString() };
    case 'event': {
      const { name, eventId, properties, country, device } = line;
      return { ...base, event_id: eventId, event_name: name, properties, country, ...fieldsOf(device) };
    }
    case 'session': {
      const properties = { session_id: line.session, duration_seconds: line.seconds };
      return { ...byService, event_name: 'session_recorded', properties, ...fieldsOf(line.device) };
    }
    case 'purchase': {
      const properties = { amount: line.amount / 10_000, product_id: line.product, transaction_id: line.transaction };
      return { ...byService, event_name: 'purchase', properties };
    }
    case 'refund': {
      const { amount, transaction, refund } = line;
      const properties = { amount: amount / 10_000, transaction_id: transaction, refund_id: refund };
      return { ...byService, event_name: 'purchase_refunded', properties };
    }
  }
}

const fieldsOf = ({ platform, appVersion, build }: { platform: string; appVersion: string; build: string }) => ({
  platform,
  app_version: appVersion,
  build,
});
