import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowser, NO_BROWSER } from '../../support/browser/browser.ts';
import { type ConsoleBrowser, openConsole, type Person } from '../../support/browser/console-browser.ts';
import { startService, type RunningService } from '../../support/servers/running-service.ts';
import { until } from '../../support/until.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../support/wire/webhook-receiver.ts';

/* Campaigns, the scoring models and the deployment in the console, in a real browser against the real service. */

const hasBrowser = findBrowser() !== undefined;
const HOSTILE = '<img src=x onerror="window.hit=1">';
const SCRIPT = 'javascript:window.hit=2';

describe.skipIf(!hasBrowser)(`campaigns in the console${hasBrowser ? '' : ` (${NO_BROWSER})`}`, () => {
  let service: RunningService;
  let browser: ConsoleBrowser | undefined;
  let receiver: WebhookReceiver;
  let admin: Person;
  let editor: Person;
  let viewer: Person;

  beforeAll(async () => {
    receiver = await startWebhookReceiver((_, response) => {
      response.statusCode = 500;
      response.end(HOSTILE);
    });
    service = await startService({ WEBHOOK_ALLOW_PRIVATE_HOSTS: '127.0.0.1' });
    browser = await openConsole(service);
    if (browser === undefined) throw new Error(NO_BROWSER);
    admin = await browser.signIn('ann@example.com', 'admin');
    editor = await browser.signIn('eve@example.com', 'editor');
    viewer = await browser.signIn('vic@example.com', 'viewer');
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
    await receiver?.stop();
  });

  const post = async (path: string, body: object, key = service.keys.live.server, method = 'POST') => {
    const answer = await service.call(key, method, path, body);
    expect([200, 201]).toContain(answer.status);
    return answer.body.data;
  };
  const aCampaign = async (some: object = {}): Promise<string> => {
    const content = { title: 'Stuck?', body: 'Here is a hint.', cta: 'Show me' };
    const made = await post('/v1/campaigns/campaigns', { trigger: { event: 'level_failed' }, content, ...some });
    return String(made['campaign_id']);
  };
  interface Message {
    intervention_id: string;
  }
  /** A session of a player; `sync` sends events and gives the messages. */
  async function playing(externalId: string) {
    const id = await service.player(service.keys.live.server, externalId);
    const opened = await post('/v1/bff/game/init', { player_id: id }, service.keys.live.client);
    const session = { player_id: id, session_id: String(opened['session_id']) };
    return {
      id,
      async sync(...events: object[]): Promise<Message[]> {
        const synced = await post('/v1/bff/game/sync', { ...session, events }, service.keys.live.client);
        const { interventions = [] }: { interventions?: Message[] } = Object(synced);
        return interventions;
      },
    };
  }
  const rows = (campaign: string, event: string, count: number) =>
    until(`${count} rows ${event} of ${campaign}`, async () => {
      const found = await service.sql<{ n: number }>(
        `SELECT toUInt32(count()) AS n FROM campaign_events WHERE campaign_id = '${campaign}' AND event = '${event}'`,
      );
      return (found[0]?.n ?? 0) >= count;
    });
  const jsonOf = (person: Person) => person.page.getByRole('textbox', { name: 'Definition as JSON' });

  test('a campaign goes to a segment, reaches a player, and its results show it', async () => {
    const segment = await post('/v1/segments/segments', {
      key: 'vips',
      name: 'VIPs',
      conditions: { 'attributes.vip': true },
    });
    const { page } = editor;
    await editor.open('campaigns');
    await page.getByText('There is no campaign yet.').waitFor();
    await page.getByRole('link', { name: 'New campaign' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Hint for VIPs');
    await page.getByRole('combobox', { name: 'Event name' }).fill('level_failed');
    await page.getByLabel('Audience').selectOption({ label: 'VIPs' });
    await page.getByLabel('Title').fill('Stuck?');
    await page.getByLabel('Text', { exact: true }).fill('Here is a hint.');
    await page.getByLabel('Holdout (%)').fill('0');
    // The JSON follows the form, and the form follows the JSON.
    await until('the JSON has the audience', async () => {
      return (await jsonOf(editor).textContent())?.includes(String(segment['segment_id']));
    });
    await editor.picture('campaign-new');
    expect(await editor.accessibility()).toEqual([]);
    await page.getByRole('button', { name: 'Create' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('This changes LIVE').waitFor();
    await editor.picture('campaign-create');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { level: 1, name: 'Hint for VIPs' }).waitFor();
    await page.getByText('paused').waitFor();
    await page.getByRole('button', { name: 'Start' }).click();
    await dialog.getByRole('button', { name: 'Start' }).click();
    await page.getByText('running').waitFor();
    const campaign = decodeURIComponent(new URL(page.url()).pathname.split('/').at(-1) ?? '');

    const vip = await playing('vip-1');
    await post(`/v1/players/players/${vip.id}`, { attributes: { vip: true } }, service.keys.live.server, 'PATCH');
    const other = await playing('nobody-1');
    expect(await other.sync({ event_name: 'level_failed' })).toEqual([]);
    const [message] = await vip.sync({ event_name: 'level_failed' });
    const properties = { intervention_id: message?.intervention_id };
    await vip.sync({ event_name: 'intervention_shown', properties }, { event_name: 'level_up' });
    await rows(campaign, 'shown', 1);
    await until('the event is a row', async () => {
      return (await service.sql(`SELECT 1 FROM events WHERE event_name = 'level_up'`)).length > 0;
    });
    await editor.open(`campaigns/${campaign}?tab=results&event=level_up&hours=24`);
    const funnel = page.getByRole('table', { name: 'Funnel' });
    for (const step of ['Triggered', 'Sent', 'Shown', 'Converted']) {
      await funnel.getByRole('row', { name: new RegExp(`^${step} 1 `) }).waitFor();
    }
    await editor.picture('campaign-results');
    expect(await editor.accessibility()).toEqual([]);
    expect(editor.faults).toEqual([]);
  });

  test('what a player would get is explained, with all reasons against it', async () => {
    const campaign = await aCampaign({ key: 'capped', name: 'Capped', caps: { total: 1 }, cooldown_seconds: 3_600 });
    const player = await playing('capped-1');
    expect(await player.sync({ event_name: 'level_failed' })).toHaveLength(1);
    await player.sync({ event_name: 'level_failed' });
    await rows(campaign, 'suppressed', 1);
    await viewer.open(`campaigns/${campaign}?tab=explain`);
    const { page } = viewer;
    await page.getByLabel('Player id or external id').fill('capped-1');
    await page.getByRole('button', { name: 'Explain' }).click();
    await page.getByText('The player would get nothing; the suppression is recorded.').waitFor();
    await page.getByText('Because: The player got all messages that the total cap allows.').waitFor();
    await page.getByRole('row', { name: /cooldown is over.*no/ }).waitFor();
    await viewer.picture('campaign-explain');
    expect(await viewer.accessibility()).toEqual([]);
    // The address names the player, so it can be shared; the reason is counted in the results.
    expect(page.url()).toContain('player=capped-1');
    await viewer.open(`campaigns/${campaign}`);
    await page.getByRole('row', { name: /^cap_total The player got all messages/ }).waitFor();
    expect(viewer.faults).toEqual([]);
  });

  test('the edits of two people are merged field by field, and odd names are said after the save', async () => {
    const campaign = await aCampaign({ key: 'contested', name: 'Contested' });
    await editor.open(`campaigns/${campaign}?tab=definition`);
    const { page } = editor;
    await page.getByLabel('Title').fill('Mine');
    await page.getByRole('combobox', { name: 'Event name' }).fill('level_faild');
    await page.reload();
    await page.getByText('You have changes that are not saved.').waitFor();
    const theirs = { name: 'Theirs', content: { title: 'Their title', body: 'Here is a hint.', cta: 'Show me' } };
    await post(`/v1/campaigns/campaigns/${campaign}`, theirs, service.keys.live.server, 'PATCH');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
    const conflict = page.getByRole('dialog', { name: /Another person saved/ });
    await conflict.getByRole('row', { name: /^name only they changed it/ }).waitFor();
    await conflict.getByRole('row', { name: /^trigger only you changed it/ }).waitFor();
    await conflict.getByRole('row', { name: /^content both changed it: choose/ }).waitFor();
    await editor.picture('campaign-conflict');
    expect(await editor.accessibility()).toEqual([]);
    await conflict.getByLabel('Take content').selectOption('Yours');
    await conflict.getByRole('button', { name: 'Merge into my draft' }).click();
    await conflict.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
    const saved = page.getByRole('status').filter({ hasText: 'Saved as version 3. Check these names:' });
    await saved.getByText(/no event named `level_faild` was received yet/).waitFor();
    await saved.getByText('If it is a typing error, correct it and save again.').waitFor();
    await editor.picture('campaign-warnings');
    expect(await editor.accessibility()).toEqual([]);
    const { body } = await service.call(service.keys.live.server, 'GET', `/v1/campaigns/campaigns/${campaign}`);
    expect(body.data).toMatchObject({ name: 'Theirs', trigger: { event: 'level_faild' }, content: { title: 'Mine' } });
  });

  test('a start on an old version is undone, and says why', async () => {
    const campaign = await aCampaign({ key: 'raced', name: 'Raced', enabled: false });
    await editor.open(`campaigns/${campaign}`);
    const { page } = editor;
    await page.getByText('paused').waitFor();
    await post(`/v1/campaigns/campaigns/${campaign}`, { name: 'Raced by Bob' }, service.keys.live.server, 'PATCH');
    // Until the service answers, the screen shows the campaign as started.
    const gate = Promise.withResolvers<void>();
    await page.route(`**/v1/campaigns/campaigns/${campaign}`, async (route) => {
      if (route.request().method() === 'PATCH') await gate.promise;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Start' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Start' }).click();
    await page.getByText('running').waitFor();
    gate.resolve();
    const undone = page.getByRole('alert').filter({ hasText: 'The change failed and was undone: Start “Raced”' });
    await undone.getByText(/version/).waitFor();
    await page.getByText('paused').waitFor();
    await page.getByRole('heading', { level: 1, name: 'Raced by Bob' }).waitFor();
    await editor.picture('campaign-undone');
    expect(await editor.accessibility()).toEqual([]);
    await undone.getByRole('button', { name: 'Close' }).click();
    await undone.waitFor({ state: 'detached' });
    await page.unroute(`**/v1/campaigns/campaigns/${campaign}`);
  });

  test('a viewer sees no buttons, and the service refuses the requests behind them', async () => {
    const campaign = await aCampaign({ key: 'looked_at', name: 'Looked at' });
    await viewer.open(`campaigns/${campaign}?tab=definition`);
    const { page } = viewer;
    await jsonOf(viewer).waitFor();
    for (const name of ['Start', 'Pause', 'Archive', 'Save', 'Create']) {
      expect(await page.getByRole('button', { name, exact: true }).count(), name).toBe(0);
    }
    const status: number = await page.evaluate(`fetch('/v1/console/me').then((me) => me.json()).then(({ data }) =>
      fetch('/v1/campaigns/campaigns/${campaign}', { method: 'PATCH', body: '{"enabled":false}', headers: {
        'Content-Type': 'application/json', 'X-Game': 'demo', 'X-Environment': 'live',
        'X-CSRF-Token': data.csrf_token } })).then(({ status }) => status)`);
    expect(status).toBe(403);
    await viewer.open('operations');
    await page.getByText('This needs the role admin').waitFor();
    expect(await page.getByRole('link', { name: /Operations/ }).count()).toBe(0);
  });

  test('texts of games are shown as texts, on the list, the calendar and the message', async () => {
    const at = new Date(Date.now() + 86_400_000).toISOString();
    const campaign = await aCampaign({
      key: 'hostile',
      name: HOSTILE,
      trigger: { schedule: { at } },
      content: { title: HOSTILE, body: SCRIPT, cta: SCRIPT },
    });
    const { page } = editor;
    for (const screen of [
      'campaigns',
      `campaigns?view=calendar&month=${at.slice(0, 7)}`,
      `campaigns/${campaign}?tab=definition`,
    ]) {
      await editor.open(screen);
      await page.getByText(HOSTILE).first().waitFor();
      expect(await page.locator('img, a[href^="javascript:"]').count(), screen).toBe(0);
    }
    await editor.open(`campaigns?view=calendar&month=${at.slice(0, 7)}`);
    await editor.picture('campaigns-calendar');
    expect(await editor.accessibility()).toEqual([]);
    await editor.open('campaigns');
    await editor.picture('campaigns');
    expect(await editor.accessibility()).toEqual([]);
    expect(await page.evaluate('window.hit')).toBeUndefined();
    expect(editor.faults).toEqual([]);
  });

  test('a campaign is archived, and its results stay', async () => {
    const campaign = await aCampaign({ key: 'old', name: 'Old' });
    const player = await playing('old-1');
    await player.sync({ event_name: 'level_failed' });
    await rows(campaign, 'offered', 1);
    await editor.open(`campaigns/${campaign}`);
    const { page } = editor;
    await page.getByRole('button', { name: 'Archive' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click();
    await page.getByRole('heading', { level: 1, name: 'Campaigns' }).waitFor();
    await editor.open(`campaigns/${campaign}`);
    await page.getByText('This campaign does not exist any more.').waitFor();
    await page
      .getByRole('table', { name: 'Funnel' })
      .getByRole('row', { name: /^Sent 1 / })
      .waitFor();
  });

  test('operations show a webhook that fails, with what to do about it', async () => {
    await post('/v1/integrations/webhooks', {
      name: HOSTILE,
      url: receiver.url,
      events: ['level_lost'],
    });
    const player = await service.player(service.keys.live.server, 'lost-1');
    await post('/v1/events/events', { player_id: player, event_name: 'level_lost' }, service.keys.live.client);
    await until('the failure is a row', async () => {
      return (await service.sql(`SELECT 1 FROM webhook_deliveries WHERE outcome = 'failed'`)).length > 0;
    });
    await admin.open('operations');
    const { page } = admin;
    const findings = page.getByRole('table', { name: 'Needs attention' });
    await findings.getByRole('link', { name: HOSTILE }).waitFor();
    await page.getByRole('link', { name: HOSTILE, exact: true }).waitFor();
    await page.getByRole('table', { name: 'Partitions' }).getByRole('row').nth(1).waitFor();
    await admin.picture('operations');
    expect(await admin.accessibility()).toEqual([]);
    await findings.getByRole('button', { name: 'Runbook: WebhooksWait' }).click();
    await page.getByRole('dialog').getByText('Deliveries of a webhook are older than 15 minutes.').waitFor();
    expect(page.url()).toContain('runbook=WebhooksWait');
    await admin.picture('operations-runbook');
    expect(await admin.accessibility()).toEqual([]);
    expect(await page.locator('img').count()).toBe(0);
    expect(admin.faults).toEqual([]);
  });

  test('the scoring screen shows the model, and its scores as charts with tables', async () => {
    for (let n = 0; n < 40; n++) {
      await service.call(service.keys.live.client, 'POST', '/v1/scoring/first-user-conversion', {
        device_id: `device-${n}`,
        match_wins: n % 7,
        vpay_count: n,
        sess_duration_total: 60 * n,
      });
    }
    await until('the scores are rows', async () => (await service.sql('SELECT 1 FROM scores')).length >= 40);
    await viewer.open('scoring');
    const { page } = viewer;
    await page.getByRole('region', { name: 'Champion' }).getByText('first-user-conversion').waitFor();
    await page.getByRole('table', { name: 'Scores by day' }).getByRole('row').nth(1).waitFor();
    await page.getByRole('button', { name: 'Show the distribution of match_wins' }).click();
    await page.getByRole('img', { name: 'Distribution of match_wins' }).waitFor();
    expect(page.url()).toContain('input=match_wins');
    await viewer.picture('scoring');
    expect(await viewer.accessibility()).toEqual([]);
    expect(viewer.faults).toEqual([]);
  });

  test('the screens fit a phone', async () => {
    const { page } = admin;
    await page.setViewportSize({ width: 390, height: 844 });
    for (const screen of ['campaigns', 'scoring', 'operations', 'campaigns/new']) {
      await admin.open(screen);
      await admin.picture(`phone-${screen.replace('/', '-')}`);
      const overflow: number = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
      expect(overflow, screen).toBeLessThanOrEqual(0);
    }
    await page.setViewportSize({ width: 1_280, height: 860 });
  });
});
