import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowser, NO_BROWSER } from '../../support/browser/browser.ts';
import { type ConsoleBrowser, openConsole, type Person } from '../../support/browser/console-browser.ts';
import { startService, type RunningService } from '../../support/servers/running-service.ts';

/* Exchange rates, and owner, tags and history of small definitions, in a real browser against the real service. */

const hasBrowser = findBrowser() !== undefined;
const RATES = '/v1/settings/exchange-rates';

describe.skipIf(!hasBrowser)(`small definitions in the console${hasBrowser ? '' : ` (${NO_BROWSER})`}`, () => {
  let service: RunningService;
  let browser: ConsoleBrowser | undefined;
  let ann: Person;

  const ask = async (method: string, path: string, body?: unknown) => {
    const answer = await service.call(service.keys.live.server, method, path, body);
    expect(answer.status).toBeLessThan(300);
    return answer.body.data;
  };
  const file = (text: string) => ({ name: 'rates.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });

  beforeAll(async () => {
    service = await startService();
    browser = await openConsole(service);
    if (browser === undefined) throw new Error(NO_BROWSER);
    ann = await browser.signIn('ann@example.com', 'admin');
    ann.page.setDefaultTimeout(30_000);
  }, 180_000);
  afterAll(async () => {
    await browser?.close();
    await service.stop();
  });

  test('rates need a currency, and are loaded from a file', async () => {
    const { page } = ann;
    await ann.open('settings');
    await page.getByText('Name the currency of the game first').waitFor();
    await service.cli('games', 'set', 'demo', '--currency', 'EUR');
    await ann.open('settings');
    await page.getByText('The game has no exchange rates').waitFor();
    const input = page.locator('input[type=file]');
    await input.setInputFiles(file('day;currency;rate\n2026-01-15;JPY;1'));
    await page.getByText('Line 1 must name the columns day, currency, rate, and no others.').waitFor();
    await input.setInputFiles(file('day,currency,rate\n2026-01-15,JPY,0.00545\n2026-01-15,USD,0.8594\n'));
    const dialog = page.getByRole('dialog', { name: 'Replace the exchange rates?' });
    await dialog.getByText('2 rates are added, 0 changed and 0 removed.').waitFor();
    await ann.picture('rates-ask');
    expect(await ann.accessibility()).toEqual([]);
    await dialog.getByRole('button', { name: 'Replace them' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /JPY 1 2026-01-15 2026-01-15.*older than 7 days.*0\.00545/ }).waitFor();
    expect(await ask('GET', RATES)).toMatchObject({ currency: 'EUR', rates: { JPY: { '2026-01-15': 0.00545 } } });
  });

  test('one rate is added, and a fault is shown in the words of the service', async () => {
    const { page } = ann;
    await page.getByRole('group', { name: 'Add a rate' }).getByLabel('Currency').fill('eur');
    await page.getByLabel('Day', { exact: true }).fill('2026-01-16');
    await page.getByLabel('Rate in EUR').fill('0,5');
    await page.getByText('A number greater than 0.').waitFor();
    await page.getByLabel('Rate in EUR').fill('0.00547');
    await page.getByRole('button', { name: 'Add a rate' }).click();
    const wrong = page.getByRole('dialog', { name: 'Set the rate of EUR for 2026-01-16?' });
    await wrong.getByRole('button', { name: 'Add a rate' }).click();
    await wrong.getByText('must be of another currency than EUR').first().waitFor();
    await ann.picture('rates-fault');
    await wrong.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('group', { name: 'Add a rate' }).getByLabel('Currency').fill('JPY');
    await page.getByRole('button', { name: 'Add a rate' }).click();
    const dialog = page.getByRole('dialog', { name: 'Set the rate of JPY for 2026-01-16?' });
    await dialog.getByRole('button', { name: 'Add a rate' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /JPY 2 2026-01-15 2026-01-16/ }).waitFor();
    await ann.picture('rates');
    expect(await ann.accessibility()).toEqual([]);
    expect(await ask('GET', RATES)).toMatchObject({
      version: 2,
      rates: { JPY: { '2026-01-15': 0.00545, '2026-01-16': 0.00547 }, USD: { '2026-01-15': 0.8594 } },
    });
  });

  test('a change of somebody else is not replaced, and the table is deleted after a question', async () => {
    const { page } = ann;
    const before = await ask('GET', RATES);
    await ask('PUT', RATES, { ...before, rates: { SEK: { '2026-01-16': 0.09 } } });
    await page.getByLabel('Rate in EUR').fill('0.006');
    await page.getByRole('button', { name: 'Add a rate' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Add a rate' }).click();
    await dialog.getByRole('alert').nth(1).waitFor();
    expect(await ask('GET', RATES)).toMatchObject({ rates: { SEK: { '2026-01-16': 0.09 } } });
    await ann.open('settings');
    await page.getByRole('row', { name: /SEK/ }).waitFor();
    await page.getByRole('button', { name: 'Delete the rates' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete the rates' }).click();
    await page.getByText('The game has no exchange rates').waitFor();
    const { status } = await service.call(service.keys.live.server, 'GET', RATES);
    expect(status).toBe(404);
  });

  test('computed properties, saved queries and notes have owner, tags, note and history', async () => {
    const { page } = ann;
    await ask('POST', '/v1/properties/properties', { key: 'wins', event: 'match_won', aggregate: 'count' });
    await ask('POST', '/v1/analytics/saved-queries', {
      key: 'dau',
      name: 'Daily players',
      query: { kind: 'trend', metric: 'active_players', from: '2026-01-01', to: '2026-01-07' },
    });
    await ask('POST', '/v1/analytics/annotations', { text: 'Version 2.0', at: new Date().toISOString() });
    const label = async (owner: string): Promise<void> => {
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('list', { name: 'History' }).getByText('Created').waitFor();
      await dialog.getByLabel('Owner').fill(owner);
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.getByText(`Owner: none → “${owner}”`).waitFor();
    };
    await ann.open('dictionary');
    await page.getByRole('button', { name: 'wins' }).click();
    await label('economy');
    await ann.picture('property-details');
    expect(await ann.accessibility()).toEqual([]);
    await ann.open('analytics');
    await page.getByRole('button', { name: 'Owner, tags and history of Daily players' }).click();
    await label('analysts');
    await ann.open('overview');
    await page.getByRole('button', { name: 'Owner, tags and history of Version 2.0' }).first().click();
    await label('releases');
    await ann.picture('note-details');
    expect(await ask('GET', '/v1/properties/properties/wins')).toMatchObject({ owner: 'economy', aggregate: 'count' });
    expect(await ask('GET', '/v1/analytics/saved-queries/dau')).toMatchObject({
      owner: 'analysts',
      name: 'Daily players',
    });
    expect(await ask('GET', '/v1/analytics/annotations')).toMatchObject({ annotations: [{ owner: 'releases' }] });
    expect(ann.faults).toEqual([]);
  });
});
