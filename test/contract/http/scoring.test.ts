import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../core/kernel/clock.ts';
import { systemIds } from '../../../core/kernel/ids.ts';
import { createMetrics } from '../../../src/parts/metrics.ts';
import { FEATURES } from '../../../src/scoring/features.ts';
import { watchModels, type Models } from '../../../src/scoring/models.ts';
import { createScorer } from '../../../src/scoring/scorer.ts';
import { replaceFile, shippedManifest, writePackage } from '../../../src/scoring/testing-packages.ts';
import type { ScoreRecord } from '../../../core/vocabulary/records/score-record.ts';
import { bodyOf } from '../../support/wire/api-body.ts';
import { startGateway, type Gateway } from '../../support/in-memory/http-gateway.ts';
import { silentLogger } from '../../support/in-memory/silent-logger.ts';
import { until } from '../../support/until.ts';

const PATHS = ['/v1/scoring/first-user-conversion', '/api/v1/scoring/first-user-conversion/30m'] as const;
const [PATH] = PATHS;
const manifest = shippedManifest();
const { thresholds } = manifest;

let folder: string;
let models: Models;
let gateway: Gateway;
let empty: Gateway;
let live: string;
let liveClient: string;
let test: string;
let records: ScoreRecord[];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'scoring-'));
  writePackage(folder);
  const metrics = createMetrics();
  const common = { clock: systemClock, ids: systemIds, logger: silentLogger, metrics };
  models = await watchModels({ folder, ...common, onLoaded: () => {} });
  const append = async (some: ScoreRecord[]): Promise<'stored'> => {
    records.push(...some);
    return 'stored';
  };
  gateway = await startGateway({ metrics, scorer: createScorer({ models, append, ...common }) });
  empty = await startGateway({
    scorer: createScorer({ models: { current: () => undefined, challenger: () => undefined }, append, ...common }),
  });
  const scopes = ['scoring:write'];
  live = await gateway.key({ scopes });
  liveClient = await gateway.key({ scopes, kind: 'client' });
  test = await gateway.key({ scopes, environment: 'test' });
});
afterAll(async () => {
  await Promise.all([gateway.close(), empty.close()]);
  models.stop();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  records = [];
});

const post = async (body: unknown, key: string = live, path: string = PATH, headers: Record<string, string> = {}) => {
  const response = await gateway.call(key, 'POST', path, body, headers);
  return { status: response.status, headers: response.headers, body: await bodyOf(response) };
};

