import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowser, NO_BROWSER } from '../../support/browser/browser.ts';
import { type ConsoleBrowser, openConsole, type Person } from '../../support/browser/console-browser.ts';
import { startService, type RunningService } from '../../support/servers/running-service.ts';

/* Labels, what files manage, and the list of overrides in a real browser, against the real service. */

const hasBrowser = findBrowser() !== undefined;

describe.skipIf(!hasBrowser)(`labels in the console${hasBrowser ? '' : ` (${NO_BROWSER})`}`, () => {
  let service: RunningService;
  let browser: ConsoleBrowser | undefined;
  let ann: Person;
  const send = (method: string, path: string, body: unknown, headers: Record<string, string> = {}) =>
    service.call(service.keys.live.server, method, path, body, headers);

  beforeAll(async () => {
    service = await startService();
    browser = await openConsole(service);
    if (browser === undefined) throw new Error(NO_BROWSER);
    ann = await browser.signIn('ann@example.com', 'editor');
    ann.page.setDefaultTimeout(30_000);
    const ends_at = '2030-01-01T00:00:00.000Z';
    const managed = { 'X-Managed-By': 'github.com/acme/games' };
    await send('POST', '/v1/flags/flags', { key: 'managed', flag_type: 'boolean', tags: ['shop'], ends_at }, managed);
    await send('POST', '/v1/flags/flags', { key: 'plain', flag_type: 'boolean', tags: ['guild'] });
    const player = await service.player(service.keys.live.server, 'player-1');
    await send('PUT', `/v1/flags/flags/managed/overrides/${player}`, { value: true });
  });
  afterAll(async () => {
    await browser?.close();
    await service.stop();
  });

  test('a list is filtered by tag, and a managed flag says so before it is changed', async () => {
    const { page } = ann;
    await ann.open('flags');
    await page.getByRole('link', { name: 'plain' }).waitFor();
    await page.getByLabel('Tag', { exact: true }).selectOption('shop');
    await page.getByRole('link', { name: 'plain' }).waitFor({ state: 'detached' });
    await ann.picture('flags-by-tag');
    await page.getByRole('link', { name: 'managed' }).click();
    await page.getByText('Managed by github.com/acme/games').waitFor();
    await page.getByLabel('Owner').fill('economy');
    await ann.picture('flag-labels');
    expect(await ann.accessibility()).toEqual([]);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Managed by github.com/acme/games').waitFor();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('The last change was made elsewhere.').waitFor();
    const { body } = await send('GET', '/v1/flags/flags/managed', undefined);
    expect(body.data).toMatchObject({ owner: 'economy', tags: ['shop'], ends_at: '2030-01-01T00:00:00.000Z' });
    expect(ann.faults).toEqual([]);
  });

  test('the overrides of a flag are listed, and one is opened in the form', async () => {
    const { page } = ann;
    await page.getByRole('tab', { name: 'Overrides' }).click();
    await page.getByRole('row', { name: /player-1/ }).waitFor();
    await page.getByRole('button', { name: 'Look up player-1' }).click();
    await page.getByText('This player has an override:').waitFor();
    await ann.picture('flag-overrides');
    expect(await ann.accessibility()).toEqual([]);
    expect(ann.faults).toEqual([]);
  });
});
