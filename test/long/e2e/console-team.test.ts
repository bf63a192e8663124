import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowser, NO_BROWSER } from '../../support/browser/browser.ts';
import { type ConsoleBrowser, openConsole, type Person } from '../../support/browser/console-browser.ts';
import { type RunningService, startService } from '../../support/servers/running-service.ts';

/* Users, API keys and the audit in a real browser, against the real service. */

const hasBrowser = findBrowser() !== undefined;
const SCRIPT = '<img src=x onerror="document.title=1">';

describe.skipIf(!hasBrowser)(`the team's screens${hasBrowser ? '' : ` (${NO_BROWSER})`}`, () => {
  let service: RunningService;
  let browser: ConsoleBrowser | undefined;
  let admin: Person;
  let viewer: Person;

  beforeAll(async () => {
    service = await startService();
    browser = await openConsole(service);
    if (browser === undefined) throw new Error(NO_BROWSER);
    admin = await browser.signIn('ann@example.com', 'admin');
    viewer = await browser.signIn('vic@example.com', 'viewer');
    // Stored script in what a game's server may name.
    const flag = {
      key: 'scripted',
      name: SCRIPT,
      flag_type: 'boolean',
      enabled: false,
      description: 'javascript:alert(1)',
    };
    const made = await service.call(service.keys.live.server, 'POST', '/v1/flags/flags', flag);
    expect(made.status).toBe(201);
    const changed = { name: `${SCRIPT}!`, enabled: true };
    await service.call(service.keys.live.server, 'PATCH', '/v1/flags/flags/scripted', changed);
    const schema = { event_name: 'boss beaten/Ω', mode: 'observe', schema: { type: 'object' } };
    await service.call(service.keys.live.server, 'POST', '/v1/events/schemas', schema);
    const hook = { name: 'crm', url: 'https://crm.example.com/hook', events: ['boss_beaten'] };
    await service.call(service.keys.live.server, 'POST', '/v1/integrations/webhooks', hook);
  });
  afterAll(async () => {
    await browser?.close();
    await service.stop();
  });

  test.each(['users', 'keys', 'audit'])('%s is accessible in both schemes, and not for viewers', async (screen) => {
    await admin.open(screen);
    await admin.page.getByRole('table').waitFor();
    await admin.picture(screen);
    expect(await admin.accessibility()).toEqual([]);
    expect(admin.faults).toEqual([]);
    await viewer.page.goto(`${service.url}/console/demo/live/${screen}`);
    await viewer.page.getByText('Only admins').waitFor();
    expect(viewer.faults).toEqual([]);
  });

  test('an admin adds a user, whose link signs in, changes the role, and removes the user', async () => {
    const { page } = admin;
    await admin.open('users');
    await page.getByRole('button', { name: 'Add a user' }).click();
    await page.getByLabel('E-mail address').fill('New@Example.com');
    await page.getByLabel('Role', { exact: true }).selectOption('editor');
    await admin.picture('users-add');
    await page.getByRole('dialog').getByRole('button', { name: 'Add a user' }).click();
    const link = await page.getByRole('textbox', { name: 'One-time link' }).inputValue();
    expect(link).toContain('/console/link#cl_');
    await admin.picture('users-link');
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
    await page
      .getByRole('row', { name: /new@example\.com/ })
      .getByText('editor: demo, live and test')
      .waitFor();

    const context = await admin.page.context().browser()?.newContext();
    const other = await context?.newPage();
    await other?.goto(link);
    await other?.getByRole('button', { name: 'Sign in here' }).click();
    await other?.getByRole('navigation').waitFor();

    await page.getByRole('button', { name: 'Take the role editor: demo, live and test from new@example.com' }).click();
    await page.getByRole('button', { name: 'Take the role', exact: true }).click();
    await page.getByRole('row', { name: /new@example\.com/ }).waitFor({ state: 'detached' });
    await other?.reload();
    await other?.getByText('You have no role in any game yet.').waitFor();
    await context?.close();
    expect(admin.faults).toEqual([]);
  });

  test('the only admin of the game keeps its role', async () => {
    const { page } = admin;
    await admin.open('users');
    const row = page.getByRole('row', { name: /ann@example\.com/ });
    await row.getByRole('button', { name: 'Actions for ann@example.com' }).click();
    await page.getByRole('menuitem', { name: 'Change a role' }).waitFor();
    await page.keyboard.press('Escape');
    expect(admin.faults).toEqual([]);
  });

  test('a key is shown once, works, and is revoked', async () => {
    const { page } = admin;
    await admin.open('keys');
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByLabel('Name').fill('audit export');
    await page.getByLabel('Ends').selectOption('in 90 days');
    await page.getByLabel('audit:read').check();
    await admin.picture('keys-create');
    expect(await admin.accessibility()).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Create a key' }).click();
    const key = await page.getByLabel('API key', { exact: true }).inputValue();
    expect(key).toMatch(/^sk_live_/);
    await admin.picture('keys-made');
    expect((await service.call(key, 'GET', '/v1/audit')).status).toBe(200);
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('row', { name: /audit export.* all, audit:read / }).waitFor();
    const named = `audit export (${key.slice(0, 12)}…)`;
    await page.getByRole('button', { name: `Revoke ${named}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('button', { name: `Revoke ${named}` }).waitFor({ state: 'detached' });
    expect((await service.call(key, 'GET', '/v1/audit')).status).toBe(401);
    expect(admin.faults).toEqual([]);
  });

  test('a key with scopes is limited, and replaced by a successor with the same', async () => {
    const { page } = admin;
    await admin.open('keys');
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByLabel('Name').fill('dashboards');
    await page.getByLabel('erase:').check();
    // A client key cannot have it, so the choice goes with the kind.
    await page.getByLabel('Kind').selectOption('client');
    await page.getByLabel('read:').check();
    await page.getByLabel('Kind').selectOption('server');
    expect(await page.getByLabel('erase:').isChecked()).toBe(false);
    await page.getByRole('dialog').getByRole('button', { name: 'Create a key' }).click();
    const key = await page.getByLabel('API key', { exact: true }).inputValue();
    const statuses = async (text: string) => [
      (await service.call(text, 'GET', '/v1/flags/flags')).status,
      (await service.call(text, 'POST', '/v1/events/events', { player_id: 'p', event_name: 'e' })).status,
    ];
    expect(await statuses(key)).toEqual([200, 403]);
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();

    await page.getByRole('button', { name: `Rotate dashboards (${key.slice(0, 12)}…)` }).click();
    await page.getByLabel('The old key ends').selectOption('at once');
    await admin.picture('keys-rotate');
    expect(await admin.accessibility()).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
    const successor = await page.getByLabel('API key', { exact: true }).inputValue();
    expect(successor).not.toBe(key);
    await admin.picture('keys-successor');
    expect(await statuses(successor)).toEqual([200, 403]);
    expect((await service.call(key, 'GET', '/v1/flags/flags')).status).toBe(401);
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
    const rows = page.getByRole('row', { name: /dashboards/ });
    await rows.first().waitFor();
    expect(await rows.count()).toBe(1);
    await page.getByLabel('Show revoked and expired keys').check();
    await rows.nth(1).waitFor();
    expect(await rows.filter({ hasText: 'expired' }).count()).toBe(1);
    await admin.picture('keys-list');
    expect(await admin.accessibility()).toEqual([]);
    expect(await page.content()).not.toContain(successor);
    expect(admin.faults).toEqual([]);
  });

  test('the audit shows a change field by field, and script of a game as text', async () => {
    const { page } = admin;
    await admin.open('audit?kind=flag&key=scripted');
    await page.getByRole('button', { name: 'Show what was enabled: scripted' }).click();
    await page.getByRole('cell', { name: `"${SCRIPT.replaceAll('"', String.raw`\"`)}!"` }).waitFor();
    await admin.picture('audit-entry');
    expect(await page.title()).toContain('Audit');
    expect(await page.locator('img[src="x"]').count()).toBe(0);
    expect(await page.locator('a[href^="javascript:"]').count()).toBe(0);
    expect(await admin.accessibility()).toEqual([]);
    // The filters are in the address.
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByLabel('Person, key or account').fill('nobody@example.com');
    await page.getByText('No changes match').waitFor();
    expect(page.url()).toContain('actor=nobody%40example.com');
    // Things are named as people know them, and found by that name.
    await admin.open(`audit?key=${encodeURIComponent('boss beaten/Ω')}`);
    await page.getByRole('row', { name: /event schema boss beaten\/Ω/ }).waitFor();
    await page.getByRole('button', { name: 'Show what was created: boss beaten/Ω' }).click();
    await page.getByRole('link', { name: 'Open it' }).click();
    await page.getByRole('heading', { level: 1, name: 'boss beaten/Ω' }).waitFor();
    await admin.open('audit?kind=webhook');
    await page.getByRole('row', { name: /webhook crm \(https:\/\/crm\.example\.com\/\[hidden\]\)/ }).waitFor();
    expect(admin.faults).toEqual([]);
  });

  test('a passkey of this browser is added with a name, signs in, and is removed', async () => {
    const link = await service.cli('users', 'add', 'pat@example.com', '--role', 'viewer', '--game', 'demo');
    const token = /#(cl_\S+)/.exec(link)?.[1] ?? '';
    // Passkeys belong to a host name, and an address is none.
    const url = service.url.replace('127.0.0.1', 'localhost');
    const context = await admin.context.browser()?.newContext();
    const page = await context?.newPage();
    if (context === undefined || page === undefined) throw new Error('the browser has ended');
    const devtools = await context.newCDPSession(page);
    await devtools.send('WebAuthn.enable');
    await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    await page.goto(`${url}/console/link#${token}`);
    await page.getByRole('button', { name: 'Sign in here' }).click();
    await page.getByRole('navigation').waitFor();
    await page.goto(`${url}/console/demo/live/account`);
    await page.getByLabel('Name of the new passkey').fill(SCRIPT);
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByText('The passkey is added.').waitFor();
    await page.getByRole('button', { name: `Remove the passkey ${SCRIPT}` }).waitFor();
    await page.getByRole('button', { name: 'Your account' }).click();
    await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByRole('navigation').waitFor();
    await page.goto(`${url}/console/demo/live/account`);
    await page.getByRole('button', { name: `Remove the passkey ${SCRIPT}` }).click();
    await page.getByRole('button', { name: `Remove the passkey ${SCRIPT}` }).waitFor({ state: 'detached' });
    expect(await page.locator('img[src="x"]').count()).toBe(0);
    await context.close();
  });

  test('a live change waits until another editor approves it, with what it changes', async () => {
    await service.cli('games', 'set', 'demo', '--approval', 'on');
    const editor = await browser?.signIn('eddie@example.com', 'editor');
    if (editor === undefined) throw new Error(NO_BROWSER);
    await editor.open('flags/scripted');
    await editor.page.getByRole('button', { name: /^Turn o(n|ff)$/ }).click();
    await editor.page
      .getByRole('dialog')
      .getByRole('button', { name: /^Turn o(n|ff)$/ })
      .click();
    await editor.page.getByText('The change waits for approval.').waitFor();
    await editor.picture('approval-waits');
    await editor.page.getByRole('link', { name: 'Open Approvals' }).click();
    await editor.page.getByRole('button', { name: 'Take back' }).click();
    await editor.page.getByText('Change flag scripted: taken back. Nothing was changed.').waitFor();
    await editor.page.getByText('Nothing waits').waitFor();
    const refused = await editor.page
      .evaluate(`fetch('/v1/console/me').then((response) => response.json()).then(({ data }) =>
      fetch('/v1/flags/flags/scripted', {
        method: 'PATCH',
        headers: {
          'Content-Type': 'application/json',
          'X-CSRF-Token': data.csrf_token,
          'X-Game': 'demo',
          'X-Environment': 'live',
        },
        body: JSON.stringify({ enabled: false, description: '<img src=x>' }),
      })).then(({ status }) => status)`);
    expect(refused).toBe(409);
    await editor.open('approvals');
    await editor.page.getByText('yours: another person must approve it').waitFor();
    expect(await editor.page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
    await admin.open('approvals');
    const { page } = admin;
    const change = page.getByRole('region', { name: 'Change flag scripted' });
    await change.getByRole('cell', { name: '"<img src=x>"' }).waitFor();
    await admin.picture('approvals');
    expect(await admin.accessibility()).toEqual([]);
    await change.getByRole('button', { name: 'Approve' }).click();
    await admin.picture('approvals-ask');
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Nothing waits').waitFor();
    await page.getByText('Change flag scripted: approved. The change is made.').waitFor();
    await admin.picture('approval-approved');
    expect(await admin.accessibility()).toEqual([]);
    expect(await page.getByRole('link', { name: 'Open the flag' }).getAttribute('href')).toContain('/flags/scripted');
    const flag = await service.call(service.keys.live.server, 'GET', '/v1/flags/flags/scripted');
    expect(flag.body).toMatchObject({ data: { enabled: false } });
    await service.cli('games', 'set', 'demo', '--approval', 'off');
    expect([...admin.faults, ...editor.faults]).toEqual([]);
  });

  test('on a phone the audit and the users fit', async () => {
    await admin.page.setViewportSize({ width: 390, height: 800 });
    for (const screen of ['audit', 'users', 'keys']) {
      await admin.open(screen);
      await admin.page.getByRole('table').waitFor();
      await admin.picture(`${screen}-phone`);
      const wide = await admin.page.evaluate('document.documentElement.scrollWidth > innerWidth');
      expect([screen, wide]).toEqual([screen, false]);
    }
    await admin.page.setViewportSize({ width: 1_280, height: 860 });
  });
});
