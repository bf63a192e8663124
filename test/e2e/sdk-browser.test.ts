import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type BrowserContext, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowser, NO_BROWSER, type PageServer } from '../support/browser/browser.ts';
import { serveGamePage } from '../support/browser/game-page.ts';
import { startService, type RunningService } from '../support/servers/running-service.ts';
import { until } from '../support/until.ts';

/*
 * The sample page of the client SDK in a real browser, against the real service. Its syncs are an hour apart: whatever
 * arrives was sent because a page hid, the network came back, a flag changed, or the game began.
 */

const executablePath = findBrowser();
const suffix = executablePath === undefined ? ` (${NO_BROWSER})` : '';

describe.skipIf(executablePath === undefined)(`the sample page${suffix}`, () => {
  let service: RunningService;
  let pages: PageServer;
  let context: BrowserContext;
  const profile = mkdtempSync(join(tmpdir(), 'player-analytics-browser-'));

  const launch = () =>
    chromium.launchPersistentContext(profile, {
      ...(executablePath === undefined ? {} : { executablePath }),
      args: ['--no-sandbox', '--disable-dev-shm-usage'],
    });
  beforeAll(async () => {
    [service, pages, context] = await Promise.all([startService(), serveGamePage(), launch()]);
  });
  afterAll(async () => {
    await Promise.all([service.stop(), pages.close(), context.close()]);
    rmSync(profile, { recursive: true, force: true });
  });

  let played = 0;
  async function open(player: string): Promise<Page> {
    const page = await context.newPage();
    const query = new URLSearchParams({ url: service.url, key: service.keys.live.client, player, sync: '3600000' });
    await page.goto(`${pages.url}/examples/page.html?${query.toString()}`);
    return page;
  }
  const text = (page: Page, id: string) => page.locator(`#${id}`).textContent();
  async function sessionOf(page: Page): Promise<string> {
    await until('the session is open', async () => (await text(page, 'session'))?.startsWith('ses_') ?? false);
    return (await text(page, 'session')) ?? '';
  }
  async function play(page: Page, matches: number): Promise<void> {
    for (let match = 0; match < matches; match += 1) await page.locator('#play').click();
    played += matches;
  }
  /** Every match is in ClickHouse, and none twice. */
  async function expectRows(player: string): Promise<void> {
    const rows = () =>
      service.sql<{ all: number; matches: number }>(
        `SELECT toUInt32(count()) AS all, toUInt32(uniqExact(properties)) AS matches FROM events ` +
          `WHERE event_name = 'match_end' AND external_id = '${player}'`,
      );
    await until('ClickHouse holds the matches', async () => ((await rows())[0]?.matches ?? 0) >= played);
    expect(await rows()).toEqual([{ all: played, matches: played }]);
  }

  test('plays, hides, reloads, goes offline and is killed: every event arrives once', async () => {
    let page = await open('ann');
    const first = await sessionOf(page);
    await play(page, 3);
    await page.goto('about:blank');
    await expectRows('ann');
    await page.close();

    page = await open('ann');
    // A reload is no session of its own.
    expect(await sessionOf(page)).toBe(first);
    await play(page, 2);
    await page.reload();
    await sessionOf(page);
    await play(page, 1);
    await context.setOffline(true);
    await play(page, 4);
    await context.setOffline(false);
    await expectRows('ann');
    expect(await text(page, 'log')).not.toContain('dropped');

    // The browser is killed while it is offline. Its profile keeps the queue.
    await context.setOffline(true);
    await play(page, 5);
    await until('the queue is stored', () => storedMatches(page, 5));
    await context.close();
    context = await launch();
    await open('ann');
    await expectRows('ann');
  });

  test('two tabs have one session and one sender, and both show a changed flag at once', async () => {
    played = 0;
    const [first, second] = [await open('bob'), await open('bob')];
    const session = await sessionOf(first);
    expect(await sessionOf(second)).toBe(session);
    const sent: string[] = [];
    const streams: string[] = [];
    for (const [name, page] of Object.entries({ first, second })) {
      page.on('request', (request) => {
        if (request.method() === 'POST') sent.push(name);
        if (request.url().includes('/changes')) streams.push(name);
      });
    }
    const flag = {
      key: 'new_shop',
      flag_type: 'string',
      variants: [{ key: 'b', value: 'new', weight: 1 }],
      targeting_rules: [{ percentage: 100 }],
    };
    const created = await service.call(service.keys.live.server, 'POST', '/v1/flags/flags', flag);
    expect(created.status).toBe(201);
    for (const page of [first, second])
      await until('the flag is shown', async () => (await text(page, 'flag')) === 'new');
    expect(sent).toEqual(['first']);

    await play(first, 2);
    await play(second, 3);
    await first.close({ runBeforeUnload: true });
    await until('the other tab sends', () => streams.includes('second'));
    // In one task: the page has no other moment to send or store the match.
    played += 1;
    await second.evaluate(`document.getElementById('play').click(); location.reload()`);
    await expectRows('bob');
    expect(await sessionOf(second)).toBe(session);
  });
});

/** Whether the page's database holds this many matches. */
function storedMatches(page: Page, wanted: number): Promise<boolean> {
  return page.evaluate<boolean>(`new Promise((resolve, reject) => {
    const opening = indexedDB.open('player-analytics');
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const values = opening.result.transaction('items').objectStore('items').getAll();
      values.onsuccess = () => {
        opening.result.close();
        resolve(values.result.join('').split('match_end').length > ${wanted});
      };
    };
  })`);
}
