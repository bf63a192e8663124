import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import RudderNode from '@rudderstack/rudder-sdk-node';
import { Analytics } from '@segment/analytics-node';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findBrowser, launchBrowser, NO_BROWSER, servePages, type PageServer } from '../support/browser/browser.ts';
import { startService, type RunningService } from '../support/servers/running-service.ts';
import { startUnreliableProxy, type Treatment, type UnreliableProxy } from '../support/wire/unreliable-proxy.ts';
import { until } from '../support/until.ts';

/*
 * The published clients of Segment and RudderStack against the running service, through a proxy that cuts connections
 * and refuses requests, with a kill of the service between: every event is in ClickHouse once.
 */

/** What becomes of the first requests of each test. All later ones pass, because clients wait ever longer. */
const TREATMENTS: readonly Treatment[] = [
  'pass',
  'cut_answer',
  'refuse',
  'pass',
  'cut_request',
  'pass',
  'pass',
  'cut_answer',
  'refuse',
];

let service: RunningService;
let proxy: UnreliableProxy;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  proxy = await startUnreliableProxy(service.url, (earlier) => TREATMENTS[earlier] ?? 'pass');
});
afterEach(() => proxy.close());

interface Row {
  external_id: string;
  event_name: string;
  event_id: string;
  n: string;
}

/** The events whose property `client` is this one, in the order of their acceptance. */
const rowsOf = (client: string): Promise<Row[]> =>
  service.sql<Row>(
    "SELECT external_id, event_name, event_id, JSONExtractRaw(properties, 'n') AS n FROM events " +
      `WHERE JSONExtractString(properties, 'client') = '${client}' ORDER BY received_at`,
  );

/** Waits for the events 0 to count - 1 of a client, and expects each once. */
async function expectOnce(client: string, count: number): Promise<Row[]> {
  const rows = await until(
    `the ${count} events of ${client} are in ClickHouse`,
    async () => {
      const found = await rowsOf(client);
      return new Set(found.map(({ n }) => n)).size >= count ? found : undefined;
    },
    50_000,
  );
  expect(rows.map(({ n }) => Number(n)).toSorted((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, n) => n));
  return rows;
}

/** Waits until all events of a client belong to one identified player, each once. */
async function expectIdentified(client: string, count: number): Promise<void> {
  await until(`the events of ${client} belong to the identified player`, async () => {
    const [found] = await service.sql<{ events: number; ids: number }>(
      'SELECT count() AS events, uniqExact(event_id) AS ids FROM identified_events ' +
        `WHERE identified_external_id = '${client}' AND JSONExtractString(properties, 'client') = '${client}'`,
    );
    return Number(found?.events) === count && Number(found?.ids) === count;
  });
}

async function killService(): Promise<void> {
  const { service: pid } = await until('the service runs', () => service.supervised.pids());
  if (pid !== null) process.kill(pid, 'SIGKILL');
}

const EVENTS = 60;

describe('clients on servers, while the service is killed', () => {
  it('lose no event and count none twice', { timeout: 60_000 }, async () => {
    const { server } = service.keys.live;
    const failures: unknown[] = [];
    const segment = new Analytics({ writeKey: server, host: proxy.url, flushAt: 7, flushInterval: 100 });
    segment.on('error', (error) => failures.push(error));
    const rudder = new RudderNode(server, {
      dataPlaneUrl: proxy.url,
      flushAt: 7,
      flushInterval: 100,
      // 50 s, as long as the test waits for events: it tests no losses, not how fast a busy machine restarts.
      retryCount: 200,
      axiosRetryConfig: { retryDelay: () => 250 },
      errorHandler: (error: unknown) => failures.push(error),
    });
    segment.identify({ userId: 'segment-node-0', traits: { level: 3, email: 'a@example.com' } });
    rudder.identify({ userId: 'rudder-node-0', traits: { level: 4 } });
    for (let n = 0; n < EVENTS; n++) {
      segment.track({
        userId: `segment-node-${n % 3}`,
        event: 'level_up',
        properties: { n, client: 'segment-node' },
      });
      rudder.track({ userId: `rudder-node-${n % 3}`, event: 'level_up', properties: { n, client: 'rudder-node' } });
      if (n === EVENTS / 2) await killService();
      if (n % 10 === 9) await until('the clients send meanwhile', () => proxy.treated.length > n / 10);
    }
    await expectOnce('segment-node', EVENTS);
    const rows = await expectOnce('rudder-node', EVENTS);
    await segment.closeAndFlush();
    expect(failures).toEqual([]);
    expect(
      rows.every(
        ({ event_name, external_id, n }) => event_name === 'level_up' && external_id.endsWith(String(Number(n) % 3)),
      ),
    ).toBe(true);
    for (const [externalId, level] of [
      ['segment-node-0', 3],
      ['rudder-node-0', 4],
    ] as const) {
      const { body } = await service.call(server, 'GET', `/v1/players/players/external/${externalId}`);
      expect(body.data).toMatchObject({ attributes: { level } });
    }
    expect(proxy.treated).toEqual(expect.arrayContaining([...TREATMENTS]));
  });
});

