import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowser, NO_BROWSER } from '../support/browser.ts';
import { type ConsoleBrowser, openConsole, type Person } from '../support/console-browser.ts';
import { startService, type RunningService } from '../support/running-service.ts';

/* Every screen of the console in a real browser, against the real service. */

const hasBrowser = findBrowser() !== undefined;

describe.skipIf(!hasBrowser)(`the console${hasBrowser ? '' : ` (${NO_BROWSER})`}`, () => {
  let service: RunningService;
  let browser: ConsoleBrowser | undefined;
  let admin: Person;

  beforeAll(async () => {
    service = await startService();
    browser = await openConsole(service);
    if (browser === undefined) throw new Error(NO_BROWSER);
    admin = await browser.signIn('ann@example.com', 'admin');
  });
  afterAll(async () => {
    await browser?.close();
    await service.stop();
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
    await admin.page.getByRole('listitem').filter({ hasText: 'level_failed' }).click();
    await admin.page.getByRole('link', { name: 'Open the player' }).waitFor();
    await admin.picture('event');
    expect(admin.faults).toEqual([]);
  });
});
