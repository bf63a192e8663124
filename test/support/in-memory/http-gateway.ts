import type { CommandBody, QueryBody } from '../../../core/vocabulary/commands/commands.ts';
import type { MergeCommand } from '../../../core/vocabulary/merge/merge-commands.ts';
import type { Reply } from '../../../core/vocabulary/commands/replies.ts';
import { createLiveDefinitions } from '../../../actors/runtime/definitions/live-definitions.ts';
import { aPlayer as aPlayerState } from '../../../actors/testing-players.ts';
import type { Backend, Origin } from '../../../src/api/route/backend.ts';
import { createServer, type Server, type ServerDeps } from '../../../src/gateway/server.ts';
import { routes } from '../../../src/api/routes.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import { failure } from '../../../core/kernel/errors.ts';
import { systemIds } from '../../../core/kernel/ids.ts';
import { createMetrics } from '../../../src/parts/metrics.ts';
import { apiKeyRecord, type ApiKeyRequest, createApiKey } from '../../../streams/config/api-keys.ts';
import { createGame, gameAddress } from '../../../streams/config/games.ts';
import type { LiveFeed, LiveReader, LiveRequest } from '../../../streams/live-feed.ts';
import { createMemoryBroker } from '../../../streams/log/memory/log-memory.ts';
import { createMemoryConfigStore, type MemoryConfigStore } from './memory-config-store.ts';
import { NO_ANALYTICS } from './no-analytics.ts';
import { NO_STORES } from './fake-stores.ts';
import { silentLogger } from './silent-logger.ts';
import type { PlayerView } from '../../../core/vocabulary/state/player.ts';

/** One call of a route to the backend. */
export interface Call {
  origin: Origin;
  entityId: string;
  body: CommandBody | QueryBody;
}

/** A backend that records its calls and replies as the test specifies. */
export interface FakeBackend extends Backend {
  calls: Call[];
  /** Chooses the replies; the default accepts everything. */
  reply: (call: Call) => Reply | Promise<Reply>;
}

/** A live feed that gives the test its readers. */
export interface FakeFeed extends LiveFeed {
  readers: number;
  attached: { request: LiveRequest; reader: LiveReader; detached: boolean }[];
}