describe('POST /v1/scoring/first-user-conversion', () => {
  it.each(PATHS)('%s stores the record, then returns a score in the documented envelope', async (path) => {
    const { status, body } = await post(
      { device_id: 'dev-1', loot_distinct_types: 4, sess_duration_total: 900.5 },
      live,
      path,
    );
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      data: {
        device_id: 'dev-1',
        score: expect.any(Number),
        bucket: expect.stringMatching(/^(top_1pct|top_5pct|top_10pct|rest)$/),
        model_version: manifest.model_version,
        thresholds_used: thresholds,
        scored_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      },
      error: null,
      meta: null,
    });
    expect(records).toMatchObject([
      {
        game: 'demo',
        tenant: 'tenant',
        environment: 'live',
        deviceId: 'dev-1',
        score: body.data['score'],
        bucket: body.data['bucket'],
        modelVersion: manifest.model_version,
        features: {
          loot_distinct_types: 4,
          sess_duration_total: 900.5,
          match_avg_fight_time: 0,
          match_wins: 0,
          install_hour: 0,
          vpay_count: 0,
        },
        forced: false,
        scoredAt: Date.parse(String(body.data['scored_at'])),
      },
    ]);
  });

  it('gives the golden rows the scores Python got, to one in a million, and their buckets exactly', async () => {
    expect(manifest.golden_rows.length).toBeGreaterThan(15);
    const answers = await Promise.all(
      manifest.golden_rows.map(({ name, features }) => post({ device_id: name.slice(0, 64), ...features })),
    );
    for (const [index, { name, score, bucket }] of manifest.golden_rows.entries()) {
      const data = answers[index]?.body.data;
      expect(Math.abs(Number(data?.['score']) - score), name).toBeLessThanOrEqual(1e-6);
      expect(data?.['bucket'], name).toBe(bucket);
    }
  });

  it.each(['top_1pct', 'top_5pct', 'top_10pct'] as const)(
    'puts a score equal to the threshold of %s into it',
    async (bucket) => {
      const [at, below] = manifest.golden_rows.filter(({ name }) => name.endsWith(`the threshold of ${bucket}`));
      const { data } = (await post({ device_id: 'edge', ...at?.features })).body;
      expect(data['score']).toBe(thresholds[bucket]);
      expect(data['bucket']).toBe(bucket);
      const lower = (await post({ device_id: 'edge', ...below?.features })).body.data;
      expect(Number(lower['score'])).toBeLessThan(thresholds[bucket]);
      expect(lower['bucket']).not.toBe(bucket);
    },
  );

  it('treats missing numbers as 0', async () => {
    const none = await post({ device_id: 'd' });
    const zeros = await post({ device_id: 'd', ...Object.fromEntries(FEATURES.map((name) => [name, 0])) });
    expect(none.body.data['score']).toBe(zeros.body.data['score']);
  });

  it('accepts the largest allowed values', async () => {
    const largest = {
      device_id: 'x'.repeat(64),
      loot_distinct_types: Number.MAX_SAFE_INTEGER,
      sess_duration_total: 3.4028234663852886e38,
      match_avg_fight_time: 1e-300,
      install_hour: 23,
    };
    expect((await post(largest)).status).toBe(200);
    expect((await post({ device_id: '😀'.repeat(64), match_wins: 2.0 })).status).toBe(200);
  });

  it.each([
    ['no device_id', {}],
    ['an empty device_id', { device_id: '' }],
    ['a device_id of 65 characters', { device_id: 'x'.repeat(65) }],
    ['a device_id that is a number', { device_id: 5 }],
    ['a device_id of null', { device_id: null }],
    ...FEATURES.flatMap((name): [string, object][] => [
      [`null in ${name}`, { device_id: 'd', [name]: null }],
      [`text in ${name}`, { device_id: 'd', [name]: '5' }],
      [`a boolean in ${name}`, { device_id: 'd', [name]: true }],
      [`a list in ${name}`, { device_id: 'd', [name]: [1] }],
      [`less than nothing in ${name}`, { device_id: 'd', [name]: -1 }],
    ]),
    ...['loot_distinct_types', 'match_wins', 'install_hour', 'vpay_count'].map((name): [string, object] => [
      `a fraction in ${name}`,
      { device_id: 'd', [name]: 1.5 },
    ]),
    ['an install_hour of 24', { device_id: 'd', install_hour: 24 }],
    ['a number that float32 cannot hold', '{"device_id":"d","sess_duration_total":3.5e38}'],
    ['a number that no double can hold', '{"device_id":"d","sess_duration_total":1e999}'],
    ['an integer past 2^53', '{"device_id":"d","vpay_count":9007199254740993}'],
    ['a U+0000 in the device_id', '{"device_id":"a\\u0000"}'],
    ['a lone surrogate in the device_id', '{"device_id":"\\ud800"}'],
    ['NaN', '{"device_id":"d","vpay_count":NaN}'],
    ['JSON that ends early', '{"device_id":"d"'],
    ['no body', ''],
    ['a list', '[]'],
    ['a text', '"d"'],
    ['null', 'null'],
    ['nesting without end', '['.repeat(10_000)],
  ])('answers %s with 422 VALIDATION_ERROR and stores nothing', async (_name, body) => {
    for (const path of PATHS) {
      const answer = await post(body, live, path);
      expect(answer.status).toBe(422);
      expect(answer.body).toMatchObject({ success: false, error: { code: 'VALIDATION_ERROR' } });
      expect(answer.body.error?.details['fields']).not.toHaveLength(0);
    }
    expect(records).toEqual([]);
  });

  it('answers invalid UTF-8 with 422 too', async () => {
    const response = await fetch(gateway.url + PATH, {
      method: 'POST',
      headers: { 'X-API-Key': live, 'Content-Type': 'application/json' },
      body: Buffer.from([0x7b, 0xff, 0x7d]),
    });
    expect(response.status).toBe(422);
  });

  it('lists unknown fields in X-Ignored-Fields, including __proto__', async () => {
    const { status, headers } = await post('{"device_id":"d","platform":"ios","__proto__":{"vpay_count":9}}');
    expect(status).toBe(200);
    expect(headers.get('X-Ignored-Fields')).toBe('platform, __proto__');
    expect(records[0]?.features.vpay_count).toBe(0);
  });

  it('stores a record for each repeat, whatever its Idempotency-Key', async () => {
    for (let turn = 0; turn < 2; turn++) {
      const { headers } = await post({ device_id: 'again' }, live, PATH, { 'Idempotency-Key': 'same' });
      expect(headers.get('Idempotent-Replayed')).toBeNull();
    }
    expect(new Set(records.map(({ recordId }) => recordId)).size).toBe(2);
  });
});

