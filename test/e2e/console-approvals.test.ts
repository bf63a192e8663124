import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowser, NO_BROWSER } from '../support/browser/browser.ts';
import { type ConsoleBrowser, openConsole, type Person } from '../support/browser/console-browser.ts';
import { type RunningService, startService } from '../support/servers/running-service.ts';

/* What the console says while a change waits for a second person, and how an admin turns a flag off alone. */

const hasBrowser = findBrowser() !== undefined;

describe.skipIf(!hasBrowser)(`approvals in the console${hasBrowser ? '' : ` (${NO_BROWSER})`}`, () => {
  let service: RunningService;
  let browser: ConsoleBrowser | undefined;
  let editor: Person;
  let admin: Person;

  beforeAll(async () => {
    service = await startService();
    browser = await openConsole(service);
    if (browser === undefined) throw new Error(NO_BROWSER);
    const flag = { key: 'burning', name: 'Burning', flag_type: 'boolean', enabled: true };
    const made = await service.call(service.keys.live.server, 'POST', '/v1/flags/flags', flag);
    expect(made.status).toBe(201);
    await service.cli('games', 'set', 'demo', '--approval', 'on');
    admin = await browser.signIn('ann@example.com', 'admin');
    editor = await browser.signIn('ed@example.com', 'editor');
  });
  afterAll(async () => {
    await browser?.close();
    await service.stop();
  });

  test('a change says that it waits: in the dialog, the navigation, the flag and the list', async () => {
    const { page } = editor;
    await editor.open('flags/burning');
    await page.getByRole('button', { name: 'Turn off', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('once a second person approves it').waitFor();
    await editor.picture('approval-dialog');
    await dialog.getByRole('button', { name: 'Turn off', exact: true }).click();
    await admin.open('flags/burning');
    await admin.page.getByLabel('1 change waits', { exact: true }).waitFor();
    await admin.page.getByText('1 change waits for a second person (by ed@example.com)').waitFor();
    await admin.picture('approval-notice');
    expect(await admin.accessibility()).toEqual([]);
    await admin.open('flags');
    await admin.page.getByText('1 change waits for a second person').first().waitFor();
    expect([...admin.faults, ...editor.faults]).toEqual([]);
  });

  test('an admin turns the flag off alone, with a reason', async () => {
    const { page } = admin;
    await admin.open('flags/burning');
    await page.getByRole('button', { name: 'Turn off now' }).click();
    const dialog = page.getByRole('dialog');
    const confirm = dialog.getByRole('button', { name: 'Turn off now' });
    expect(await confirm.isDisabled()).toBe(true);
    await dialog.getByRole('textbox').fill('It charges twice.');
    await admin.picture('turn-off-now');
    await confirm.click();
    await dialog.waitFor({ state: 'detached' });
    const response = await service.call(service.keys.live.server, 'GET', '/v1/flags/flags/burning');
    expect(response.body).toMatchObject({ data: { enabled: false } });
  });

  test('a sign-out that the service refuses says so', async () => {
    const { page } = admin;
    await page.route('**/v1/console/session', (route) =>
      route.request().method() === 'DELETE' ? route.fulfill({ status: 503, body: '{}' }) : route.continue(),
    );
    await admin.open('flags');
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
    await page.getByRole('alert').getByText('The service answered 503.').waitFor();
  });
});
