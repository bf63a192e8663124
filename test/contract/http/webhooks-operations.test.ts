import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Analytics } from '../../../clickhouse-schema/queries/analytics.ts';
import type {
  DeliveryQuery,
  LoggedAttempt,
  WebhookDeliveriesQuery,
} from '../../../clickhouse-schema/queries/webhook-delivery-query.ts';
import { WEBHOOK_LIMITS } from '../../../src/api/webhooks/limits.ts';
import type {
  DeliveredPayload,
  Recovery,
  RecoveryRequest,
  Redelivery,
  TestedDelivery,
  WebhookOperations,
} from '../../../streams/webhook-operations.ts';
import { bodyOf } from '../../support/wire/api-body.ts';
import { createFakeLedger } from '../../support/in-memory/fake-ledger.ts';
import { type Gateway, startGateway } from '../../support/in-memory/http-gateway.ts';
import { NO_ANALYTICS } from '../../support/in-memory/no-analytics.ts';
import { publishedShapes, type PublishedShapes } from '../../support/wire/published-shapes.ts';
import { documentedWebhookPath } from '../../support/wire/webhook-paths.ts';
import { until } from '../../support/until.ts';
import type { FactPlace } from '../../../core/vocabulary/records/fact-place.ts';

/* The delivery endpoints of webhooks in the gateway. The sink and ClickHouse are fakes. */

const DELIVERY = '3f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11';
const PLACE: FactPlace = { created: '2026-01-01T00:00:00Z', sequence: 7, index: 2 };
const AT = Date.UTC(2026, 0, 15, 10, 30);
const RECOVERY: Recovery = {
  id: 'rec_1',
  since: AT,
  startedAt: AT + 1_000,
  availableSince: null,
  state: 'running',
  scanned: 10,
  total: 100,
  queued: 3,
  finishedAt: null,
};
const TESTED: TestedDelivery = {
  deliveryId: DELIVERY,
  type: 'event.level_up',
  subscribed: true,
  unmetFilters: ['properties.level'],
  delivered: false,
  status: 500,
  durationMs: 41.6,
  error: null,
  responseStart: 'out of "stock"\u0000</script>',
};

/** The responses of the fakes, and the calls they received. */
let world: {
  test: () => Promise<TestedDelivery>;
  redelivery: Redelivery;
  payload: DeliveredPayload;
  recover: (since: number) => RecoveryRequest;
  recovery: Recovery | undefined | 'unavailable';
  fact: Awaited<ReturnType<Analytics['deliveredFact']>>;
  attempts: Awaited<ReturnType<Analytics['webhookDeliveries']>>;
  redelivered: { webhook: string; place: FactPlace; requestId: string }[];
  facts: DeliveryQuery[];
  lists: WebhookDeliveriesQuery[];
};
let gateway: Gateway;
let shapes: PublishedShapes | undefined;
let key: string;

beforeEach(async () => {
  world = {
    test: async () => TESTED,
    redelivery: { kind: 'queued', deliveryId: DELIVERY },
    payload: { kind: 'found', body: '{"type":"event.level_up"}' },
    recover: () => ({ kind: 'begun', recovery: RECOVERY }),
    recovery: RECOVERY,
    fact: { kind: 'answered', value: PLACE },
    attempts: { kind: 'answered', value: [] },
    redelivered: [],
    facts: [],
    lists: [],
  };
  const webhookOperations: WebhookOperations = {
    test: () => world.test(),
    async redeliver(webhook, place, requestId) {
      world.redelivered.push({ webhook: webhook.key, place, requestId });
      return world.redelivery;
    },
    payload: async () => world.payload,
    recover: async (_, since) => world.recover(since),
    recovery: async () => world.recovery,
  };
  const analytics = {
    ...NO_ANALYTICS,
    async webhookDeliveries(query: WebhookDeliveriesQuery) {
      world.lists.push(query);
      return world.attempts;
    },
    async deliveredFact(query: DeliveryQuery) {
      world.facts.push(query);
      return world.fact;
    },
  };
  gateway = await startGateway({ webhookOperations, analytics });
  gateway.backend.reply = createFakeLedger();
  key = await gateway.key();
  shapes ??= publishedShapes(JSON.parse(await (await fetch(`${gateway.url}/openapi.json`)).text()));
});
afterEach(() => gateway.close());

