import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowser, NO_BROWSER } from '../../support/browser/browser.ts';
import { type ConsoleBrowser, openConsole, type Person } from '../../support/browser/console-browser.ts';
import { startService, type RunningService } from '../../support/servers/running-service.ts';
import { until } from '../../support/until.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../support/wire/webhook-receiver.ts';

/* Players, webhooks, event schemas and live events in a real browser, with hostile texts of a game everywhere. */

const hasBrowser = findBrowser() !== undefined;
/** Markup, a script address and SQL. If any page took it as more than text, `hacked` would be set. */
const HOSTILE = `"><img src=x onerror="globalThis.hacked=1"><a href="javascript:hacked=1">'; DROP TABLE events; --`;
const RULE = { name: 'all', segment_id: null, value: true, percentage: 100, priority: 1 };

describe.skipIf(!hasBrowser)(`players in the console${hasBrowser ? '' : ` (${NO_BROWSER})`}`, () => {
  let service: RunningService;
  let receiver: WebhookReceiver;
  let browser: ConsoleBrowser | undefined;
  let admin: Person;
  let viewer: Person;
  /** The player whose every text is hostile, and the angry one. */
  let hostile: string;
  let angry: string;
  let hook: string;

  const ask = async (method: string, path: string, body?: unknown, key = service.keys.live.server) => {
    const answer = await service.call(key, method, path, body);
    expect([200, 201], JSON.stringify(answer.body)).toContain(answer.status);
    return answer.body.data;
  };
  const track = (player: string, name: string, properties: object) =>
    ask('POST', '/v1/events/events', { player_id: player, event_name: name, properties }, service.keys.live.client);
  const rowsOf = async (table: string, condition: string): Promise<number> => {
    const [row] = await service.sql<{ n: string | number }>(`SELECT count() AS n FROM ${table} WHERE ${condition}`);
    return Number(row?.n ?? 0);
  };
  const shop = (a: number, b: number) => ({
    key: 'shop',
    name: 'Shop',
    flag_type: 'multivariate',
    enabled: true,
    variants: [
      { key: 'a', value: 'layout_a', weight: a },
      { key: 'b', value: 'layout_b', weight: b },
    ],
    targeting_rules: [RULE],
  });

  beforeAll(async () => {
    receiver = await startWebhookReceiver((_, response) => void response.writeHead(500).end(HOSTILE));
    service = await startService({ WEBHOOK_ALLOW_PRIVATE_HOSTS: '127.0.0.1' });
    browser = await openConsole(service);
    if (browser === undefined) throw new Error(NO_BROWSER);
    admin = await browser.signIn('ann@example.com', 'admin');
    viewer = await browser.signIn('vic@example.com', 'viewer');
    await stage();
  });
  afterAll(async () => {
    await browser?.close();
    await service.stop();
    await receiver.stop();
  });

  /** What the screens show: players, a flag that changed, a failing webhook, schemas that are broken. */
  async function stage(): Promise<void> {
    const attributes = { [HOSTILE.slice(0, 60)]: HOSTILE, link: 'javascript:hacked=1' };
    const registered = { external_id: HOSTILE, device_id: `phone ${HOSTILE}`, attributes };
    hostile = String((await ask('POST', '/v1/players/players', registered))['id']);
    angry = String(
      (await ask('POST', '/v1/players/players', { external_id: 'angry-1', attributes: { level: 7 } }))['id'],
    );
    const wanted = { name: HOSTILE, url: receiver.url, events: ['boss_beaten'] };
    hook = (await ask('POST', '/v1/integrations/webhooks', wanted)).webhook_id;
    for (const [name, mode] of [
      ['boss_beaten', 'observe'],
      [HOSTILE, 'enforce'],
    ])
      await ask('POST', '/v1/events/schemas', {
        event_name: name,
        mode,
        schema: { type: 'object', properties: { level: { type: 'integer' } } },
      });
    await ask('POST', '/v1/flags/flags', shop(0, 1));
    await ask('POST', '/v1/flags/flags/shop/evaluate', { player_id: angry }, service.keys.live.client);
    await ask('PUT', '/v1/flags/flags/shop', { ...shop(1, 0), version: 1 });
    await track(hostile, 'boss_beaten', { [HOSTILE.slice(0, 60)]: HOSTILE, level: HOSTILE });
    await track(hostile, HOSTILE, { level: HOSTILE });
    await track(angry, 'boss_beaten', { level: 3 });
    await until('the rows are there', async () => {
      const rows = await Promise.all([
        rowsOf('events', "event_name = 'boss_beaten'"),
        rowsOf('quarantined_events', '1'),
        rowsOf('flag_exposures', '1'),
        rowsOf('players', "external_id = 'angry-1'"),
        rowsOf('webhook_deliveries', '1'),
      ]);
      return rows.every((count, place) => count >= (place === 0 || place === 4 ? 2 : 1));
    });
  }

  /** Whether no text of the game became markup, a link or a script. */
  async function expectOnlyText(person: Person): Promise<void> {
    const found = await person.page.evaluate(`({
      hacked: globalThis.hacked,
      images: document.querySelectorAll('img').length,
      links: [...document.querySelectorAll('a')].map(({ protocol }) => protocol).filter((each) => !/^http/.test(each)),
    })`);
    expect(found).toEqual({ hacked: undefined, images: 0, links: [] });
    expect(person.faults).toEqual([]);
  }

  const SCREENS: readonly (readonly [string, () => string])[] = [
    ['players', () => 'players'],
    ['players-find', () => `players/find/${encodeURIComponent(HOSTILE)}`],
    ['player', () => `players/${hostile}`],
    ['player-flags', () => `players/${angry}?tab=flags`],
    ['player-timeline', () => `players/${hostile}?tab=timeline`],
    ['player-campaigns', () => `players/${angry}?tab=campaigns`],
    ['player-privacy', () => `players/${angry}?tab=privacy`],
    ['webhooks', () => 'webhooks'],
    ['webhook-new', () => 'webhooks/new'],
    ['webhook', () => `webhooks/${hook}`],
    ['webhook-settings', () => `webhooks/${hook}?tab=settings`],
    ['webhook-recover', () => `webhooks/${hook}?tab=recover`],
    ['webhook-signature', () => `webhooks/${hook}?tab=signature`],
    ['schemas', () => 'schemas'],
    ['schema-new', () => 'schemas/new'],
    ['schema', () => 'schemas/of/boss_beaten'],
    ['schema-hostile', () => `schemas/of/${encodeURIComponent(HOSTILE)}`],
    ['quarantine', () => 'schemas/quarantine'],
    ['dictionary', () => 'dictionary'],
    ['dictionary-open', () => 'dictionary?event=boss_beaten'],
    ['live', () => 'events'],
  ];

  test.each(SCREENS)('%s is accessible in both schemes and shows hostile texts as texts', async (name, path) => {
    await admin.open(path());
    await admin.picture(name);
    await expectOnlyText(admin);
    expect(await admin.accessibility()).toEqual([]);
    await admin.picture(`${name}-dark`);
    await admin.page.setViewportSize({ width: 390, height: 844 });
    await admin.picture(`${name}-phone`);
    const width: number = await admin.page.evaluate('document.documentElement.scrollWidth');
    expect(width).toBeLessThanOrEqual(390);
    await admin.page.setViewportSize({ width: 1_280, height: 860 });
  });

  test('a developer sees the first event arrive, with its schema fault, and where it went', async () => {
    const { page } = admin;
    await admin.open('events');
    await page.getByText('Connected').waitFor();
    await track(hostile, 'boss_beaten', { level: HOSTILE });
    await page.getByRole('listitem').filter({ hasText: 'must be integer' }).click();
    const trace = page.getByRole('group', { name: 'Where it went' });
    await trace.getByText('Accepted').waitFor();
    await trace.getByText(/in events/).waitFor();
    await trace.getByText(/attempt 1: failed, 500/).waitFor();
    await admin.picture('event-trace');
    await expectOnlyText(admin);
  });

  test('support looks up an angry player and sees why it got variant b', async () => {
    const { page } = viewer;
    await viewer.open('players');
    await page.keyboard.press('/');
    await page.getByRole('textbox', { name: 'Jump to' }).fill('angry-1');
    await page.getByRole('button', { name: /Player “angry-1”/ }).click();
    await page.getByRole('link', { name: 'angry-1' }).click();
    await page.getByRole('tab', { name: 'Flags' }).click();
    const row = page.getByRole('row').filter({ hasText: 'shop' });
    const [got, seen, now] = [1, 2, 3].map((place) => row.getByRole('cell').nth(place));
    await got?.getByText('"layout_b"').waitFor();
    await got?.getByText('A rule for all players holds').waitFor();
    await seen?.getByText('"layout_b"').waitFor();
    await now?.getByText('"layout_a"').waitFor();
    await now?.getByText('Differs from what the player got.').waitFor();
    expect(new URL(page.url()).search).toBe('?tab=flags');
    // Looking at it changed nothing.
    const { flags } = await ask('GET', `/v1/players/players/${angry}/flags`);
    expect(flags).toMatchObject([{ served: { variant_key: 'b' }, exposures: [{ variant_key: 'b' }] }]);
  });

  test('an editor overrides a flag for a player, and removes the override', async () => {
    const { page } = admin;
    await admin.open(`players/${angry}?tab=flags`);
    const row = page.getByRole('row').filter({ hasText: 'shop' });
    await row.getByRole('button', { name: 'Override' }).click();
    await page.getByRole('dialog').getByLabel('Variant').selectOption('b');
    await page.getByRole('dialog').getByRole('button', { name: 'Override' }).click();
    await row.getByText('This player has an override').waitFor();
    await row.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await row.getByRole('button', { name: 'Override' }).waitFor();
  });

  test('an operator sees request and response of a delivery and redelivers it', async () => {
    const { page } = admin;
    await admin.open(`webhooks/${hook}`);
    const before = receiver.requests.length;
    await page
      .getByRole('table', { name: 'Attempts, newest first' })
      .getByRole('button', { name: /UTC/ })
      .first()
      .click();
    const drawer = page.getByRole('dialog');
    await drawer.getByRole('region', { name: 'Request' }).getByText('boss_beaten').first().waitFor();
    await drawer.getByRole('region', { name: 'Response' }).getByText('DROP TABLE').waitFor();
    await drawer.getByRole('button', { name: 'Redeliver' }).click();
    await drawer.getByText('Queued.').waitFor();
    await until('it was delivered again', () => receiver.requests.length > before);
    await admin.picture('delivery');
    await expectOnlyText(admin);
  });

  test('figures of a webhook that are not known are not shown as none', async () => {
    const { page } = admin;
    const unknown = page.getByRole('row').filter({ hasText: receiver.url }).getByRole('cell', { name: '—' });
    await page.route('**/v1/integrations/webhook-health', (route) => route.abort());
    await admin.open('webhooks');
    await until('four figures are not known', async () => (await unknown.count()) === 4);
    await page.unroute('**/v1/integrations/webhook-health');
    await admin.open('webhooks');
    await until('they are known', async () => (await unknown.count()) === 0);
  });

  test('an admin creates a webhook and sees its secret once', async () => {
    const { page } = admin;
    await admin.open('webhooks/new');
    await page.getByLabel('Address').fill('https://hooks.example.com/x');
    await page.getByLabel('Event kinds').first().fill('level_up');
    await page.keyboard.press('Enter');
    const typeHeaders = async (text: string): Promise<void> => {
      await page.getByRole('textbox', { name: 'Headers as JSON' }).click();
      await page.keyboard.press('ControlOrMeta+a');
      await page.keyboard.insertText(text);
    };
    await typeHeaders('{"Authorization": "Bearer hunter2"}');
    // What was typed survives a reload, except what may be secret.
    await page.reload();
    await page.getByText('You had edited the headers.').waitFor();
    expect(await page.getByLabel('Address').inputValue()).toBe('https://hooks.example.com/x');
    expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toContain('hunter2');
    await typeHeaders('{"X-Team": "economy"}');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('dialog').getByText('X-Team').first().waitFor();
    expect(await admin.accessibility()).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    const secret = page.getByText(/^whsec_/);
    await secret.waitFor();
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('heading', { level: 1, name: 'hooks.example.com' }).waitFor();
    expect(await secret.count()).toBe(0);
    expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toContain('hooks.example.com');
  });

  test('edits of a webhook survive a reload, and are merged with those of somebody else', async () => {
    const { page } = admin;
    await admin.open(`webhooks/${hook}?tab=settings`);
    await page.getByLabel('Retries').fill('2');
    await ask('PATCH', `/v1/integrations/webhooks/${hook}`, { headers: { 'X-Team': 'economy' }, name: 'theirs' });
    await page.reload();
    expect(await page.getByLabel('Retries').inputValue()).toBe('2');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').getByRole('rowheader', { name: 'name' }).waitFor();
    expect(await admin.accessibility()).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Merge into my draft' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByText(/^Saved as version/).waitFor();
    const merged = { name: 'theirs', headers: { 'X-Team': '[hidden]' }, retry_policy: { max_retries: 2 } };
    expect(await ask('GET', `/v1/integrations/webhooks/${hook}`)).toMatchObject(merged);
    // The console knows no value of a header, and yet keeps it.
    await track(angry, 'boss_beaten', {});
    await until('its header is sent', () => receiver.requests.some(({ headers }) => headers['x-team'] === 'economy'));
    await ask('PATCH', `/v1/integrations/webhooks/${hook}`, { name: HOSTILE });
    await expectOnlyText(admin);
  });

  test('a schema is tried on recent events, saved, and the quarantine replayed', async () => {
    const { page } = admin;
    await admin.open(`schemas/of/${encodeURIComponent(HOSTILE)}`);
    await page.getByRole('button', { name: 'Try on recent events' }).click();
    await page.getByText('1 of the 1 newest events would be refused.').waitFor();
    await expectOnlyText(admin);
    await page.getByLabel('Mode').selectOption('observe');
    await page.getByLabel('Description').fill('What is typed survives a reload');
    await page.reload();
    expect(await page.getByLabel('Mode').inputValue()).toBe('observe');
    expect(await page.getByLabel('Description').inputValue()).toBe('What is typed survives a reload');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await admin.open('schemas/quarantine');
    await page.getByRole('button', { name: 'Replay: all events in quarantine' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Replay' }).click();
    await page.getByText('Done: 1 replayed, 0 stay in quarantine.').waitFor();
    await expectOnlyText(admin);
  });

  test('a replay that is stopped, or left, asks for no further page and says what it did', async () => {
    const { page } = admin;
    const asked: string[] = [];
    let answer = (): void => {};
    await page.route('**/v1/events/quarantine/replay', async (route) => {
      asked.push(route.request().postData() ?? '');
      await new Promise<void>((resolve) => (answer = resolve));
      const data = { replayed: 1, failed: 0, failures: [], next_cursor: `page ${asked.length}` };
      await route.fulfill({ json: { success: true, data } });
    });
    const replay = async (): Promise<void> => {
      await page.getByRole('button', { name: 'Replay: all events in quarantine' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Replay' }).click();
    };
    const pages = (count: number) => until(`${count} pages were asked for`, () => asked.length === count);
    await admin.open('schemas/quarantine');
    await replay();
    await pages(1);
    answer();
    await pages(2);
    await page.getByRole('button', { name: 'Stop' }).click();
    answer();
    await page.getByText('Stopped: 2 replayed, 0 still faulty. The others were not tried.').waitFor();
    await replay();
    await pages(3);
    await page.getByRole('main').getByRole('link', { name: 'Event schemas' }).click();
    await page.getByRole('heading', { level: 1, name: 'Event schemas' }).waitFor();
    answer();
    await page.getByRole('link', { name: 'New schema' }).click();
    await page.getByRole('heading', { level: 1, name: 'New event schema' }).waitFor();
    expect(asked).toHaveLength(3);
    await page.unroute('**/v1/events/quarantine/replay');
  });

  test('a viewer sees no button that it may not use, and the service refuses it anyway', async () => {
    const { page } = viewer;
    await viewer.open(`players/${angry}?tab=privacy`);
    await page.getByText('Only admins export and erase players.').waitFor();
    await viewer.open(`players/${angry}?tab=flags`);
    expect(await page.getByRole('button', { name: 'Override' }).count()).toBe(0);
    await viewer.open(`webhooks/${hook}`);
    for (const name of ['Pause', 'Delete', 'Rotate the secret', 'Send a test'])
      expect(await page.getByRole('button', { name }).count(), name).toBe(0);
    await viewer.open('schemas');
    expect(await page.getByRole('link', { name: 'New schema' }).count()).toBe(0);
    const statuses = await page.evaluate(`(async () => {
      const place = { 'X-Game': 'demo', 'X-Environment': 'live' };
      const me = await (await fetch('/v1/console/me')).json();
      const headers = { ...place, 'X-CSRF-Token': me.data.csrf_token, 'Content-Type': 'application/json' };
      const send = async (method, path, body) =>
        (await fetch(path, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })).status;
      return [
        await send('DELETE', '/v1/players/players/${angry}'),
        await send('GET', '/v1/players/players/${angry}/export'),
        await send('PATCH', '/v1/integrations/webhooks/${hook}', { enabled: false }),
        await send('POST', '/v1/events/schemas/dry-run', { event_name: 'x', schema: {} }),
        await send('GET', '/v1/players/players/${angry}/flags'),
      ];
    })()`);
    expect(statuses).toEqual([403, 403, 403, 403, 200]);
  });

  test('an admin exports a player as a file', async () => {
    const { page } = admin;
    await admin.open(`players/${hostile}?tab=privacy`);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export as a file' }).click(),
    ]);
    expect(file.suggestedFilename()).toMatch(/^player-[\w.-]+\.json$/);
    const exported: { player: unknown; rows: Record<string, unknown[]> } = JSON.parse(
      readFileSync(await file.path(), 'utf8'),
    );
    expect(exported.player).toMatchObject({ id: hostile, external_id: HOSTILE });
    expect(exported.rows['events']?.length).toBeGreaterThan(0);
  });

  test('an admin erases a player by typing its id, and sees the receipt until it is done', async () => {
    const { page } = admin;
    await admin.open(`players/${hostile}?tab=privacy`);
    await page.getByRole('button', { name: 'Erase this player' }).click();
    const dialog = page.getByRole('dialog');
    const button = dialog.getByRole('button', { name: 'Erase this player' });
    await dialog.getByRole('textbox').fill('somebody else');
    expect(await button.isDisabled()).toBe(true);
    await dialog.getByRole('textbox').fill(HOSTILE);
    await button.click();
    await page.getByText('Receipt of the erasure').waitFor();
    await page.getByText(/Done: \d+ rows were deleted\./).waitFor();
    await admin.picture('receipt');
    expect(await rowsOf('events', `player_id = '${hostile}'`)).toBe(0);
    await expectOnlyText(admin);
  });
});
