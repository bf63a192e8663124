import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowser, NO_BROWSER } from '../../support/browser/browser.ts';
import { type ConsoleBrowser, openConsole, type Person } from '../../support/browser/console-browser.ts';
import { type IdentityProvider, startIdentityProvider } from '../../support/browser/identity-provider.ts';
import { startService, type RunningService } from '../../support/servers/running-service.ts';

/* Every screen of the console in a real browser, against the real service. */

const hasBrowser = findBrowser() !== undefined;

describe.skipIf(!hasBrowser)(`the console${hasBrowser ? '' : ` (${NO_BROWSER})`}`, () => {
  let service: RunningService;
  let browser: ConsoleBrowser | undefined;
  let admin: Person;
  let provider: IdentityProvider;

  beforeAll(async () => {
    provider = await startIdentityProvider();
    service = await startService({
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: provider.clientId,
      OIDC_CLIENT_SECRET: provider.clientSecret,
    });
    browser = await openConsole(service);
    if (browser === undefined) throw new Error(NO_BROWSER);
    admin = await browser.signIn('ann@example.com', 'admin');
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
    await provider?.close();
  });

  test.each(['overview', 'start', 'events', 'account'])('%s is accessible in both schemes', async (screen) => {
    await admin.open(screen);
    await admin.picture(screen);
    expect(await admin.accessibility()).toEqual([]);
    expect(admin.faults).toEqual([]);
  });

  test('an event appears on the live events as it arrives', async () => {
    await admin.open('events');
    await admin.page.getByText('Connected').waitFor();
    const player = await service.player(service.keys.live.server, 'hal');
    const sent = await service.call(service.keys.live.client, 'POST', '/v1/events/events', {
      player_id: player,
      event_name: 'level_failed',
      properties: { level: 3 },
    });
    expect(sent.status).toBe(200);
    const short = admin.page.getByRole('listitem').filter({ hasText: 'level_failed' }).getByTitle(player);
    expect(await short.textContent()).toBe(`${player.slice(0, 8)}…`);
    await short.click();
    const detail = admin.page.getByRole('dialog');
    await detail.getByText('hal', { exact: true }).waitFor();
    await detail.getByText(player, { exact: true }).waitFor();
    await detail.getByRole('link', { name: 'Open the player' }).waitFor();
    await admin.picture('event');
    expect(await admin.accessibility()).toEqual([]);
    expect(admin.faults).toEqual([]);
  });

  test('live events are filtered by the external id of a player', async () => {
    const { page } = admin;
    await admin.open('events?player=nobody');
    await page.getByRole('alert').waitFor();
    const player = await service.player(service.keys.live.server, 'hal');
    const other = await service.player(service.keys.live.server, 'ida');
    await page.getByLabel('Player id or external id').fill('hal');
    await page.getByText('Connected').waitFor();
    for (const each of [other, player]) {
      const event = { player_id: each, event_name: 'level_won' };
      expect((await service.call(service.keys.live.client, 'POST', '/v1/events/events', event)).status).toBe(200);
    }
    await page.getByTitle(player).waitFor();
    expect(await page.getByTitle(other).count()).toBe(0);
    expect(admin.faults).toEqual([]);
  });

  test('a person signs in by the identity provider, and opens the screen of its address', async () => {
    await service.cli(
      'users',
      'add',
      'olga@example.com',
      '--role',
      'viewer',
      '--game',
      'demo',
      '--environment',
      'live',
    );
    provider.person = { sub: 'olga', email: 'olga@example.com', email_verified: true };
    const context = await admin.context.browser()?.newContext();
    const page = await context?.newPage();
    if (context === undefined || page === undefined) throw new Error(NO_BROWSER);
    await page.goto(`${service.url}/console/demo/live/flags?show=stale`);
    const button = page.getByRole('button', { name: `Sign in with ${new URL(provider.issuer).host}` });
    await button.waitFor();
    expect(await page.getByText('Your session has ended').count()).toBe(0);
    await button.click();
    await page.getByRole('heading', { level: 1, name: 'Flags' }).waitFor();
    expect(page.url()).toBe(`${service.url}/console/demo/live/flags?show=stale`);
    // Her role is for live only, and of no other game.
    await page.goto(`${service.url}/console/demo/test/flags`);
    await page.getByText('You have no role in test of demo.').waitFor();
    await page.getByRole('link', { name: 'Open demo, live' }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    // Whom no admin added is not signed in.
    provider.person = { sub: 'stranger', email: 'stranger@example.com', email_verified: true };
    await context.clearCookies();
    await page.goto(`${service.url}/console`);
    await button.click();
    await page.getByRole('alert').waitFor();
    await page.getByRole('button', { name: 'To the sign-in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await context.close();
  });

  test.each([
    ['account', 'demo/live/account', 'Account'],
    ['flags?show=stale', 'demo/live/flags?show=stale', 'Flags'],
    ['demo', 'demo/live/overview', 'Overview'],
  ])('the address %s opens %s', async (typed, opened, heading) => {
    await admin.page.goto(`${service.url}/console/${typed}`);
    await admin.page.getByRole('heading', { level: 1, name: heading }).waitFor();
    expect(admin.page.url()).toBe(`${service.url}/console/${opened}`);
  });

  test.each([
    ['nosuch/live/overview', 'You cannot open the game “nosuch”.', 'Open demo, live', 'Overview'],
    ['demo/live/nosuch', 'There is no such page.', 'Go to the overview', 'Overview'],
    ['demo/live/flags/nosuch', 'There is no such flag here.', 'All flags', 'Flags'],
    ['demo/live/flags/nosuch/results', 'There is no such flag here.', 'All flags', 'Flags'],
    ['demo/live/experiments/nosuch', 'There is no such experiment here.', 'All experiments', 'Experiments'],
    ['demo/live/segments/nosuch', 'There is no such segment here.', 'All segments', 'Segments'],
    ['demo/live/campaigns/nosuch', 'There is no such campaign here.', 'All campaigns', 'Campaigns'],
    ['demo/live/players/nosuch', 'There is no such player here.', 'All players', 'Players'],
    ['demo/live/webhooks/nosuch', 'There is no such webhook.', 'All webhooks', 'Webhooks'],
  ])('%s says that it is not there, with a way back', async (typed, says, way, heading) => {
    await admin.page.goto(`${service.url}/console/${typed}`);
    await admin.page.getByText(says).waitFor();
    expect(await admin.accessibility()).toEqual([]);
    await admin.page.getByRole('main').getByRole('link', { name: way }).click();
    await admin.page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();
    expect(admin.faults).toEqual([]);
  });

  test('an outage is said; a screen that was not loaded yet says so in its place, and opens once it is over', async () => {
    await admin.open('account');
    const { page } = admin;
    await page.getByRole('heading', { name: 'Account' }).first().waitFor();
    const everything = '**/*';
    await page.route(everything, (route) => route.abort('connectionrefused'));
    await page.getByRole('link', { name: /^Scoring/ }).click();
    await page.getByText('This part of the console could not be loaded.').waitFor();
    await page.getByText('Offline: the service does not answer.').waitFor();
    await admin.picture('outage');
    await page.unroute(everything);
    // The page asks by itself whether the service answers again.
    await page.getByText('Offline: the service does not answer.').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Scoring', level: 1 }).waitFor();
    // The browser reports the aborted requests.
    admin.faults.length = 0;
  });

  test('a text is copied, and shown where the browser forbids copying', async () => {
    const { page } = admin;
    await admin.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await admin.open('start');
    const copy = page.getByRole('button', { name: 'Copy', exact: true }).first();
    await copy.click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toContain('/v1/players/players');
    await page.evaluate(`Object.defineProperty(navigator, 'clipboard', { value: undefined })`);
    await copy.waitFor();
    await copy.click();
    const shown = page.getByLabel('The browser forbids copying here.');
    expect(await shown.inputValue()).toContain('/v1/players/players');
    expect(await admin.accessibility()).toEqual([]);
  });

  test('a wide table says at its edge that it scrolls, and the keyboard scrolls it', async () => {
    await admin.page.setViewportSize({ width: 390, height: 800 });
    await admin.open('overview');
    const table = admin.page.getByRole('region', { name: /^Outputs.* scrolls sideways$/ });
    await admin.page.locator('.scroll-frame[data-right]:not([data-left])', { has: table }).waitFor();
    await table.focus();
    await admin.page.keyboard.press('ArrowRight');
    await admin.page.locator('.scroll-frame[data-left]', { has: table }).waitFor();
    expect(await admin.accessibility()).toEqual([]);
    await admin.page.setViewportSize({ width: 1_280, height: 860 });
  });
});
