import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dateOf, dayIn } from '../../../core/kernel/zoned-days.ts';
import { findBrowser, NO_BROWSER } from '../../support/browser/browser.ts';
import { type ConsoleBrowser, openConsole, type Person } from '../../support/browser/console-browser.ts';
import { startService, type RunningService } from '../../support/servers/running-service.ts';
import { until } from '../../support/until.ts';

/* The settings of a game in the console, and screens in its time zone, in a real browser against the real service. */

const hasBrowser = findBrowser() !== undefined;
const PHONE = { width: 390, height: 800 };
const DESKTOP = { width: 1_280, height: 860 };
/** Where it is another day than in UTC now: 14 hours before it, or 11 hours behind it. */
const FAR_ZONE = new Date().getUTCHours() >= 10 ? 'Pacific/Kiritimati' : 'Pacific/Pago_Pago';

describe.skipIf(!hasBrowser)(`a game in a time zone${hasBrowser ? '' : ` (${NO_BROWSER})`}`, () => {
  let service: RunningService;
  let browser: ConsoleBrowser | undefined;
  let admin: Person;
  let viewer: Person;

  beforeAll(async () => {
    service = await startService();
    const { client, server } = service.keys.live;
    for (const name of ['ana', 'bia', 'caio']) {
      const player_id = await service.player(server, name);
      const body = { player_id, event_name: 'level_up', properties: {} };
      expect((await service.call(client, 'POST', '/v1/events/events', body)).status).toBe(200);
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
      60_000,
    );

  test('viewers see the settings and cannot change them', async () => {
    await viewer.open('settings');
    await viewer.page.getByText('This needs the role admin.').waitFor();
    expect(await viewer.page.getByLabel('Time zone').inputValue()).toBe('UTC');
    expect(await viewer.page.getByRole('button', { name: 'Save' }).count()).toBe(0);
  });

  test('a zone that is none is refused beside its field, and nothing changes', async () => {
    const { page } = admin;
    await admin.open('settings');
    await page.getByLabel('Time zone').fill('Mars/Olympus');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').getByText('Time zone: UTC → Mars/Olympus').waitFor();
    await admin.picture('settings-confirm');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByText('must be the name of an IANA time zone').waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    await admin.picture('settings-refused');
    const { body } = await service.call(service.keys.live.server, 'GET', '/v1/settings');
    expect(body.data).toEqual({ time_zone: 'UTC', currency: null });
  });

  test('an admin changes zone and currency, and every screen follows', async () => {
    const { page } = admin;
    await admin.open('settings');
    await page.getByLabel('Time zone').fill(FAR_ZONE);
    await page.getByLabel('Currency').fill('BRL');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('All days of the game are built again').waitFor();
    await dialog.getByText('Currency: none → BRL').waitFor();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The days of this game are built up to').waitFor({ timeout: 60_000 });
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
});