const PATH = '/v1/integrations/webhooks';
const call = async (method: string, path: string, body?: unknown, headers?: Record<string, string>) => {
  const response = await gateway.call(key, method, path, body, headers);
  const answer = await bodyOf(response);
  expect(shapes?.faultsOf(method, documentedWebhookPath(path), response.status, answer)).toEqual([]);
  return { status: response.status, headers: response.headers, body: answer };
};
const made = async (some: object = {}): Promise<string> => {
  const body = { url: 'https://hooks.example.com/x', events: ['level_up'], ...some };
  const created = await call('POST', PATH, body);
  expect(created.status).toBe(201);
  return created.body.data.webhook_id;
};
const codeOf = ({ status, body }: Awaited<ReturnType<typeof call>>) => [status, body.error.code];

/** Every operation on a webhook. */
const operations = (id: string): [string, string][] => [
  ['POST', `${PATH}/${id}/test`],
  ['GET', `${PATH}/${id}/deliveries`],
  ['POST', `${PATH}/${id}/deliveries/${DELIVERY}/redeliver`],
  ['POST', `${PATH}/${id}/recover?since=2026-01-15T10:30:00Z`],
  ['GET', `${PATH}/${id}/recover`],
];

describe('the delivery endpoints of a webhook', () => {
  it('are for server keys of its game and environment only, and call no port for others', async () => {
    const id = await made();
    const client = await gateway.key({ kind: 'client' });
    const strangers = [await gateway.key({ environment: 'test' }), await gateway.key({ game: 'other' })];
    for (const [method, path] of operations(id)) {
      expect((await gateway.call(client, method, path)).status, path).toBe(403);
      for (const stranger of strangers) expect((await gateway.call(stranger, method, path)).status, path).toBe(404);
    }
    for (const [method, path] of operations('wh_none')) expect((await call(method, path)).status, path).toBe(404);
    expect([world.redelivered, world.facts, world.lists]).toEqual([[], [], []]);
  });
});

describe('a test delivery', () => {
  it('returns the result, also if the receiver failed and while the webhook is disabled', async () => {
    const id = await made({ enabled: false });
    const failed = await call('POST', `${PATH}/${id}/test`);
    expect(failed.status).toBe(200);
    expect(failed.body.data).toEqual({
      webhook_id: id,
      delivery_id: DELIVERY,
      kind: 'event.level_up',
      would_be_delivered: false,
      unmet_filters: ['properties.level'],
      delivered: false,
      status: 500,
      duration_ms: 42,
      error: null,
      response_start: TESTED.responseStart,
    });
    world.test = async () => ({ ...TESTED, status: null, error: 'timed_out', responseStart: '' });
    const silent = await call('POST', `${PATH}/${id}/test`);
    expect(silent.status).toBe(200);
    expect(silent.body.data).toMatchObject({ status: null, error: 'timed_out', response_start: '' });
  });

  it('is refused only while the maximum number of tests is running', async () => {
    const id = await made();
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    let begun = 0;
    world.test = async () => {
      begun += 1;
      await held;
      return TESTED;
    };
    const under = Array.from({ length: WEBHOOK_LIMITS.webhookTests }, () => call('POST', `${PATH}/${id}/test`));
    await until('all are under way', () => begun === WEBHOOK_LIMITS.webhookTests);
    expect(codeOf(await call('POST', `${PATH}/${id}/test`))).toEqual([503, 'SERVICE_UNAVAILABLE']);
    release();
    for (const { status } of await Promise.all(under)) expect(status).toBe(200);
    expect((await call('POST', `${PATH}/${id}/test`)).status).toBe(200);
  });
});

