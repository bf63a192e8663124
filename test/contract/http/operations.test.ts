import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { WebhookAttempts } from '../../../clickhouse-schema/queries/webhook-attempts.ts';
import type { DeploymentStatus, ProcessState } from '../../../src/api/operations/deployment-status.ts';
import { gameAddress } from '../../../streams/config/games.ts';
import { bodyOf } from '../../support/wire/api-body.ts';
import { type Gateway, startGateway } from '../../support/in-memory/http-gateway.ts';
import { NO_ANALYTICS } from '../../support/in-memory/no-analytics.ts';
import { type PublishedShapes, publishedShapes } from '../../support/wire/published-shapes.ts';

/* The state of the deployment over HTTP. */

let gateway: Gateway;
let key: string;
let shapes: PublishedShapes;
let deployment: DeploymentStatus | undefined;
let state: ProcessState;
let attempts: WebhookAttempts[];
let clickhouseAnswers: boolean;
const asked: object[] = [];

const NOW = Date.now();
const HEALTHY: DeploymentStatus = {
  measuredAt: NOW,
  partitions: [{ partition: 0, owner: 'n-a', standbys: ['n-b'], refusedBy: [] }],
  processes: [
    {
      node: 'n-a',
      roles: ['actors'],
      version: '0.1.0',
      startedAt: NOW - 1_000,
      format: 6,
      seenAt: NOW,
      owned: 1,
      ready: 0,
      refusal: undefined,
    },
  ],
  sinks: [{ sink: 'clickhouse', stream: 'FACTS', holder: 'n-a', behind: 0, oldestAt: undefined, lost: false }],
  streams: [{ name: 'FACTS', records: 3, bytes: 300, maxBytes: undefined }],
  format: { own: 6, lowest: 6 },
};

beforeEach(async () => {
  deployment = HEALTHY;
  attempts = [];
  asked.length = 0;
  clickhouseAnswers = true;
  state = {
    disk: { freeBytes: 9, sizeBytes: 10, reserveBytes: 1, low: false },
    log: { usedBytes: 5, limitBytes: 10, held: [], fullInSeconds: Infinity, oldestAt: undefined, warns: false },
    clock: { leastMs: -1, mostMs: 3, fault: undefined },
    brokerConnected: true,
  };
  gateway = await startGateway({
    operations: {
      deployment: async () => deployment,
      webhooks: async (scope) => {
        asked.push(scope);
        return { records: 4, bytes: 400, retries: 3 };
      },
      process: () => state,
    },
    analytics: {
      ...NO_ANALYTICS,
      version: async () => (clickhouseAnswers ? { kind: 'answered', value: '26.7' } : { kind: 'unavailable' }),
      async webhookAttempts(query) {
        asked.push({ game: query.game, environment: query.environment });
        return { kind: 'answered', value: attempts };
      },
    },
  });
  key = await gateway.key();
  shapes = publishedShapes(JSON.parse(await (await fetch(`${gateway.url}/openapi.json`)).text()));
});
afterEach(() => gateway.close());

async function status() {
  const response = await gateway.call(key, 'GET', '/v1/ops/status');
  const body = await bodyOf(response);
  expect(response.status).toBe(200);
  expect(shapes.faultsOf('GET', '/v1/ops/status', 200, body)).toEqual([]);
  return body.data;
}

describe('the state of the deployment', () => {
  it('has no findings while all is well', async () => {
    expect(await status()).toMatchObject({
      findings: [],
      partitions: [{ partition: 0, owner: 'n-a', standbys: ['n-b'] }],
      sinks: [{ sink: 'clickhouse', behind_records: 0, oldest_waiting_at: null }],
      webhooks: { queued_records: 4, scheduled_retries: 3 },
      clickhouse: { answers: true, version: '26.7' },
      broker: { connected: true, clock_ahead_ms: 1 },
      log: { full_in_seconds: null },
    });
  });

  it("asks for the webhooks of the key's game and environment", async () => {
    await status();
    expect(asked).toEqual([
      { game: 'demo', environment: 'live' },
      { game: 'demo', environment: 'live' },
    ]);
  });

  it('has nothing of other games and of the other environment: no names, ids, webhooks or findings', async () => {
    const webhook = (name: string, game: string, environment: 'live' | 'test') =>
      gateway.config.put(
        { game, environment, kind: 'webhook', key: `wh_${name}` },
        {
          id: `wh_${name}`,
          name,
          url: `https://${name}.example.com/`,
          events: ['*'],
          secret: 'whsec_x',
          enabled: false,
          headers: {},
          retryPolicy: { maxRetries: 1, backoff: 'linear' },
          filters: {},
          createdAt: NOW,
          version: 1,
          disabled: { at: NOW, reason: 'failing' },
        },
      );
    await webhook('own', 'demo', 'live');
    await webhook('testing', 'demo', 'test');
    await webhook('foreign', 'other', 'live');
    const { findings, ...rest } = await status();
    expect(findings).toMatchObject([{ runbook: 'WebhookDisabled', subject: 'wh_own' }]);
    const text = JSON.stringify({ findings, rest });
    const { id, tenant, namespace } = { id: 'other', ...gateway.config.get(gameAddress('other'))?.document };
    for (const word of ['foreign', 'testing', `"${id}"`, `"${tenant}"`, namespace]) expect(text).not.toContain(word);
  });

  it('names what needs attention, with its entry in the runbook, the most urgent first', async () => {
    clickhouseAnswers = false;
    deployment = {
      ...HEALTHY,
      partitions: [{ partition: 0, owner: undefined, standbys: [], refusedBy: ['n-a'] }],
      processes: HEALTHY.processes.map((one) => ({ ...one, refusal: 'store' })),
      sinks: [
        { sink: 'clickhouse', stream: 'FACTS', holder: 'n-a', behind: 20_000, oldestAt: NOW, lost: true },
        { sink: 'webhooks', stream: 'FACTS', holder: undefined, behind: undefined, oldestAt: undefined, lost: false },
      ],
    };
    attempts = [
      { webhookId: 'wh_1', delivered: 1, failed: 2, givenUp: 1, lastFailureAt: NOW, lastStatus: 500 },
      { webhookId: 'wh_2', delivered: 9, failed: 0, givenUp: 0, lastFailureAt: undefined, lastStatus: null },
    ];
    state = { ...state, disk: { freeBytes: 0, sizeBytes: 10, reserveBytes: 1, low: true } };
    const { findings } = await status();
    expect(findings).toMatchObject([
      { runbook: 'WritesRefused', subject: '' },
      { runbook: 'PartitionWithoutOwner', subject: '0' },
      { runbook: 'SinkStopped', subject: 'clickhouse' },
      { runbook: 'SinkUnreachable', subject: 'clickhouse' },
      { runbook: 'PartitionRefused', subject: 'n-a' },
      { runbook: 'SinkBehind', subject: 'clickhouse' },
      { runbook: 'SinkLate', subject: 'webhooks' },
      { runbook: 'WebhooksWait', subject: 'wh_1' },
    ]);
  });

  it('says that the broker does not answer, and what it knows nevertheless', async () => {
    deployment = undefined;
    expect(await status()).toMatchObject({
      findings: [{ runbook: 'NotReady' }],
      partitions: null,
      processes: null,
      sinks: null,
      format: null,
    });
  });

  it('is refused to client keys', async () => {
    const client = await gateway.key({ kind: 'client' });
    expect((await gateway.call(client, 'GET', '/v1/ops/status')).status).toBe(403);
  });
});