export interface Gateway {
  url: string;
  port: number;
  server: Server;
  backend: FakeBackend;
  feed: FakeFeed;
  config: MemoryConfigStore;
  /** Creates a key and returns its text. */
  key(request?: Partial<ApiKeyRequest>): Promise<string>;
  /** Revokes a key by its text. */
  revoke(text: string, request?: Partial<ApiKeyRequest>): Promise<void>;
  /** The namespace of a game's player ids. */
  namespace(game: string): string;
  /** `fetch` with a key and a JSON body (a string is sent unchanged). */
  call(
    key: string | undefined,
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Response>;
  close(): Promise<void>;
}

/** The real HTTP server with a fake backend, on its own port. */
export async function startGateway(
  options: Partial<ServerDeps> & {
    webhookAllowPrivateHosts?: readonly string[];
    host?: string;
    port?: number;
  } = {},
): Promise<Gateway> {
  const { webhookAllowPrivateHosts = [], host = '127.0.0.1', port: wanted = 0, ...overrides } = options;
  const config = createMemoryConfigStore();
  for (const game of ['demo', 'other']) {
    await config.put(gameAddress(game), createGame(game, 'tenant', systemClock, systemIds));
  }
  const definitions = createLiveDefinitions(config, silentLogger);
  const backend = createFakeBackend();
  const feed = createFakeFeed();
  const server = createServer({
    routes: routes({ webhookAllowPrivateHosts, sessionTtlSeconds: 1800 }),
    config: { corsOrigins: ['*'], metricsPort: undefined, metricsPublic: false, trustedProxies: [] },
    configStore: config,
    backend,
    feed,
    log: createMemoryBroker({ clock: systemClock }).connect(),
    clock: systemClock,
    ids: systemIds,
    logger: silentLogger,
    metrics: createMetrics(),
    readiness: () => ({ ready: true, checks: { log: true }, details: [{ name: 'log', ok: true, required: true }] }),
    writeRefusal: () => undefined,
    stores: NO_STORES,
    segmentPreviews: { preview: async () => failure('SERVICE_UNAVAILABLE') },
    segmentProgress: async () => ({
      evaluated: 0,
      total: 0,
      done: true,
      overBudget: 0,
      partitions: 2,
      filled: 2,
    }),
    analytics: NO_ANALYTICS,
    freshness: { rowsAsOf: async () => undefined, outputs: async () => [] },
    eventTracer: { trace: async () => ({ kind: 'unavailable' }) },
    targeting: (game, environment) => definitions.of(game, environment),
    scorer: { score: async () => failure('MODEL_UNAVAILABLE') },
    scoringModels: () => ({ current: undefined, challenger: undefined }),
    operations: {
      deployment: async () => undefined,
      webhooks: async () => undefined,
      process: () => ({
        disk: { freeBytes: 9, sizeBytes: 10, reserveBytes: 1, low: false },
        log: undefined,
        clock: undefined,
        brokerConnected: true,
      }),
    },
    webhookOperations: {
      test: async () => {
        throw new Error('no test says what became of it');
      },
      redeliver: async () => ({ kind: 'unavailable' }),
      payload: async () => ({ kind: 'unavailable' }),
      recover: async () => ({ kind: 'unavailable' }),
      recovery: async () => 'unavailable',
    },
    ...overrides,
  });
  const port = await server.listen(host, wanted);
  const url = `http://127.0.0.1:${port}`;
  const complete = (request: Partial<ApiKeyRequest>): ApiKeyRequest => ({
    game: 'demo',
    environment: 'live',
    kind: 'server',
    tier: 'enterprise',
    scopes: [],
    ...request,
  });
  return {
    url,
    port,
    server,
    backend,
    feed,
    config,
    async key(request = {}) {
      const { text, address, document } = createApiKey(complete(request), systemClock, systemIds);
      await config.put(address, document);
      return text;
    },
    async revoke(text, request = {}) {
      const { address } = apiKeyRecord(text, complete(request), systemClock, systemIds);
      const held = config.get(address);
      if (held === undefined) throw new Error('there is no such key');
      await config.put(address, { ...held.document, revokedAt: systemClock.wallMs() });
    },
    namespace: (game) => config.get(gameAddress(game))?.document.namespace ?? '',
    call(key, method, path, body, headers = {}) {
      return fetch(url + path, {
        method,
        headers: {
          ...(key === undefined ? {} : { 'X-API-Key': key }),
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
    },
    close() {
      definitions.stop();
      return server.close();
    },
  };
}

export const RECEIVED_AT = Date.UTC(2026, 0, 15, 10, 30, 0, 512);

/** A player as the owner returns it. */
export function aPlayer(some: Partial<PlayerView> = {}): PlayerView {
  return {
    id: '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11',
    externalId: 'player_12345',
    deviceId: null,
    email: 'player@example.com',
    lifecycleStage: 'new',
    sessionCount: 3,
    totalRevenue: 999_900,
    isPayer: true,
    isTestPlayer: false,
    firstSeenAt: Date.UTC(2026, 0, 1),
    lastSeenAt: RECEIVED_AT,
    attributes: '{"level":5,"__proto__":{"x":1}}',
    ...some,
  };
}

/** A merge of any player into any other. */
function merging({ kind, playerId }: MergeCommand): Reply {
  const [into, guest] = [{ playerId: aPlayer().id, externalId: aPlayer().externalId }, new Uint8Array()];
  const stage = kind === 'BeginMerge' ? 'moving' : kind === 'FinishMerge' ? 'moved' : 'leaving';
  return { kind: 'merging', playerId, externalId: 'guest', into, mergeId: 'mrg_1', stage, at: RECEIVED_AT, guest };
}

/** The reply of an owner that accepts everything. */
export function accept({ body }: Call): Reply {
  switch (body.kind) {
    case 'RegisterPlayer':
      return { kind: 'player', created: true, player: aPlayer({ id: body.playerId, externalId: body.externalId }) };
    case 'PatchPlayer':
    case 'GetPlayer':
      return { kind: 'player', created: false, player: aPlayer({ id: body.playerId }) };
    case 'GetLifecycle': {
      const { lifecycleStage: stage, firstSeenAt, lastSeenAt, sessionCount } = aPlayer();
      const times = { changedAt: firstSeenAt, firstSeenAt, lastSeenAt };
      return {
        kind: 'lifecycle',
        playerId: body.playerId,
        stage,
        ...times,
        sessionCount,
        totalPlaytimeSeconds: 5_400,
      };
    }
    case 'GetChurnRisk':
      return {
        kind: 'churnRisk',
        playerId: body.playerId,
        risk: { score: 4_000, level: 'medium', factors: [], confidence: 3, predictedAt: RECEIVED_AT },
      };
    case 'ErasePlayer':
      return { kind: 'erased', playerId: body.playerId, erasedAt: RECEIVED_AT };
    case 'GetErasure':
      return { kind: 'erased', playerId: body.playerId, erasedAt: null };
    case 'ExportPlayer':
      return { kind: 'exported', player: { ...aPlayerState({ id: body.playerId }), keys: [] } };
    case 'ClaimIdempotencyKey':
    case 'ReportGuardrail':
      return { kind: 'claimed' };
    case 'OverrideFlag':
      return { kind: 'overridden', flagKey: body.flagKey, value: body.value };
    case 'ServeFlags':
    case 'ExposeFlag':
    case 'CancelMerge':
    case 'ReleaseGuest':
    case 'FinishUnmerge':
      return { kind: 'noted' };
    case 'BeginMerge':
    case 'FinishMerge':
    case 'BeginUnmerge':
      return merging(body);
    case 'AbsorbPlayer':
      return { kind: 'absorbed', playerId: body.playerId, mergeId: body.mergeId };
    case 'RecordSession': {
      const { playerId, sessionId, durationSeconds } = body;
      return { kind: 'sessionRecorded', playerId, sessionId, sessionCount: 4, totalPlaytimeSeconds: durationSeconds };
    }
    case 'RecordPurchase': {
      const { playerId, amount } = body;
      return { kind: 'purchaseRecorded', playerId, amount, totalRevenue: 999_900 + amount, purchaseCount: 4 };
    }
    case 'DecideReceipt': {
      const { playerId, verdict } = body;
      const totals = { totalRevenue: 999_900, purchaseCount: 3 };
      return { kind: 'purchaseRecorded', playerId, amount: 99_900, ...totals, state: verdict.kind };
    }
    case 'RefundPurchase': {
      const { playerId, amount } = body;
      const totals = { totalRevenue: 900_000, purchaseCount: 2 };
      return { kind: 'purchaseRefunded', playerId, amount: amount ?? 99_900, remaining: 0, ...totals };
    }
    case 'InitSession': {
      const { id, externalId, firstSeenAt, lastSeenAt, attributes } = aPlayer({ id: body.playerId });
      const player = { id, externalId, firstSeenAt, lastSeenAt, attributes };
      const lists = { flags: [], unknownFlags: [], segmentKeys: [] };
      return { kind: 'sessionOpened', sessionId: body.sessionId, player, ...lists, serverTime: RECEIVED_AT };
    }
    case 'SyncSession':
      return { kind: 'sessionSynced', eventsAccepted: body.events.length, interventions: [], flags: [] };
    case 'EndSession': {
      const { sessionId, durationSeconds } = body;
      const summary = { achievements: [], interventionsShown: 0, interventionsClicked: 0 };
      return { kind: 'sessionEnded', sessionId, totalEvents: body.events.length, durationSeconds, ...summary };
    }
    case 'EvaluateFlags': {
      const flagKeys = body.flagKeys === 'all' ? [] : body.flagKeys;
      const evaluations = flagKeys.map((flagKey) => ({
        flagKey,
        value: 'true',
        variantKey: null,
        reason: 'percentage_rollout' as const,
        period: 1,
      }));
      return { kind: 'flags', evaluations, unknownFlags: [], durationUs: 12 };
    }
    case 'ListPlayers':
      return { kind: 'listed', members: body.playerIds.length, changed: body.playerIds.length, unknown: [] };
    case 'PreviewSegment':
    case 'ImportHistory':
      throw new Error('no endpoint sends it to the owner of a player');
    case 'TrackEvents':
      return {
        kind: 'tracked',
        results: body.items.map(({ index, eventId, playerId, eventName, timestamp }) => ({
          index,
          eventId,
          playerId,
          eventName,
          timestamp,
          receivedAt: RECEIVED_AT,
          status: 'accepted',
        })),
      };
  }
}

function createFakeBackend(): FakeBackend {
  const take = async (origin: Origin, entityId: string, body: CommandBody | QueryBody): Promise<Reply> => {
    const call = { origin, entityId, body };
    backend.calls.push(call);
    return backend.reply(call);
  };
  const backend: FakeBackend = {
    calls: [],
    reply: accept,
    send: take,
    query: take,
    // The first hexadecimal digit determines the partition, so a test can choose it.
    partitionOf: (entityId) => (Number.parseInt(entityId[0] ?? '0', 16) || 0) % 2,
  };
  return backend;
}

function createFakeFeed(): FakeFeed {
  const feed: FakeFeed = {
    readers: 0,
    attached: [],
    attach(request, reader) {
      const entry = { request, reader, detached: false };
      feed.attached.push(entry);
      feed.readers += 1;
      reader.write(Buffer.from(`data: ${JSON.stringify({ type: 'connected', game_id: request.game })}\n\n`));
      return () => {
        if (entry.detached) return;
        entry.detached = true;
        feed.readers -= 1;
      };
    },
  };
  return feed;
}

/** A player id in one partition of the fake backend. */
export const playerIn = (partition: 0 | 1, n = 0): string =>
  `${partition === 0 ? '2' : '3'}f0f5a3e-8d7b-5c39-9a43-${String(n).padStart(12, '0')}`;

/** The reply for an owner that is unreachable. */
export const unavailable = (): Reply => failure('SERVICE_UNAVAILABLE');