describe('keys', () => {
  it('without the scope get 403, and a missing key 401, whatever the body', async () => {
    for (const kind of ['client', 'server'] as const) {
      const { status, body } = await post('{', await gateway.key({ kind }));
      expect(status).toBe(403);
      expect(body.error?.code).toBe('FORBIDDEN');
      expect(body.error?.message).toContain('lacks the scope `scoring:write`');
      expect(body.error?.message).toContain('`npm run cli -- keys create --scope scoring:write`');
    }
    const answer = await gateway.call(undefined, 'POST', PATH, { device_id: 'd' });
    expect(answer.status).toBe(401);
    await answer.body?.cancel();
    expect(records).toEqual([]);
  });

  it('of clients can score, also from a browser', async () => {
    const { status, headers } = await post({ device_id: 'd' }, liveClient, PATH, { Origin: 'https://game.example' });
    expect(status).toBe(200);
    expect(headers.get('Access-Control-Allow-Origin')).toBe('*');
    const preflight = await fetch(gateway.url + PATH, {
      method: 'OPTIONS',
      headers: { Origin: 'https://game.example', 'Access-Control-Request-Method': 'POST' },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('Access-Control-Allow-Methods')).toContain('POST');
  });

  it.each([
    ['SERVICE_TEST_TOP_1PCT', 'top_1pct'],
    ['SERVICE_TEST_TOP_5PCT', 'top_5pct'],
    ['SERVICE_TEST_TOP_10PCT', 'top_10pct'],
    ['SERVICE_TEST_REST', 'rest'],
  ])('of tests have %s put into %s; live ones do not', async (device_id, bucket) => {
    const { data } = (await post({ device_id }, test)).body;
    expect(data).toMatchObject({ device_id, bucket, model_version: manifest.model_version });
    expect(data['thresholds_used']).toEqual(thresholds);
    const { top_1pct, top_5pct, top_10pct } = thresholds;
    const edges = [1, top_1pct, top_5pct, top_10pct, 0];
    const place = ['top_1pct', 'top_5pct', 'top_10pct', 'rest'].indexOf(bucket);
    expect(data['score']).toBeLessThan(edges[place] ?? 0);
    expect(data['score']).toBeGreaterThanOrEqual(edges[place + 1] ?? 1);

    const best = manifest.golden_rows.find(({ name }) => name === 'the highest score');
    expect((await post({ device_id, ...best?.features })).body.data['bucket']).toBe('top_1pct');
    expect(records.map(({ environment, forced }) => [environment, forced])).toEqual([
      ['test', true],
      ['live', false],
    ]);
  });
});

describe('models', () => {
  it('without a model: 503 MODEL_UNAVAILABLE after the validation of the body, and other endpoints work', async () => {
    const key = await empty.key({ scopes: ['scoring:write'] });
    const answer = await empty.call(key, 'POST', PATH, { device_id: 'd' });
    expect(answer.status).toBe(503);
    expect(answer.headers.get('Retry-After')).toBe('30');
    expect((await bodyOf(answer)).error?.code).toBe('MODEL_UNAVAILABLE');
    const faulty = await empty.call(key, 'POST', PATH, {});
    expect(faulty.status).toBe(422);
    await faulty.body?.cancel();
    const ready = await fetch(`${empty.url}/readyz`);
    expect(ready.status).toBe(200);
    await ready.body?.cancel();
  });

  it('a new model takes over under load: no request fails, and the version changes once', async () => {
    const load = { isOver: false };
    const statuses: number[] = [];
    const callers = Array.from({ length: 8 }, async () => {
      while (!load.isOver) statuses.push((await post({ device_id: 'load', install_hour: 3 })).status);
    });
    await until('the old one answers', () => records.length > 50);
    const version = writePackage(folder, 'the next one');
    await until('the new one answers', () => records.at(-1)?.modelVersion === version);
    const sofar = records.length;
    await until('it goes on', () => records.length > sofar + 50);
    load.isOver = true;
    await Promise.all(callers);
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(statuses).toHaveLength(records.length);
    const changes = records.filter(
      ({ modelVersion }, index) => modelVersion !== (records[index - 1] ?? records[0])?.modelVersion,
    );
    expect(changes.map(({ modelVersion }) => modelVersion)).toEqual([version]);
  });

  it('a damaged artifact changes nothing, and a repaired one is loaded', async () => {
    const before = (await post({ device_id: 'd' })).body.data;
    const refused = () => metricOf('scoring_model_loads_total{role="current",outcome="refused"}');
    const already = await refused();
    replaceFile(join(folder, 'model.onnx'), 'no model at all');
    await until('it was looked at', async () => (await refused()) > already);
    const { status, body } = await post({ device_id: 'd' });
    expect(status).toBe(200);
    expect(body.data['model_version']).toBe(before['model_version']);
    expect(body.data['score']).toBe(before['score']);
    const version = writePackage(folder, 'mended');
    await until(
      'the mended one answers',
      async () => (await post({ device_id: 'd' })).body.data['model_version'] === version,
    );
  });
});

async function metricOf(sample: string): Promise<number> {
  const text = await (await fetch(`${gateway.url}/metrics`)).text();
  const line = text.split('\n').find((one) => one.startsWith(`${sample} `));
  return line === undefined ? 0 : Number(line.slice(sample.length + 1));
}

describe('the documentation', () => {
  it('contains both paths with the same content, 422 for bodies and 503 without a model', async () => {
    const { paths } = JSON.parse(await (await fetch(`${gateway.url}/openapi.json`)).text());
    const [one, other] = PATHS.map((path) => ({ ...paths[path].post, operationId: undefined }));
    expect(one).toEqual(other);
    const statuses = ['200', '401', '403', '413', '415', '422', '429', '500', '503'];
    expect(Object.keys(one.responses).toSorted()).toEqual(statuses);
    expect(one.responses['422'].description).toContain('VALIDATION_ERROR');
    expect(one.responses['503'].description).toContain('MODEL_UNAVAILABLE');
    expect(one.parameters).toEqual([expect.objectContaining({ name: 'X-Player-Token', required: false })]);
    const { schema } = one.responses['200'].content['application/json'];
    expect(schema.required.toSorted()).toEqual(['data', 'error', 'meta', 'success']);
  });
});
