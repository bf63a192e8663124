import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SHIPPED, shippedManifest, writePackage } from '../../../src/scoring/testing-packages.ts';
import { publishedShapes, type PublishedShapes } from '../../support/wire/published-shapes.ts';
import { startService, type RunningService } from '../../support/servers/running-service.ts';
import { until } from '../../support/until.ts';

const PATH = '/v1/scoring/first-user-conversion';
const OTHER_PATH = '/api/v1/scoring/first-user-conversion/30m';

let folder: string;
let service: RunningService;
let shapes: PublishedShapes;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'scoring-model-'));
  service = await startService({ MODEL_PATH: folder });
  shapes = publishedShapes(JSON.parse(await (await fetch(`${service.url}/openapi.json`)).text()));
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

const score = async (body: unknown, key = service.keys.live.client, path = PATH) => {
  const answer = await service.call(key, 'POST', path, body);
  expect(shapes.faultsOf('POST', path, answer.status, answer.body)).toEqual([]);
  return answer;
};

test('a service without a model is ready, and scores with 503 until one is promoted', async () => {
  const answer = await score({ device_id: 'early' });
  expect([answer.status, answer.body.error.code]).toEqual([503, 'MODEL_UNAVAILABLE']);
  expect((await service.call(undefined, 'GET', '/readyz')).status).toBe(200);
  await expect(service.cli('model', 'verify')).rejects.toThrow(/no model/);

  const version = await service.cli('model', 'promote', SHIPPED);
  expect(version).toBe(shippedManifest().model_version);
  await until('the model answers', async () => (await score({ device_id: 'late' })).status === 200);
  expect(await service.cli('model', 'verify')).toBe(version);
});

test('every answered score is one row, for live and test keys and both paths; the challenger has its own table', async () => {
  const manifest = shippedManifest();
  const challenger = writePackage(join(folder, 'challenger'), 'a challenger');
  await until('the challenger is in use', async () => {
    const text = await (await fetch(`${service.url}/metrics`)).text();
    const inUse = text.split(`scoring_model_info{role="challenger",version="${challenger}"`).length - 1;
    return inUse === Number(service.supervised.env['PROCESSES']);
  });

  const best = manifest.golden_rows.find(({ name }) => name === 'the highest score');
  const wanted = [{ device_id: 'mine', ...best?.features }, { device_id: 'SERVICE_TEST_TOP_1PCT' }];
  const { live, test: tests } = service.keys;
  const answers = [];
  for (const key of [live.client, live.server, tests.client, tests.server]) {
    for (const path of [PATH, OTHER_PATH]) {
      for (const body of wanted) answers.push({ key, ...(await score(body, key, path)) });
    }
  }
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  for (const { key, body } of answers) {
    const isForced = body.data['device_id'] !== 'mine' && (key === tests.client || key === tests.server);
    const bucket = body.data['device_id'] === 'mine' || isForced ? 'top_1pct' : 'rest';
    expect(body.data['bucket']).toBe(bucket);
    if (body.data['device_id'] === 'mine') expect(body.data['score']).toBeCloseTo(best?.score ?? NaN, 6);
  }

  const count = (table: string, where: string): Promise<number> =>
    service
      .sql<{ n: number | string }>(
        `SELECT count() AS n FROM ${table} WHERE device_id IN ('mine', 'SERVICE_TEST_TOP_1PCT') AND ${where}`,
      )
      .then(([row]) => Number(row?.n));
  await until('every answer has a row', async () => (await count('scores', '1')) >= answers.length);
  expect(await count('scores', '1')).toBe(16);
  expect(await count('scores', `model_version = '${manifest.model_version}'`)).toBe(16);
  expect(await count('scores', "environment = 'test' AND forced")).toBe(4);
  expect(await count('scores', "environment = 'live' AND NOT forced")).toBe(8);
  await until('so has the challenger', async () => (await count('challenger_scores', '1')) >= 12);
  expect(await count('challenger_scores', `model_version = '${challenger}'`)).toBe(12);
});

test('no request fails while a challenger is promoted', async () => {
  const before = shippedManifest().model_version;
  const load = { isOver: false };
  const seen: string[] = [];
  const callers = Array.from({ length: 4 }, async () => {
    while (!load.isOver) {
      const { status, body } = await score({ device_id: 'load' });
      seen.push(status === 200 ? String(body.data['model_version']) : `status ${status}`);
    }
  });
  await until('there is load', () => seen.length > 20);
  const version = await service.cli('model', 'promote');
  expect(version).not.toBe(before);
  await until('it answers', () => seen.at(-1) === version);
  load.isOver = true;
  await Promise.all(callers);
  expect(new Set(seen)).toEqual(new Set([before, version]));
});