describe('redelivering', () => {
  const redeliver = (id: string, headers?: Record<string, string>) =>
    call('POST', `${PATH}/${id}/deliveries/${DELIVERY.toUpperCase()}/redeliver`, undefined, headers);

  it('queues the fact of the delivery again', async () => {
    const id = await made();
    const { status, body } = await redeliver(id);
    expect([status, body.data]).toEqual([200, { webhook_id: id, delivery_id: DELIVERY, queued: true }]);
    expect(world.facts).toEqual([{ game: 'demo', environment: 'live', webhookId: id, deliveryId: DELIVERY }]);
    expect(world.redelivered).toEqual([
      { webhook: id, place: PLACE, requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) },
    ]);
  });

  it('uses one request id per Idempotency-Key, so a repeat queues nothing more', async () => {
    const id = await made();
    const other = await made();
    const first = await redeliver(id, { 'Idempotency-Key': 'k' });
    const repeat = await redeliver(id, { 'Idempotency-Key': 'k' });
    expect([first.headers.get('idempotent-replayed'), repeat.headers.get('idempotent-replayed')]).toEqual([
      null,
      'true',
    ]);
    expect(repeat.body).toEqual(first.body);
    await redeliver(id, { 'Idempotency-Key': 'l' });
    await redeliver(id);
    const ids = world.redelivered.map(({ requestId }) => requestId);
    expect(ids[0]).toBe(ids[1]);
    expect(new Set(ids).size).toBe(3);
    expect(codeOf(await redeliver(other, { 'Idempotency-Key': 'k' }))).toEqual([409, 'CONFLICT']);
  });

  it('says why it cannot', async () => {
    const id = await made();
    world.redelivery = { kind: 'gone' };
    expect(codeOf(await redeliver(id))).toEqual([404, 'NOT_FOUND']);
    world.redelivery = { kind: 'erased' };
    expect(codeOf(await redeliver(id))).toEqual([404, 'NOT_FOUND']);
    world.redelivery = { kind: 'unavailable' };
    expect(codeOf(await redeliver(id))).toEqual([503, 'SERVICE_UNAVAILABLE']);
    world.fact = { kind: 'unavailable' };
    expect(codeOf(await redeliver(id))).toEqual([503, 'SERVICE_UNAVAILABLE']);
    world.fact = { kind: 'answered', value: undefined };
    expect(codeOf(await redeliver(id))).toEqual([404, 'NOT_FOUND']);
    expect((await call('POST', `${PATH}/${id}/deliveries/nonsense/redeliver`)).status).toBe(400);
    const before = world.redelivered.length;
    expect(codeOf(await redeliver(await made({ enabled: false })))).toEqual([409, 'CONFLICT']);
    expect(world.redelivered).toHaveLength(before);
  });
});

describe('recovering', () => {
  const SINCE = '2026-01-15T10:30:00.000Z';
  const recover = (id: string, since = SINCE, headers?: Record<string, string>) =>
    call('POST', `${PATH}/${id}/recover?since=${since}`, undefined, headers);
  const shown = (id: string) => ({
    recovery_id: 'rec_1',
    webhook_id: id,
    since: SINCE,
    status: 'running',
    records_scanned: 10,
    records_total: 100,
    deliveries_queued: 3,
    started_at: '2026-01-15T10:30:01.000Z',
    available_since: null,
    finished_at: null,
  });

  it('starts and returns its progress', async () => {
    const id = await made();
    const begun = await recover(id);
    expect([begun.status, begun.body.data]).toEqual([200, shown(id)]);
    expect((await call('GET', `${PATH}/${id}/recover`)).body.data).toEqual(shown(id));
    world.recovery = { ...RECOVERY, state: 'done', finishedAt: AT + 2_000 };
    const done = await call('GET', `${PATH}/${id}/recover`);
    expect(done.body.data).toEqual({ ...shown(id), status: 'done', finished_at: '2026-01-15T10:30:02.000Z' });
  });

  it('runs once at a time: the same time returns its progress, another time is 409', async () => {
    const id = await made();
    world.recover = () => ({ kind: 'running', recovery: RECOVERY });
    expect((await recover(id)).body.data).toEqual(shown(id));
    const other = await recover(id, '2026-01-15');
    expect([...codeOf(other), other.body.error.details]).toMatchObject([409, 'CONFLICT', { since: SINCE }]);
  });

  it('is not started again by a repeat with its Idempotency-Key', async () => {
    const id = await made();
    let begun = 0;
    world.recover = () => {
      begun += 1;
      return { kind: 'begun', recovery: RECOVERY };
    };
    const headers = { 'Idempotency-Key': 'k' };
    await recover(id, SINCE, headers);
    world.recovery = { ...RECOVERY, state: 'done', finishedAt: AT + 2_000 };
    const repeat = await recover(id, SINCE, headers);
    expect([repeat.status, repeat.headers.get('idempotent-replayed'), begun]).toEqual([200, 'true', 1]);
    expect(repeat.body.data).toMatchObject({ status: 'done' });
    // The first request failed before it started, so the repeat starts the recovery.
    world.recovery = undefined;
    await recover(id, SINCE, headers);
    expect(begun).toBe(2);
  });

  it('says why it cannot', async () => {
    const id = await made();
    for (const since of ['', 'yesterday', '2999-01-01']) {
      const { status, body } = await recover(id, since);
      expect([status, body.error.details.fields[0]?.path], since).toEqual([400, 'since']);
    }
    expect((await call('POST', `${PATH}/${id}/recover`)).status).toBe(400);
    world.recover = () => ({ kind: 'unavailable' });
    expect(codeOf(await recover(id))).toEqual([503, 'SERVICE_UNAVAILABLE']);
    world.recovery = 'unavailable';
    expect(codeOf(await call('GET', `${PATH}/${id}/recover`))).toEqual([503, 'SERVICE_UNAVAILABLE']);
    world.recovery = undefined;
    expect(codeOf(await call('GET', `${PATH}/${id}/recover`))).toEqual([404, 'NOT_FOUND']);
    expect(codeOf(await recover(await made({ enabled: false })))).toEqual([409, 'CONFLICT']);
  });
});