describe('what Analytics-CSharp sends', () => {
  it('is read without headers, with the key in the compressed body', async () => {
    const { client } = service.keys.live;
    const settings = await fetch(`${service.url}/projects/${client}/settings`);
    expect(await settings.json()).toMatchObject({ integrations: { 'Segment.io': { apiKey: client } } });
    const message = (n: number) => ({
      type: 'track',
      event: 'level_up',
      messageId: `unity-${n}`,
      anonymousId: 'unity-device',
      userId: 'unity-player',
      timestamp: '2026-01-15T10:30:00.000Z',
      properties: { n, client: 'unity' },
      context: { library: { name: 'Analytics-CSharp', version: '2.5.4' } },
    });
    const batch = Array.from({ length: 30 }, (_, n) => message(n));
    const body = gzipSync(JSON.stringify({ batch, sentAt: '2026-01-15T10:30:05.000Z', writeKey: client }));
    for (let repeat = 0; repeat < 3; repeat++) {
      const response = await fetch(`${service.url}/v1/b`, {
        method: 'POST',
        body,
        headers: { 'Content-Encoding': 'gzip' },
      });
      expect(response.status).toBe(200);
    }
    const rows = await expectOnce('unity', 30);
    expect(rows[0]).toMatchObject({ external_id: 'unity-player', event_id: expect.stringMatching(/^unity-/) });
    const times = await service.sql(
      "SELECT DISTINCT formatDateTime(timestamp, '%FT%TZ') AS at FROM events WHERE external_id = 'unity-player'",
    );
    expect(times).toEqual([{ at: '2026-01-15T10:30:00Z' }]);
  });
});

const require = createRequire(import.meta.url);
const executablePath = findBrowser();
const suffix = executablePath === undefined ? `: not tested, ${NO_BROWSER}` : '';

describe.skipIf(executablePath === undefined)(`clients in a browser${suffix}`, () => {
  let browser: Browser;
  let pages: PageServer;

  beforeAll(async () => {
    const segment = readFileSync(join(require.resolve('@segment/analytics-next/package.json'), '../dist/umd/index.js'));
    const bundle = require.resolve('@rudderstack/analytics-js/bundled').replace('cjs/index.cjs', 'esm/index.mjs');
    const rudder = readFileSync(bundle);
    pages = await servePages({
      '/segment.js': segment,
      '/rudder.mjs': rudder,
      '/segment.html': '<!doctype html><script src="/segment.js"></script>',
      '/rudder.html':
        '<!doctype html><script type="module">' +
        "import { RudderAnalytics } from '/rudder.mjs'; window.rudder = new RudderAnalytics();</script>",
    });
    browser = await launchBrowser(executablePath ?? '');
  });
  afterAll(async () => {
    await browser.close();
    await pages.close();
  });

  async function open(path: string): Promise<Page> {
    const page = await browser.newPage();
    await page.goto(pages.url + path);
    return page;
  }

  it('of Segment send what a player does before and after it is known', { timeout: 60_000 }, async () => {
    const page = await open('/segment.html');
    await page.evaluate(
      `(async () => {
        const { AnalyticsBrowser } = window.AnalyticsNext;
        window.sent = AnalyticsBrowser.load({ writeKey: '${service.keys.live.client}', cdnURL: '${proxy.url}' });
        const sent = window.sent;
        await sent;
        const before = Array.from({ length: 5 }, (_, n) => sent.track('seen', { n, client: 'segment-browser' }));
        await Promise.all(before);
        await sent.identify('segment-browser', { level: 5 });
        for (let n = 5; n < 10; n++) sent.track('seen', { n, client: 'segment-browser' });
        await sent.page('Shop', { n: 10, client: 'segment-browser' });
      })()`,
    );
    const rows = await expectOnce('segment-browser', 11);
    // It adds the user to what it repeats after the identify.
    expect(rows.some(({ n, external_id }) => Number(n) < 5 && external_id.startsWith('anonymous:'))).toBe(true);
    expect(rows.find(({ n }) => n === '10')?.event_name).toBe('page');
    await expectIdentified('segment-browser', 11);
    await page.close();
  });

  it('of RudderStack send what a player does before and after it is known', { timeout: 60_000 }, async () => {
    const page = await open('/rudder.html');
    await page.waitForFunction('window.rudder !== undefined');
    await page.evaluate(
      `(async () => {
        const { rudder } = window;
        rudder.load('${service.keys.live.client}', '${proxy.url}', { configUrl: '${proxy.url}' });
        for (let n = 0; n < 5; n++) rudder.track('seen', { n, client: 'rudder-browser' });
        rudder.identify('rudder-browser', { level: 6 });
        for (let n = 5; n < 10; n++) rudder.track('seen', { n, client: 'rudder-browser' });
        rudder.page('shop', 'Shop', { n: 10, client: 'rudder-browser' });
      })()`,
    );
    const rows = await expectOnce('rudder-browser', 11);
    const before = rows.filter(({ external_id }) => external_id.startsWith('anonymous:'));
    expect(new Set(before.map(({ n }) => n))).toEqual(new Set(['0', '1', '2', '3', '4']));
    await expectIdentified('rudder-browser', 11);
    await page.close();
  });
});
