import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowser, NO_BROWSER } from '../../support/browser/browser.ts';
import { type ConsoleBrowser, openConsole, type Person } from '../../support/browser/console-browser.ts';
import { startService, type RunningService } from '../../support/servers/running-service.ts';

/* The history of definitions in a real browser against the real service. */

const hasBrowser = findBrowser() !== undefined;
const HOSTILE = `<img src=x onerror="globalThis.hacked=1"> für 20 %`;
const FLAG = '/v1/flags/flags/shop';

describe.skipIf(!hasBrowser)(`history in the console${hasBrowser ? '' : ` (${NO_BROWSER})`}`, () => {
  let service: RunningService;
  let browser: ConsoleBrowser | undefined;
  let editor: Person;
  let viewer: Person;

  const ask = async (method: string, path: string, body: unknown, why = '') => {
    const headers = why === '' ? {} : { 'X-Change-Reason': encodeURIComponent(why) };
    const answer = await service.call(service.keys.live.server, method, path, body, headers);
    expect(answer.status).toBeLessThan(300);
    return answer.body.data;
  };
  const rules = (percentage: number) => ({ targeting_rules: [{ percentage }] });

  beforeAll(async () => {
    service = await startService();
    await ask('POST', '/v1/flags/flags', { key: 'shop', flag_type: 'boolean', enabled: true, ...rules(20) });
    await ask('PATCH', FLAG, rules(100), HOSTILE);
    browser = await openConsole(service);
    if (browser === undefined) throw new Error(NO_BROWSER);
    editor = await browser.signIn('ann@example.com', 'editor');
    viewer = await browser.signIn('vic@example.com', 'viewer');
  }, 180_000);
  afterAll(async () => {
    await browser?.close();
    await service.stop();
  });

  test('a viewer sees who changed what and why, and cannot restore', async () => {
    const { page } = viewer;
    await viewer.open('flags/shop?tab=history');
    await page.getByText('Rule 1: 20 % → 100 %').waitFor();
    await page.getByText(`Why: ${HOSTILE}`).waitFor();
    await page.getByText('Created').waitFor();
    expect(await page.getByRole('button', { name: 'Restore' }).count()).toBe(0);
    expect(await viewer.accessibility()).toEqual([]);
  });

  test('an editor sees what a restoration would change, and restores a version', async () => {
    const { page } = editor;
    await editor.open('flags/shop?tab=history');
    await page.getByRole('button', { name: 'Restore' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Rule 1: 100 % → 20 %').waitFor();
    await dialog.getByRole('textbox', { name: 'Why (optional)' }).fill('Complaints');
    await editor.picture('history-restore');
    await dialog.getByRole('button', { name: 'Restore' }).click();
    await page.getByText('Saved as version 3').waitFor();
    await page.getByText('Why: Complaints').waitFor();
    await editor.picture('history');
    expect(await ask('GET', FLAG, undefined)).toMatchObject({ version: 3, targeting_rules: [{ percentage: 20 }] });
    expect(await editor.accessibility()).toEqual([]);
  });

  test('a game that asks why asks in the console, and the change goes on or is left', async () => {
    await service.cli('games', 'set', 'demo', '--change-reason', 'on');
    const { page } = editor;
    await editor.open('flags/shop');
    const turnOff = async () => {
      await page.getByRole('button', { name: 'Turn off', exact: true }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Turn off', exact: true }).click();
    };
    await turnOff();
    const asked = page.getByRole('dialog', { name: 'Why do you change this?' });
    await asked.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('this game asks why').waitFor();
    expect(await ask('GET', FLAG, undefined)).toMatchObject({ enabled: true });
    await editor.open('flags/shop');
    await turnOff();
    await asked.getByRole('textbox', { name: 'Reason' }).fill('It charges twice');
    await editor.picture('history-why');
    await asked.getByRole('button', { name: 'Go on' }).click();
    await asked.waitFor({ state: 'detached' });
    await editor.open('flags/shop?tab=history');
    await page.getByText('Why: It charges twice').waitFor();
    await page.getByText('Disabled').waitFor();
    await service.cli('games', 'set', 'demo', '--change-reason', 'off');
  });

  test('a restoration that waits says what it would change, and why, to whoever approves it', async () => {
    await service.cli('games', 'set', 'demo', '--approval', 'on');
    const { page } = editor;
    await editor.open('flags/shop?tab=history');
    await page.getByRole('button', { name: 'Restore' }).nth(1).click();
    const dialog = page.getByRole('dialog', { name: 'Restore version 2' });
    await dialog.getByText('Rule 1: 20 % → 100 %').waitFor();
    await dialog.getByRole('textbox').fill('Undo');
    await dialog.getByRole('button', { name: 'Restore' }).click();
    await dialog.getByText('waits').first().waitFor();
    await viewer.open('approvals');
    await viewer.page.getByRole('heading', { name: 'Restore flag shop' }).waitFor();
    await viewer.page.getByText('Why: Undo').waitFor();
    await viewer.page.getByText('Rule 1: 20 % → 100 %').waitFor();
    await viewer.picture('history-approval');
    await service.cli('games', 'set', 'demo', '--approval', 'off');
  });

  test('segments, campaigns, webhooks, schemas and settings have their history', async () => {
    const segment = await ask('POST', '/v1/segments/segments', { key: 's', conditions: { is_payer: true } });
    const campaign = await ask('POST', '/v1/campaigns/campaigns', {
      key: 'c',
      name: 'C',
      trigger: { event: 'lost' },
      content: { title: 'T', body: 'B', cta: 'Go' },
    });
    const webhook = await ask('POST', '/v1/integrations/webhooks', {
      name: 'H',
      url: 'https://a.example/x',
      events: ['*'],
    });
    await ask('POST', '/v1/events/schemas', { event_name: 'boss/ü', schema: { type: 'object' } });
    for (const screen of [
      `segments/${String(segment['segment_id'])}`,
      `campaigns/${String(campaign['campaign_id'])}?tab=history`,
      `webhooks/${webhook.webhook_id}?tab=history`,
      `schemas/of/${encodeURIComponent('boss/ü')}`,
    ]) {
      await editor.open(screen);
      await editor.page.getByRole('list', { name: 'History' }).getByText('Created').waitFor();
    }
    await editor.open('settings');
    await editor.page.getByRole('list', { name: 'History' }).getByText('Approval: yes → no').waitFor();
    await editor.picture('history-settings');
  });

  test('nothing of it was run or refused', () => {
    expect([...editor.faults, ...viewer.faults]).toEqual([]);
  });
});
