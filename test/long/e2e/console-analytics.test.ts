import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowser, NO_BROWSER } from '../../support/browser/browser.ts';
import { type ConsoleBrowser, openConsole, type Person } from '../../support/browser/console-browser.ts';
import { startService, type RunningService } from '../../support/servers/running-service.ts';
import { until } from '../../support/until.ts';
import { startOfToday } from '../../support/whole-day.ts';

/* The console's figures, analytics and SQL, and the API reference, in a real browser against the real service. */

const hasBrowser = findBrowser() !== undefined;
const SCRIPT = `<img src=x onerror="document.title='stored script'">`;
const LINK = 'javascript:document.title="stored script"';
const TODAY = new Date(await startOfToday(120_000)).toISOString().slice(0, 10);
const DIST = fileURLToPath(new URL('../../../console/dist', import.meta.url));
const PHONE = { width: 390, height: 800 };
const DESKTOP = { width: 1_280, height: 860 };

describe.skipIf(!hasBrowser)(`figures in the console${hasBrowser ? '' : ` (${NO_BROWSER})`}`, () => {
  let service: RunningService;
  let browser: ConsoleBrowser | undefined;
  let admin: Person;
  let analyst: Person;
  let viewer: Person;

  beforeAll(async () => {
    service = await startService();
    await play(service);
    browser = await openConsole(service);
    if (browser === undefined) throw new Error(NO_BROWSER);
    admin = await browser.signIn('ann@example.com', 'admin');
    viewer = await browser.signIn('vic@example.com', 'viewer');
    analyst = await browser.signIn('sam@example.com', 'analyst');
    await service.cli('users', 'grant', 'sam@example.com', '--role', 'analyst', '--game', '*');
    await until(
      'player_days is built',
      async () => {
        const [row] = await service.sql<{ n: string | number }>('SELECT count() AS n FROM player_days FINAL');
        return Number(row?.n) === 4;
      },
      60_000,
    );
  }, 180_000);
  afterAll(async () => {
    await browser?.close();
    await service.stop();
  });

  const query = (body: object): string => `analytics?${new URLSearchParams({ q: JSON.stringify(body) }).toString()}`;
  const FUNNEL = { kind: 'funnel', steps: [{ event_name: 'level_up' }, { event_name: SCRIPT }] };

  test.each([
    ['overview', 'overview', 'Today compared with last week'],
    ['analytics-trend', query({ kind: 'trend', metric: 'events', by: 'event_name' }), 'Events'],
    ['analytics-retention', query({ kind: 'retention' }), 'All cohorts'],
    ['analytics-ltv', query({ kind: 'ltv' }), 'All cohorts'],
    ['analytics-funnel', query(FUNNEL), 'Still in the window'],
    ['analytics-breakdown', query({ kind: 'breakdown', metric: 'events', by: 'event_name' }), '100.0 %'],
    ['analytics-paths', query({ kind: 'paths', event_name: 'level_up' }), 'start events'],
    ['analytics-empty', query({ kind: 'trend', event_names: ['nothing'] }), 'No rows in this range'],
    ['sql-refused', 'sql', 'SQL reads the rows of all games'],
  ])('%s is accessible in both schemes, and on a phone', async (name, screen, text) => {
    await admin.open(screen);
    if (text !== '100.0 %') await admin.page.getByText(text).first().waitFor();
    await admin.picture(name);
    expect(await admin.accessibility()).toEqual([]);
    await admin.picture(`${name}-dark`);
    await admin.page.setViewportSize(PHONE);
    expect(await widerThanPhone(admin)).toBe(false);
    await admin.picture(`${name}-phone`);
    await admin.page.setViewportSize(DESKTOP);
    expect(admin.faults).toEqual([]);
    expect(await admin.page.title()).not.toContain('stored script');
  });

  test('today’s figures are those of the API', async () => {
    const shows = (name: string, figure: string) =>
      admin.page.getByRole('button', { name }).getByText(figure, { exact: true }).first().isVisible();
    // A question that waited too long for its turn is asked again a minute later: a busy machine loads the screen anew.
    await until(
      'the overview has the figures',
      async () => {
        await admin.open('overview');
        return (
          (await shows('Active players', '4')) && (await shows('New players', '4')) && (await shows('Revenue', '9.98'))
        );
      },
      60_000,
    );
    await admin.page.getByRole('button', { name: 'Revenue' }).click();
    expect(admin.page.url()).toContain('kpi=revenue');
    await admin.page.getByRole('slider', { name: 'Revenue' }).focus();
    await admin.page.keyboard.press('Home');
    const value = () => admin.page.getByRole('slider', { name: 'Revenue' }).getAttribute('aria-valuetext');
    expect(await value()).toMatch(/^\d{4}-\d\d-\d\d: Revenue: 0\.00$/);
    await admin.page.keyboard.press('End');
    expect(await value()).toContain('(partial): Revenue: 9.98');
  });

  test('a query is asked by keyboard, shared by its address, said in SQL and saved for others', async () => {
    await analyst.open('analytics');
    const { page } = analyst;
    await page.getByLabel('What to look at').selectOption('breakdown');
    await page.getByRole('heading', { level: 2, name: 'Breakdown' }).waitFor();
    await page.getByRole('combobox', { name: 'Split by' }).fill('property:level');
    await page.keyboard.press('Enter');
    await page.getByRole('rowheader', { name: LINK }).waitFor();
    expect(await page.getByRole('link', { name: LINK }).count()).toBe(0);
    const address = page.url();
    expect(address).toContain('property%3Alevel');

    await page.getByRole('button', { name: 'SQL', exact: true }).click();
    await page.getByRole('region', { name: 'This query in SQL' }).getByText('GROUP BY').waitFor();
    await analyst.picture('analytics-sql');
    await page.getByRole('link', { name: 'Open on the SQL screen' }).click();
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByRole('status').filter({ hasText: 'rows in' }).waitFor();

    await page.goto(address);
    await page.getByRole('button', { name: 'Save …' }).click();
    await page.getByRole('textbox', { name: 'Key' }).fill('levels');
    await page.getByRole('textbox', { name: 'Name' }).fill('Levels');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('link', { name: 'Levels' }).waitFor();
    await viewer.open('analytics');
    await viewer.page.getByRole('link', { name: 'Levels' }).click();
    await viewer.page.getByRole('rowheader', { name: LINK }).waitFor();
    expect(await viewer.page.getByRole('button', { name: 'Save …' }).count()).toBe(0);
    expect(await viewer.page.getByRole('button', { name: 'Delete “Levels”' }).count()).toBe(0);
    expect(analyst.faults.concat(viewer.faults)).toEqual([]);
  });

  test('a CSV has the rows, and no cell that a spreadsheet would run', async () => {
    await admin.open(query({ kind: 'breakdown', metric: 'events', by: 'property:formula' }));
    await admin.page.getByRole('rowheader', { name: '=1+1' }).waitFor();
    const [file] = await Promise.all([
      admin.page.waitForEvent('download'),
      admin.page.getByRole('button', { name: 'CSV' }).click(),
    ]);
    const text = readFileSync(await file.path(), 'utf8');
    expect(text.split('\r\n')[0]).toBe('Value,Events');
    expect(text).toContain(`'=1+1,1`);
  });

  test('a cohort that is too young has empty cells, not zeros', async () => {
    await admin.open(query({ kind: 'retention', days: [1, 7] }));
    const row = admin.page.getByRole('row').filter({ has: admin.page.getByRole('rowheader', { name: TODAY }) });
    await row.waitFor();
    expect(await row.getByRole('cell').allTextContents()).toEqual(['4', 'not over yet', 'not over yet']);
  });

  test('SQL runs, keeps its history, lists tables, and shows what games sent as text', async () => {
    await analyst.open('sql');
    const { page } = analyst;
    await page.getByRole('textbox', { name: 'Statement' }).fill('SELECT DISTINCT event_name FROM events ORDER BY 1');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('cell', { name: SCRIPT }).waitFor();
    await page.getByText('player_days', { exact: true }).click();
    await analyst.picture('sql');
    expect(await analyst.accessibility()).toEqual([]);
    await analyst.picture('sql-dark');
    await page.setViewportSize(PHONE);
    expect(await widerThanPhone(analyst)).toBe(false);
    await analyst.picture('sql-phone');
    await page.setViewportSize(DESKTOP);
    await page.getByRole('textbox', { name: 'Statement' }).fill('DROP TABLE events');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByRole('alert').waitFor();
    await page.reload();
    await page.getByRole('region', { name: 'History of this browser' }).getByText('DISTINCT').click();
    expect(await page.getByRole('textbox', { name: 'Statement' }).inputValue()).toContain('DISTINCT');
    expect(analyst.faults).toEqual([]);
  });

  test('a viewer is not offered SQL, and may not run it either', async () => {
    await viewer.open('overview');
    expect(await viewer.page.getByRole('link', { name: 'SQL' }).count()).toBe(0);
    await viewer.open('sql');
    await viewer.page.getByText('SQL reads the rows of all games').waitFor();
    const status: unknown = await viewer.page.evaluate(`(async () => {
      const { data } = await (await fetch('/v1/console/me')).json();
      const headers = { 'Content-Type': 'application/json', 'X-CSRF-Token': data.csrf_token };
      const body = JSON.stringify({ statement: 'SELECT 1' });
      return (await fetch('/v1/console/sql', { method: 'POST', headers, body })).status;
    })()`);
    expect(status).toBe(403);
  });

  test('the palette finds screens and definitions, and ? shows the keys', async () => {
    const { page } = admin;
    const made = await service.call(service.keys.live.server, 'POST', '/v1/flags/flags', {
      key: 'palette_flag',
      name: 'Palette flag',
      flag_type: 'boolean',
      enabled: true,
      default_value: false,
    });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    await admin.open('overview');
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('Go to Analytics').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('/');
    await page.getByRole('textbox', { name: 'Jump to' }).fill('palette_fl');
    await page.getByRole('dialog').getByText('palette_flag').first().waitFor();
    await page.getByRole('textbox', { name: 'Jump to' }).fill('analyt');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Analytics' }).waitFor();
  });

  test('the API reference is found by keyboard, tries a test key, and refuses a live one', async () => {
    const { page } = admin;
    await page.goto(`${service.url}/docs`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await admin.picture('reference');
    expect(await admin.accessibility()).toEqual([]);
    await page.keyboard.press('/');
    await page.keyboard.type('list the flags');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 2, name: 'Try it' }).waitFor();
    const send = page.getByRole('button', { name: 'Send' });
    expect(await send.isDisabled()).toBe(true);
    await page.getByLabel('Test key').fill(service.keys.live.server);
    await page.getByText('This is no test key').waitFor();
    expect(await send.isDisabled()).toBe(true);
    await page.getByLabel('Test key').fill(service.keys.test.server);
    await send.click();
    await page.getByRole('region', { name: 'Answer' }).getByText('"success": true').first().waitFor();
    await admin.picture('reference-tried');
    expect(await admin.accessibility()).toEqual([]);
    await admin.picture('reference-dark');
    await page.setViewportSize(PHONE);
    expect(await widerThanPhone(admin)).toBe(false);
    await admin.picture('reference-phone');
    await page.setViewportSize(DESKTOP);
    expect(admin.faults).toEqual([]);
  });

  test('every endpoint of the reference opens without a fault', async () => {
    const { page } = admin;
    await page.goto(`${service.url}/docs`);
    const links = page.getByRole('navigation').getByRole('link');
    await links.first().waitFor();
    const paths: string[] = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
    expect(paths.length).toBeGreaterThan(80);
    for (const path of paths) {
      await page.evaluate(`history.pushState({}, '', '${path}')`);
      await page.locator(`[aria-current="page"][href="${path}"]`).waitFor({ state: 'attached' });
      await page.getByRole('heading', { level: 2, name: 'Responses' }).waitFor();
    }
    expect(admin.faults).toEqual([]);
  });

  test.each(['start', 'events', 'account'])('%s fits a phone', async (screen) => {
    await admin.page.setViewportSize(PHONE);
    await admin.open(screen);
    expect(await widerThanPhone(admin)).toBe(false);
    await admin.picture(`${screen}-phone`);
    await admin.page.setViewportSize(DESKTOP);
  });

  test('a browser shows neither the console nor the reference in a frame', async () => {
    const page = await admin.page.context().newPage();
    const refusals: string[] = [];
    page.on('requestfailed', (request) => refusals.push(`${request.url()} ${request.failure()?.errorText}`));
    await page.goto(`${service.url}/healthz`);
    for (const path of ['/console', '/docs']) {
      await page.evaluate(`document.body.innerHTML = '<iframe src="${path}"></iframe>'`);
      const refusal = `${service.url}${path} net::ERR_BLOCKED_BY_RESPONSE`;
      await until(`${path} is refused`, () => refusals.includes(refusal));
    }
    await page.close();
  });

  test('what a browser loads first has at most 250 KB', async () => {
    for (const page of ['/console', '/docs']) {
      const html = await (await fetch(service.url + page)).text();
      const files = [...html.matchAll(/(?:src|href)="\/console\/(assets\/[^"]+)"/g)].map((match) => match[1] ?? '');
      const build = readdirSync(DIST).find((name) => existsSync(join(DIST, name, files[0] ?? '')));
      expect(files.length).toBeGreaterThan(1);
      const scripts = files.filter((file) => file.endsWith('.js'));
      const bytes = scripts.map((file) => gzipSync(readFileSync(join(DIST, build ?? '', file))).length);
      expect(
        bytes.reduce((sum, each) => sum + each, 0),
        `${page}: ${files.join()}`,
      ).toBeLessThan(250 * 1024);
      expect(statSync(join(DIST, build ?? '', 'index.html')).size).toBeLessThan(4_096);
    }
  });
});

/** Whether the page scrolls sideways. */
function widerThanPhone({ page }: Person): Promise<boolean> {
  return page.evaluate<boolean>('document.documentElement.scrollWidth > document.documentElement.clientWidth');
}

/** Players who do things whose names and values a page could mistake for its own. */
async function play(service: RunningService): Promise<void> {
  const { client, server } = service.keys.live;
  for (const [place, name] of ['hal', 'ida', 'joe', SCRIPT].entries()) {
    const player = await service.player(server, name);
    const track = async (eventName: string, properties: object) => {
      const body = { player_id: player, event_name: eventName, properties };
      expect((await service.call(client, 'POST', '/v1/events/events', body)).status).toBe(200);
    };
    await track('level_up', { level: place });
    if (place > 0) await track(SCRIPT, { level: LINK, formula: place === 1 ? '=1+1' : 'plain' });
    if (place < 2) {
      const path = `/v1/players/players/${player}/purchase?amount=4.99&currency=USD&product_id=gems`;
      const bought = await service.call(server, 'POST', path);
      expect(bought.status, JSON.stringify(bought.body)).toBe(200);
    }
  }
}