describe('the list of attempts', () => {
  const attempt = (n: number, some: Partial<LoggedAttempt> = {}): LoggedAttempt => ({
    place: { receivedMs: AT + n, sequence: n, index: 0 },
    deliveryId: DELIVERY,
    kind: 'event.level_up',
    playerId: '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11',
    attempt: n,
    attemptedAt: AT + n,
    durationMs: 42,
    outcome: 'failed',
    status: null,
    error: 'ECONNREFUSED',
    responseStart: '',
    urlHost: 'hooks.example.com',
    nextAttemptAt: AT + 60_000,
    ...some,
  });

  it("returns attempts as they were logged; the receiver's response is text", async () => {
    const id = await made();
    const responseStart = '"},{"delivery_id":"x</script>\u0000\ud7ff';
    const last = attempt(5, { outcome: 'exhausted', status: 500, error: '', responseStart, nextAttemptAt: null });
    world.attempts = { kind: 'answered', value: [last, attempt(4)] };
    const { status, body } = await call('GET', `${PATH}/${id}/deliveries`);
    expect([status, body.data]).toEqual([
      200,
      {
        deliveries: [
          {
            delivery_id: DELIVERY,
            webhook_id: id,
            kind: 'event.level_up',
            player_id: '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11',
            attempt: 5,
            attempted_at: '2026-01-15T10:30:00.005Z',
            duration_ms: 42,
            outcome: 'exhausted',
            status: 500,
            error: null,
            response_start: responseStart,
            url_host: 'hooks.example.com',
            next_attempt_at: null,
          },
          expect.objectContaining({
            attempt: 4,
            status: null,
            error: 'ECONNREFUSED',
            next_attempt_at: '2026-01-15T10:31:00.000Z',
          }),
        ],
        next_cursor: null,
      },
    ]);
  });

  it('continues after the last attempt returned, with the same filters only', async () => {
    const id = await made();
    world.attempts = { kind: 'answered', value: [attempt(3), attempt(2), attempt(1)] };
    const filters = 'outcome=failed&from=2026-01-15T10:00:00Z&to=2026-01-15T11:00:00Z';
    const page = await call('GET', `${PATH}/${id}/deliveries?${filters}&limit=2`);
    const cursor = String(page.body.data['next_cursor']);
    await call('GET', `${PATH}/${id}/deliveries?${filters}&limit=2&cursor=${cursor}`);
    const expected = { game: 'demo', environment: 'live', webhookId: id, outcome: 'failed', limit: 3 };
    const span = { sinceMs: Date.UTC(2026, 0, 15, 10), untilMs: Date.UTC(2026, 0, 15, 11) };
    expect(world.lists).toEqual([
      { ...expected, ...span, behind: undefined },
      { ...expected, ...span, behind: attempt(2).place },
    ]);
    const other = await made();
    for (const path of [
      `${PATH}/${id}/deliveries?cursor=${cursor}`,
      `${PATH}/${other}/deliveries?${filters}&cursor=${cursor}`,
      `${PATH}/${id}/deliveries?${filters}&cursor=${cursor}x`,
      `${PATH}/${id}/deliveries?cursor=nonsense`,
      `${PATH}/${id}/deliveries?outcome=lost`,
      `${PATH}/${id}/deliveries?from=yesterday`,
      `${PATH}/${id}/deliveries?limit=0`,
      `${PATH}/${id}/deliveries?from=2026-01-15T11:00:00Z&to=2026-01-15T11:00:00Z`,
    ]) {
      expect((await call('GET', path)).status, path).toBe(400);
    }
    expect(world.lists).toHaveLength(2);
  });

  it('is 503 while ClickHouse is unavailable', async () => {
    world.attempts = { kind: 'unavailable' };
    expect(codeOf(await call('GET', `${PATH}/${await made()}/deliveries`))).toEqual([503, 'SERVICE_UNAVAILABLE']);
  });
});
