import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowser, NO_BROWSER } from '../../support/browser/browser.ts';
import { type ConsoleBrowser, openConsole, type Person } from '../../support/browser/console-browser.ts';
import { startService, type RunningService } from '../../support/servers/running-service.ts';

/* Changes that are made later, in a real browser against the real service. */

const hasBrowser = findBrowser() !== undefined;
const FLAG = '/v1/flags/flags/shop';

describe.skipIf(!hasBrowser)(`the schedule in the console${hasBrowser ? '' : ` (${NO_BROWSER})`}`, () => {
  let service: RunningService;
  let browser: ConsoleBrowser | undefined;
  let editor: Person;
  let viewer: Person;

  const ask = async (method: string, path: string, body?: unknown) => {
    const answer = await service.call(service.keys.live.server, method, path, body);
    expect(answer.status).toBeLessThan(300);
    return answer.body.data;
  };

  beforeAll(async () => {
    service = await startService();
    await service.cli('games', 'set', 'demo', '--time-zone', 'America/Sao_Paulo');
    await ask('POST', '/v1/flags/flags', {
      key: 'shop',
      flag_type: 'boolean',
      targeting_rules: [
        { percentage: 100, value: false },
        { name: 'Payers', percentage: 5 },
      ],
    });
    browser = await openConsole(service);
    if (browser === undefined) throw new Error(NO_BROWSER);
    editor = await browser.signIn('ann@example.com', 'editor');
    viewer = await browser.signIn('vic@example.com', 'viewer');
    editor.page.setDefaultTimeout(30_000);
  }, 180_000);
  afterAll(async () => {
    await browser?.close();
    await service.stop();
  });

  test('a viewer sees that nothing is planned, and plans nothing', async () => {
    await viewer.open('flags/shop?tab=schedule');
    await viewer.page.getByText('Nothing is planned.').waitFor();
    expect(await viewer.page.getByRole('button', { name: /^Plan/ }).count()).toBe(0);
  });

  test('an editor plans a roll-out in steps, of which the first is made at once', async () => {
    const { page } = editor;
    await editor.open('flags/shop?tab=schedule');
    await page.getByRole('button', { name: 'Plan a roll-out' }).click();
    const dialog = page.getByRole('dialog', { name: 'Plan a roll-out' });
    await dialog.getByText('Rule 2 “Payers”: 5 % → 20 %').waitFor();
    await dialog.getByText('Rule 2 “Payers”: 50 % → 100 %').waitFor();
    // What is not finished cannot be planned.
    const plan = dialog.getByRole('button', { name: 'Plan it' });
    await dialog.getByLabel('Percentage').nth(1).fill('20');
    await dialog.getByText('Each step needs a higher percentage').waitFor();
    expect(await plan.isDisabled()).toBe(true);
    await dialog.getByLabel('Percentage').nth(1).fill('40');
    await dialog.getByText('Rule 2 “Payers”: 20 % → 40 %').waitFor();
    await dialog.getByLabel('Why (optional)').fill('The shop is ready für alle');
    await editor.picture('schedule-rollout');
    expect(await editor.accessibility()).toEqual([]);
    await plan.click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('· as version 2 ·').waitFor();
    await page.getByText('Roll-out of “Payers” to 40 %').waitFor();
    await page.getByText('GMT-3').first().waitFor();
    await editor.picture('schedule');
    expect(await editor.accessibility()).toEqual([]);
    expect(await ask('GET', FLAG)).toMatchObject({ version: 2, targeting_rules: [{}, { percentage: 20 }] });
    // The screen shows the version that the step made.
    await page.getByRole('tab', { name: 'History' }).click();
    await page.getByText('The shop is ready für alle').waitFor();
    await page.getByRole('tab', { name: 'Rules' }).click();
    expect(await page.getByLabel('Percentage of them').nth(1).inputValue()).toBe('20');
  });

  test('the roll-out is held with a reason, and resumed with the steps that are left', async () => {
    const { page } = editor;
    await editor.open('flags/shop?tab=schedule');
    await page.getByRole('button', { name: 'Hold the roll-out' }).click();
    const hold = page.getByRole('dialog');
    await hold.getByLabel('Why (optional)').fill('Revenue fell');
    await hold.getByRole('button', { name: 'Hold the roll-out' }).click();
    await hold.waitFor({ state: 'detached' });
    await page.getByText('Why not made: Revenue fell').first().waitFor();
    await page.getByText('Nothing is planned.').waitFor();
    await editor.picture('schedule-held');
    await page.getByRole('button', { name: 'Resume the roll-out' }).click();
    const dialog = page.getByRole('dialog', { name: 'Resume the roll-out' });
    await dialog.getByText('Rule 2 “Payers”: 20 % → 40 %').waitFor();
    expect(await dialog.getByLabel('Percentage').count()).toBe(2);
    expect(await dialog.getByLabel('Waits for').inputValue()).toBe('1');
    await dialog.getByRole('button', { name: 'Plan it' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('· as version 3 ·').waitFor();
    expect(await ask('GET', FLAG)).toMatchObject({ targeting_rules: [{}, { percentage: 40 }] });
  });

  test('a change that waits is cancelled after a confirmation', async () => {
    const { page } = editor;
    const waiting = page.getByRole('list', { name: 'Planned changes' });
    await waiting.getByRole('button', { name: 'Cancel it' }).click();
    const dialog = page.getByRole('dialog');
    await dialog
      .getByText('Rule 2 “Payers”: 50 % → 100 %')
      .or(dialog.getByText('Rule 2 “Payers”: 40 % → 100 %'))
      .waitFor();
    await dialog.getByRole('button', { name: 'Cancel it' }).click();
    await waiting.waitFor({ state: 'detached' });
    await page.getByText('cancelled').waitFor();
  });

  test('a draft is saved later, at a time of the game', async () => {
    const { page } = editor;
    await editor.open('flags/shop');
    await page.getByLabel('Description').fill('For the spring');
    await page.getByRole('button', { name: 'Save later' }).click();
    const dialog = page.getByRole('dialog', { name: 'Make these changes later' });
    await dialog.getByLabel('When (America/Sao_Paulo)').fill('2027-01-01 10:00');
    await dialog.getByText('Description: none → “For the spring”').waitFor();
    await editor.picture('schedule-later');
    expect(await editor.accessibility()).toEqual([]);
    await dialog.getByRole('button', { name: 'Plan it' }).click();
    await page.getByText('You have changes that are not saved.').waitFor({ state: 'detached' });
    await page.getByRole('tab', { name: 'Schedule' }).click();
    await page.getByText('2027-01-01 10:00:00').first().waitFor();
    const { changes } = await ask('GET', `${FLAG}/schedule`);
    expect(changes).toContainEqual(
      expect.objectContaining({ at: '2027-01-01T13:00:00.000Z', patch: { description: 'For the spring' } }),
    );
  });

  test('a segment and a campaign are turned off later', async () => {
    const { page } = editor;
    const { segment_id: segment } = await ask('POST', '/v1/segments/segments', {
      key: 's',
      conditions: { is_payer: true },
    });
    const { campaign_id: campaign } = await ask('POST', '/v1/campaigns/campaigns', {
      key: 'c',
      name: 'C',
      trigger: { event: 'lost' },
      content: { title: 'T', body: 'B', cta: 'Go' },
    });
    for (const screen of [`segments/${String(segment)}`, `campaigns/${String(campaign)}?tab=schedule`]) {
      await editor.open(screen);
      await page.getByRole('button', { name: 'Plan a change' }).click();
      const dialog = page.getByRole('dialog', { name: 'Plan a change' });
      await dialog.getByLabel('When (America/Sao_Paulo)').fill('2027-01-01 10:00');
      await dialog.getByText('Disabled').waitFor();
      await dialog.getByRole('button', { name: 'Plan it' }).click();
      await dialog.waitFor({ state: 'detached' });
      await page.getByRole('list', { name: 'Planned changes' }).getByText('Disabled').waitFor();
    }
    await editor.picture('schedule-campaign');
    expect(await editor.accessibility()).toEqual([]);
  });

  test('new values of fields are entered as JSON, and what cannot be planned says why', async () => {
    const { page } = editor;
    await editor.open('flags/shop?tab=schedule');
    await page.getByRole('button', { name: 'Plan a change' }).click();
    const dialog = page.getByRole('dialog', { name: 'Plan a change' });
    await dialog.getByLabel('What changes').selectOption('Some fields (JSON)');
    await dialog.getByLabel('When (America/Sao_Paulo)').fill('2027-02-01 10:00');
    const json = dialog.getByRole('textbox', { name: 'New values of fields' });
    await json.click();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText('{"salt": "other"}');
    await dialog.getByText('is no field that a change replaces').waitFor();
    await json.click();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText('{"note": "Ask Ann"}');
    await dialog.getByText('Note: none → “Ask Ann”').waitFor();
    await editor.picture('schedule-fields');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
  });

  test('in a game that wants a second person a plan waits, and says so', async () => {
    await service.cli('games', 'set', 'demo', '--approval', 'on');
    const { page } = editor;
    await editor.open('flags/shop?tab=schedule');
    await page.getByRole('button', { name: 'Plan a change' }).click();
    const dialog = page.getByRole('dialog', { name: 'Plan a change' });
    await dialog.getByText('A second person approves them once, with the whole plan.').waitFor();
    await dialog.getByLabel('When (America/Sao_Paulo)').fill('2027-03-01 10:00');
    await dialog.getByText('Enabled').or(dialog.getByText('Disabled')).waitFor();
    await dialog.getByRole('button', { name: 'Plan it' }).click();
    await dialog.getByText('The change waits for approval.').waitFor();
    await editor.picture('schedule-waits');
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await page.getByText('1 change waits for a second person').waitFor();
    await service.cli('games', 'set', 'demo', '--approval', 'off');
  });

  test('nothing of it was run or refused', () => {
    expect([...editor.faults, ...viewer.faults]).toEqual([]);
  });
});
