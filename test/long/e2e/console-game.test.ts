import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dateOf, dayIn, startOfDayIn } from '../../../core/kernel/zoned-days.ts';
import { findBrowser, NO_BROWSER } from '../../support/browser/browser.ts';
import { type ConsoleBrowser, openConsole, type Person } from '../../support/browser/console-browser.ts';
import { startService, type RunningService } from '../../support/servers/running-service.ts';
import { until } from '../../support/until.ts';

/* A game's settings, times in its zone, refunds and notes, in a real browser against the real service. */

const hasBrowser = findBrowser() !== undefined;
const HOSTILE = `<img src=x onerror="globalThis.hacked=1">`;
const PHONE = { width: 390, height: 800 };
const DESKTOP = { width: 1_280, height: 860 };
/** Where it is another day than in UTC now: 14 hours before it, or 11 hours behind it. */
const FAR_ZONE = new Date().getUTCHours() >= 10 ? 'Pacific/Kiritimati' : 'Pacific/Pago_Pago';

describe.skipIf(!hasBrowser)(`a game in the console${hasBrowser ? '' : ` (${NO_BROWSER})`}`, () => {
  let service: RunningService;
  let browser: ConsoleBrowser | undefined;
  let admin: Person;
  let viewer: Person;
  let buyer: string;

  beforeAll(async () => {
    service = await startService();
    const { client, server } = service.keys.live;
    for (const name of ['ana', 'bia', 'caio']) {
      const player_id = await service.player(server, name);
      const body = { player_id, event_name: 'level_up', properties: {} };
      expect((await service.call(client, 'POST', '/v1/events/events', body)).status).toBe(200);
    }
    const bought = [
      [client, 'amount=9.99&currency=USD&product_id=gems&transaction_id=tx-1'],
      [server, 'amount=4.5&currency=USD&product_id=chest&transaction_id=tx-2'],
      [server, 'amount=1&currency=USD'],
    ] as const;
    buyer = await service.player(server, 'ana');
    for (const [key, query] of bought) {
      const path = `/v1/players/players/${buyer}/purchase?${query}`;
      expect((await service.call(key, 'POST', path)).status).toBe(200);
    }
    browser = await openConsole(service);
    if (browser === undefined) throw new Error(NO_BROWSER);
    admin = await browser.signIn('ann@example.com', 'admin');
    viewer = await browser.signIn('vic@example.com', 'viewer');
    await daysBuilt('UTC', 3);
  }, 180_000);
  afterAll(async () => {
    await browser?.close();
    await service.stop();
  });

  const daysBuilt = (zone: string, players: number) =>
    until(
      `the days are built in ${zone}`,
      async () => {
        const day = dateOf(dayIn(zone, Date.now()));
        const [row] = await service.sql<{ n: string | number }>(
          `SELECT count() AS n FROM player_days FINAL WHERE day = '${day}'`,
        );
        return Number(row?.n) === players;
      },
      180_000,
    );

  test('viewers see the settings and cannot change them', async () => {
    await viewer.open('settings');
    await viewer.page.getByText('This needs the role admin.').waitFor();
    expect(await viewer.page.getByRole('combobox', { name: 'Time zone' }).inputValue()).toBe('UTC');
    expect(await viewer.page.getByRole('button', { name: 'Save' }).count()).toBe(0);
  });

  test('a zone that is none is refused beside its field, and nothing changes', async () => {
    const { page } = admin;
    await admin.open('settings');
    await page.getByRole('combobox', { name: 'Time zone' }).fill('Mars/Olympus');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').getByText('Time zone: UTC → Mars/Olympus').waitFor();
    await admin.picture('settings-confirm');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByText('must be the name of an IANA time zone').waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    await admin.picture('settings-refused');
    const { body } = await service.call(service.keys.live.server, 'GET', '/v1/settings');
    expect(body.data).toEqual({
      time_zone: 'UTC',
      currency: null,
      extracted_properties: [],
      revenue: 'all',
      holdout: null,
      version: 1,
    });
  });

  test('an admin changes zone and currency, and every screen follows', async () => {
    const { page } = admin;
    await admin.open('settings');
    await page.getByRole('combobox', { name: 'Time zone' }).fill(FAR_ZONE);
    await page.getByRole('combobox', { name: 'Currency' }).fill('BRL');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('All days of the game are built again').waitFor();
    await dialog.getByText('Currency: none → BRL').waitFor();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The days of this game are built up to').waitFor({ timeout: 180_000 });
    await daysBuilt(FAR_ZONE, 3);
    await admin.picture('settings');
    expect(await admin.accessibility()).toEqual([]);
    await admin.picture('settings-dark');
    await page.setViewportSize(PHONE);
    await admin.picture('settings-phone');
    await page.setViewportSize(DESKTOP);

    const today = dateOf(dayIn(FAR_ZONE, Date.now()));
    await until(
      'the overview has today’s players',
      async () => {
        await admin.open('overview');
        return page.getByRole('button', { name: 'Active players' }).getByText('3', { exact: true }).first().isVisible();
      },
      60_000,
    );
    await page.getByText(`Today, in the zone ${FAR_ZONE}`).waitFor();
    await page.getByText('Revenue is in BRL.').waitFor();
    expect(await page.getByText('Behind: these figures').count()).toBe(0);
    await page.getByRole('slider', { name: 'Active players' }).focus();
    await page.keyboard.press('End');
    const shown = await page.getByRole('slider', { name: 'Active players' }).getAttribute('aria-valuetext');
    expect(shown).toBe(`${today} (partial): Active players: 3`);
    await admin.picture('overview-zone');

    await admin.open('analytics');
    await page.getByLabel(`Range (${FAR_ZONE})`).selectOption('custom');
    expect(await page.getByLabel('From', { exact: true }).inputValue()).toBe(today);
    await page.getByRole('columnheader', { name: `Time (${FAR_ZONE})` }).waitFor();
    await admin.picture('analytics-zone');
    expect(admin.faults.concat(viewer.faults)).toEqual([]);
  });

  test('an editor refunds a part of a purchase, then the rest, each once; a viewer cannot', async () => {
    const { page } = admin;
    await admin.open(`players/${buyer}?tab=purchases`);
    const row = page.getByRole('row').filter({ hasText: 'tx-1' });
    await row.getByRole('cell', { name: '9.99' }).first().waitFor();
    expect(await page.getByRole('row').filter({ hasText: 'it cannot be refunded' }).getByRole('button').count()).toBe(
      0,
    );
    await page.getByRole('button', { name: 'Refund tx-1' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('radio', { name: 'A part' }).check();
    const amount = dialog.getByRole('textbox', { name: 'Amount' });
    await amount.fill('10');
    expect(await dialog.getByRole('button', { name: 'Refund' }).isDisabled()).toBe(true);
    await amount.fill('2');
    await admin.picture('refund');
    expect(await admin.accessibility()).toEqual([]);
    await admin.picture('refund-dark');
    // The answer is lost: the second try is the same refund.
    await page.route('**/refund*', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await dialog.getByRole('button', { name: 'Refund 2.00 BRL' }).click();
    await dialog.getByText('The service does not answer.').waitFor();
    await page.unroute('**/refund*');
    await admin.picture('refund-lost');
    await dialog.getByRole('button', { name: 'Refund 2.00 BRL' }).click();
    await row.getByRole('cell', { name: '7.99' }).waitFor();
    await page.getByRole('button', { name: 'Refund tx-1' }).click();
    await dialog.getByText('All that remains: 7.99 BRL').waitFor();
    // Meanwhile the server refunds a part: the console shows what the service says.
    const server = service.keys.live.server;
    const path = `/v1/players/players/${buyer}/refund?transaction_id=tx-1`;
    await dialog.getByRole('radio', { name: 'A part' }).check();
    await amount.fill('7.50');
    // The list of purchases does not know of it yet.
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/timeline*', async (route) => {
      await released;
      await route.continue();
    });
    expect((await service.call(server, 'POST', `${path}&amount=1&refund_id=r1`)).status).toBe(200);
    await dialog.getByRole('button', { name: 'Refund 7.50 BRL' }).click();
    await dialog.getByText('6.99 of the purchase of 9.99 remain').waitFor();
    release();
    await dialog.getByRole('radio', { name: 'All that remains: 6.99 BRL' }).check();
    await dialog.getByRole('button', { name: 'Refund 6.99 BRL' }).click();
    await row.getByText('refunded', { exact: true }).waitFor();
    await row.getByRole('cell', { name: '0.00' }).waitFor();
    await admin.picture('purchases');
    expect(await admin.accessibility()).toEqual([]);
    await admin.picture('purchases-dark');
    await page.setViewportSize(PHONE);
    await admin.picture('purchases-phone');
    await page.setViewportSize(DESKTOP);
    const { body } = await service.call(server, 'GET', `/v1/players/players/${buyer}`);
    expect(body.data).toMatchObject({ total_revenue: 5.5, is_payer: true });

    await viewer.open(`players/${buyer}?tab=purchases`);
    await viewer.page.getByRole('row').filter({ hasText: 'tx-2' }).waitFor();
    expect(await viewer.page.getByRole('button', { name: 'Refund tx-2' }).count()).toBe(0);
    expect(admin.faults.concat(viewer.faults)).toEqual([]);
  });

  test('an analyst notes a release on a chart, everybody sees it on each, and it can be changed and deleted', async () => {
    const { page } = admin;
    const { server } = service.keys.live;
    const flag = { key: 'new_shop', name: 'New shop', flag_type: 'boolean', enabled: true };
    expect((await service.call(server, 'POST', '/v1/flags/flags', flag)).status).toBe(201);
    const today = dateOf(dayIn(FAR_ZONE, Date.now()));
    await admin.open('overview');
    await page.getByRole('button', { name: 'Add a note' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByLabel('Day (').inputValue()).toBe(today);
    await dialog.getByRole('textbox', { name: 'What happened' }).fill(`Version 2.0 ${HOSTILE}`);
    await dialog.getByLabel('Time of day').fill('00:01');
    await dialog.getByLabel('About').selectOption('flag');
    await dialog.getByLabel('Which one').selectOption('new_shop');
    await admin.picture('note');
    expect(await admin.accessibility()).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    const notes = page.getByRole('list', { name: 'Notes' });
    await notes.getByText('Version 2.0').waitFor();
    await notes.getByText('by ann@example.com').waitFor();
    const slider = page.getByRole('slider', { name: 'Active players' });
    await slider.focus();
    await page.keyboard.press('End');
    expect(await slider.getAttribute('aria-valuetext')).toContain('Note 1: Version 2.0');
    await admin.picture('notes');
    expect(await admin.accessibility()).toEqual([]);
    await admin.picture('notes-dark');
    await page.setViewportSize(PHONE);
    await admin.picture('notes-phone');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(PHONE.width);
    await page.setViewportSize(DESKTOP);
    expect(await page.evaluate('globalThis.hacked')).toBeUndefined();

    await viewer.open('analytics');
    const seen = viewer.page.getByRole('list', { name: 'Notes' });
    await seen.getByText('Version 2.0').waitFor();
    expect(await viewer.page.getByRole('button', { name: 'Add a note' }).count()).toBe(0);
    expect(await seen.getByRole('button', { name: /^(Change|Delete) the note/ }).count()).toBe(0);
    await seen.getByRole('link', { name: 'Flag new_shop' }).click();
    await viewer.page.waitForURL('**/console/demo/live/flags/new_shop');

    const minute = new Date(startOfDayIn(FAR_ZONE, dayIn(FAR_ZONE, Date.now())) + 60_000).toISOString();
    await until('SQL has the note', async () => {
      const rows = await service.sql<{ day: string; at: string }>('SELECT day, at, link_key FROM live_annotations');
      return rows[0]?.day === today && rows[0].at === minute.replace('T', ' ').replace('Z', '');
    });
    await admin.open('analytics');
    await notes.getByRole('button', { name: /Change the note/ }).click();
    expect(await dialog.getByLabel('Time of day').inputValue()).toBe('00:01');
    await dialog.getByRole('textbox', { name: 'What happened' }).fill(' ');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('must not be blank').waitFor();
    await dialog.getByRole('textbox', { name: 'What happened' }).fill('Version 2.1');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await notes.getByText('Version 2.1').waitFor();
    await notes.getByRole('button', { name: 'Delete the note “Version 2.1”' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await until('it is gone', async () => (await page.getByText('Version 2.1').count()) === 0);
    expect(admin.faults.concat(viewer.faults)).toEqual([]);
  });
});
