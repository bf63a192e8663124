import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowser, NO_BROWSER } from '../support/browser/browser.ts';
import { type ConsoleBrowser, openConsole, type Person } from '../support/browser/console-browser.ts';
import { startService, type RunningService } from '../support/servers/running-service.ts';
import { until } from '../support/until.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/wire/webhook-receiver.ts';

/*
 * A day of a live-ops manager, as one story over the screens: each test is a chapter and goes on where the one before
 * ended. The game is played over the API of game clients; everything else happens in the browser.
 */

const hasBrowser = findBrowser() !== undefined;
const PLAYERS = 12;
/** Players from this level on are veterans. */
const VETERAN = 6;
const STEP_MS = 15_000;

describe.skipIf(!hasBrowser)(`a day of a live-ops manager${hasBrowser ? '' : ` (${NO_BROWSER})`}`, () => {
  let service: RunningService;
  let receiver: WebhookReceiver;
  let browser: ConsoleBrowser | undefined;
  let ann: Person;
  let receiverIsDown = true;
  const players: string[] = [];

  beforeAll(async () => {
    receiver = await startWebhookReceiver((_, response) => {
      response.statusCode = receiverIsDown ? 500 : 200;
      response.end();
    });
    service = await startService({ WEBHOOK_ALLOW_PRIVATE_HOSTS: '127.0.0.1' });
    browser = await openConsole(service);
    if (browser === undefined) throw new Error(NO_BROWSER);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
    await receiver?.stop();
  });

  /** What the game does. */
  const play = async (path: string, body: object, key = service.keys.live.client, method = 'POST') => {
    const answer = await service.call(key, method, path, body);
    expect([200, 201], JSON.stringify(answer.body)).toContain(answer.status);
    return answer.body.data;
  };
  const sends = (player: string, name: string, properties: object = {}) =>
    play('/v1/events/events', { player_id: player, event_name: name, properties });
  const variantOf = async (player: string): Promise<unknown> =>
    (await play('/v1/flags/flags/new_shop/evaluate', { player_id: player }))['variant_key'];
  const rowsAre = (table: string, condition: string, count: number) =>
    until(`${count} rows of ${table} where ${condition}`, async () => {
      const [row] = await service.sql<{ n: string | number }>(`SELECT count() AS n FROM ${table} WHERE ${condition}`);
      return Number(row?.n ?? 0) >= count;
    });

  test('nine o’clock: Ann signs in by her link, and sees the first event of the game arrive', async () => {
    if (browser === undefined) throw new Error(NO_BROWSER);
    ann = await browser.signIn('ann@example.com', 'admin');
    ann.page.setDefaultTimeout(STEP_MS);
    const { page } = ann;
    await ann.open('start');
    await page.getByText('Waiting for the first event').waitFor();
    for (let level = 0; level < PLAYERS; level++) {
      const player = await service.player(service.keys.live.server, `player-${level}`);
      await play(`/v1/players/players/${player}`, { attributes: { level } }, service.keys.live.server, 'PATCH');
      players.push(player);
    }
    await sends(players[0] ?? '', 'level_up', { level: 1 });
    await page.getByText('The first event has arrived.').waitFor();
    await page.getByRole('link', { name: 'Watch the live events' }).click();
    await page.getByText('Connected').waitFor();
    await sends(players[1] ?? '', 'boss_beaten', { level: 2 });
    await page.getByRole('listitem').filter({ hasText: 'boss_beaten' }).waitFor();
    await ann.picture('story-live');
  });

  test('she builds a segment of veterans, and a reload in the middle loses nothing', async () => {
    const { page } = ann;
    await page
      .getByRole('navigation')
      .getByRole('link', { name: /^Segments/ })
      .click();
    await page.getByRole('heading', { level: 1, name: 'Segments' }).waitFor();
    await page.getByRole('link', { name: 'New segment' }).first().click();
    await page.getByLabel('Key', { exact: true }).fill('veterans');
    await page.getByRole('button', { name: 'Add a condition' }).click();
    await page.getByRole('combobox', { name: 'Field' }).fill('attributes.level');
    await page.keyboard.press('Escape');
    await page.getByLabel('Operator').selectOption('is at least');
    await page.getByLabel('Type of the value').selectOption('number');
    await page.getByLabel('Value', { exact: true }).fill(String(VETERAN));
    await page.getByText(`${PLAYERS - VETERAN} of ${PLAYERS} players`).waitFor();
    await page.reload();
    await page.getByText(`${PLAYERS - VETERAN} of ${PLAYERS} players`).waitFor();
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { level: 1, name: 'veterans' }).waitFor();
    await page.getByRole('row', { name: /player-11/ }).waitFor();
    await ann.picture('story-segment');
  });

  test('ten o’clock: she launches an experiment to the veterans', async () => {
    const { page } = ann;
    await ann.open('flags');
    await page.getByRole('button', { name: 'New flag' }).click();
    await page.getByLabel('Key', { exact: true }).fill('new_shop');
    await page.getByLabel('Type').selectOption('variants (text)');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'new_shop', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Add a rule' }).click();
    await page.getByLabel('Players of segment').selectOption('veterans');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('This changes LIVE of demo.').waitFor();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Turn on' }).click();
    await dialog.getByRole('button', { name: 'Turn on' }).click();
    // The page shows the change at once; the button rests until the service has it.
    await page.getByRole('button', { name: 'Turn off' }).click({ trial: true });
  });

  test('noon: the veterans have played; she sees exposures, and rolls out the winner', async () => {
    const { page } = ann;
    const got = await Promise.all(players.map(variantOf));
    expect(got.slice(0, VETERAN).every((variant) => variant === null)).toBe(true);
    // Six players may all get the same variant.
    for (const variant of got.slice(VETERAN)) expect(['a', 'b']).toContain(variant);
    for (const player of players.slice(VETERAN)) await sends(player, 'shop_opened');
    await rowsAre('flag_exposures', "flag_key = 'new_shop'", PLAYERS);
    await rowsAre('events', "event_name = 'shop_opened'", PLAYERS - VETERAN);
    await ann.open('flags/new_shop/results?metric=shop_opened');
    await page.getByText(/Sample ratio:/).waitFor();
    await page.getByRole('table', { name: 'Results for shop_opened' }).waitFor();
    await ann.picture('story-experiment');
    await page.getByRole('button', { name: 'Ship b' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Ship b' }).click();
    await dialog.waitFor({ state: 'detached' });
    const now = await Promise.all(players.slice(VETERAN).map(variantOf));
    expect(new Set(now)).toEqual(new Set(['b']));
  });

  test('two o’clock: she sends a campaign to the veterans, and sees it reach one', async () => {
    const { page } = ann;
    await ann.open('campaigns/new');
    await page.getByLabel('Name', { exact: true }).fill('Veterans’ gift');
    await page.getByRole('combobox', { name: 'Event name' }).fill('level_failed');
    await page.getByLabel('Audience').selectOption({ label: 'veterans' });
    await page.getByLabel('Title').fill('A gift');
    await page.getByLabel('Text', { exact: true }).fill('Open the shop.');
    await page.getByLabel('Holdout (%)').fill('0');
    await page.getByRole('switch', { name: 'Enabled' }).check({ force: true });
    await page.getByRole('tab', { name: 'Who gets it' }).click();
    await page.getByText(`The audience has ${PLAYERS - VETERAN} of ${PLAYERS} players`).waitFor();
    await page.getByLabel('Player id or external id').fill('player-2');
    await page.getByRole('button', { name: 'Explain' }).click();
    await page.getByText('Because: The player is not in the audience.').waitFor();
    await page.getByRole('tab', { name: 'Definition' }).click();
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { level: 1, name: 'Veterans’ gift' }).waitFor();

    const player = players.at(-1);
    const { session_id: session } = await play('/v1/bff/game/init', { player_id: player });
    const sync = (events: object[]) => play('/v1/bff/game/sync', { player_id: player, session_id: session, events });
    const { interventions }: { interventions?: { intervention_id: string }[] } = Object(
      await sync([{ event_name: 'level_failed' }]),
    );
    const properties = { intervention_id: interventions?.[0]?.intervention_id };
    await sync([{ event_name: 'intervention_shown', properties }]);
    await rowsAre('campaign_events', "event = 'shown'", 1);
    await page.getByRole('tab', { name: 'Results' }).click();
    await page
      .getByRole('table', { name: 'Funnel' })
      .getByRole('row', { name: /^Shown 1 / })
      .waitFor();
    await ann.picture('story-campaign');
  });

  test('three o’clock: an angry player writes; she sees why it got variant b', async () => {
    const { page } = ann;
    await ann.open('overview');
    await page.keyboard.press('/');
    await page.getByRole('textbox', { name: 'Jump to' }).fill('player-9');
    await page.getByRole('button', { name: /Player “player-9”/ }).click();
    await page.getByRole('link', { name: 'player-9' }).click();
    await page.getByRole('tab', { name: 'Flags' }).click();
    const row = page.getByRole('row').filter({ hasText: 'new_shop' });
    await row.getByText('veterans').first().waitFor();
    await row.getByText('Last exposed').or(row.getByText('UTC')).first().waitFor();
    await ann.picture('story-player');
  });

  test('four o’clock: a webhook failed; she sees why, and redelivers', async () => {
    const { page } = ann;
    const wanted = { name: 'crm', url: receiver.url, events: ['gift_opened'] };
    await play('/v1/integrations/webhooks', wanted, service.keys.live.server);
    await sends(players[3] ?? '', 'gift_opened');
    await rowsAre('webhook_deliveries', "outcome = 'failed'", 1);
    await ann.open('operations');
    await page.getByRole('table', { name: 'Needs attention' }).getByText('WebhooksWait').waitFor();
    await page.getByRole('link', { name: 'crm', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'crm' }).waitFor();
    await ann.picture('story-webhook-page');
    await page
      .getByRole('table', { name: 'Attempts, newest first' })
      .getByRole('button', { name: /UTC/ })
      .first()
      .click();
    const drawer = page.getByRole('dialog');
    await drawer.getByRole('region', { name: 'Request' }).getByText('gift_opened').first().waitFor();
    receiverIsDown = false;
    const before = receiver.requests.length;
    await drawer.getByRole('button', { name: 'Redeliver' }).click();
    await drawer.getByText('Queued.').waitFor();
    await until('it was delivered again', () => receiver.requests.length > before);
    await ann.picture('story-webhook');
  });

  test('five o’clock: a player asks to be forgotten; she erases it and keeps the receipt', async () => {
    const { page } = ann;
    await ann.open(`players/${players[4] ?? ''}?tab=privacy`);
    await page.getByRole('button', { name: 'Erase this player' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Type the external id of the player to confirm').fill('player-4');
    await dialog.getByRole('button', { name: /Erase/ }).click();
    await page.getByText(/Done: [\d,]+ rows were deleted/).waitFor();
    await ann.picture('story-erased');
    const gone = await service.call(service.keys.live.server, 'GET', `/v1/players/players/${players[4] ?? ''}`);
    expect(gone.status).toBe(404);
  });

  test('nothing went wrong in the browser all day, and no request left the machine', () => {
    expect(ann.faults).toEqual([]);
  });
});
