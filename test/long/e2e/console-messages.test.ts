import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowser, NO_BROWSER } from '../../support/browser/browser.ts';
import { type ConsoleBrowser, openConsole, type Person } from '../../support/browser/console-browser.ts';
import { startService, type RunningService } from '../../support/servers/running-service.ts';
import { until } from '../../support/until.ts';

/* Messages of campaigns in the console: languages, buttons, data and variants, in a real browser. */

const hasBrowser = findBrowser() !== undefined;
const HOSTILE = '<img src=x onerror="window.hit=1">';

describe.skipIf(!hasBrowser)(`messages in the console${hasBrowser ? '' : ` (${NO_BROWSER})`}`, () => {
  let service: RunningService;
  let browser: ConsoleBrowser | undefined;
  let editor: Person;

  beforeAll(async () => {
    service = await startService();
    browser = await openConsole(service);
    if (browser === undefined) throw new Error(NO_BROWSER);
    editor = await browser.signIn('eve@example.com', 'editor');
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

  const call = async (path: string, body?: object, key = service.keys.live.server, method = 'POST') => {
    const answer = await service.call(key, method, path, body);
    expect([200, 201]).toContain(answer.status);
    return answer.body.data;
  };
  const stored = async (id: string): Promise<Record<string, unknown>> =>
    Object(await call(`/v1/campaigns/campaigns/${id}`, undefined, service.keys.live.server, 'GET'));

  test('a message with languages, buttons, data and two variants is written, tested and shipped', async () => {
    const { page } = editor;
    await editor.open('campaigns/new?tab=definition');
    await page.getByLabel('Name', { exact: true }).fill('Gift');
    await page.getByRole('combobox', { name: 'Event name' }).fill('boss_won');
    await page.getByLabel('Title').fill('Hi {{attributes.name|player}}');
    await page.getByLabel('Text', { exact: true }).fill(`A gift for you. ${HOSTILE}`);
    await page.getByLabel('Deep link').fill('game://gifts');
    await page.getByLabel('Picture').fill('https://cdn.example/gift.png');
    await page.getByLabel('Data for the game (JSON)').fill('{"coins": 5}');
    await page.getByRole('button', { name: 'Add a button' }).click();
    const button = page.getByRole('group', { name: 'Extra button 1' });
    await button.getByLabel('Id', { exact: true }).fill('take');
    await button.getByLabel('Label', { exact: true }).fill('Take it');
    await button.getByLabel('Action', { exact: true }).fill('game://gifts/1');
    const preview = page.getByRole('region', { name: 'Preview of the message' });
    await preview.getByText('Hi player').waitFor();
    await preview.getByText('Take it').waitFor();
    await preview.getByText(HOSTILE).waitFor();

    await page.getByLabel('New language').fill('de');
    await page.getByRole('button', { name: 'Add it' }).click();
    await page.getByLabel('Title').fill('Hallo {{attributes.name|du}}');
    await page.getByLabel('Label of take').fill('Nehmen');
    await preview.getByText('Hallo du').waitFor();
    await preview.getByText('Nehmen').waitFor();
    await editor.picture('message-language');
    expect(await editor.accessibility()).toEqual([]);

    await page.getByRole('button', { name: 'Test variants' }).click();
    await page.getByLabel('Language', { exact: true }).selectOption({ label: 'all others' });
    await page.getByLabel('Title').fill('Another title');
    await page.getByLabel('Weight', { exact: true }).fill('3');
    await preview.getByText('Another title').waitFor();
    await page.getByText('75 % of players').waitFor();
    await editor.picture('message-variants');
    expect(await editor.accessibility()).toEqual([]);
    await page.getByText('control', { exact: true }).click();
    await preview.getByText('Hi player').waitFor();

    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { level: 1, name: 'Gift' }).waitFor();
    const id = decodeURIComponent(new URL(page.url()).pathname.split('/').at(-1) ?? '');
    const content = {
      title: 'Hi {{attributes.name|player}}',
      deep_link: 'game://gifts',
      data: { coins: 5 },
      buttons: [{ id: 'take', label: 'Take it', action: 'game://gifts/1' }],
      locales: { de: { title: 'Hallo {{attributes.name|du}}', button_labels: { take: 'Nehmen' } } },
    };
    expect(await stored(id)).toMatchObject({
      content,
      variants: [
        { key: 'control', weight: 1 },
        { key: 'b', weight: 3, content: { ...content, title: 'Another title' } },
      ],
    });

    await editor.open(`campaigns/${id}?tab=definition`);
    await page.getByText('b', { exact: true }).click();
    await page.getByRole('button', { name: 'Ship b to all' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await editor.picture('message-ship');
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await until('the winner is shipped', async () => (await stored(id))['variants'] === null);
    expect(await stored(id)).toMatchObject({ content: { title: 'Another title' }, tested: { since: 1 } });
    await editor.open(`campaigns/${id}?tab=history`);
    await page.getByText('Variant “b” removed').first().waitFor();
    await page.getByText('Content, title: “Hi {{attributes.name|player}}” → “Another title”').first().waitFor();
    expect(await page.evaluate('window.hit')).toBeUndefined();
    expect(editor.faults).toEqual([]);
  });

  test('a fault names its place, and nothing is stored', async () => {
    const { page } = editor;
    await editor.open('campaigns/new?tab=definition');
    await page.getByLabel('Name', { exact: true }).fill('Faulty');
    await page.getByRole('combobox', { name: 'Event name' }).fill('boss_won');
    await page.getByLabel('Title').fill('Hi {{attributes.name}}');
    await page.getByLabel('Text', { exact: true }).fill('x');
    await page.getByRole('button', { name: 'Create' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog
      .getByText(/content\/title.*without a default/)
      .first()
      .waitFor();
    await editor.picture('message-fault');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
  });

  test('results compare the variants and count clicks by button, and an explanation has the message', async () => {
    const variants = [
      { key: 'plain', weight: 1 },
      { key: 'gift', weight: 1, content: { title: 'A gift', body: 'x', buttons: [{ id: 'take', label: 'Take' }] } },
    ];
    const content = { title: 'Plain', body: 'x', cta: 'OK', locales: { de: { title: 'Schlicht' } } };
    const made = await call('/v1/campaigns/campaigns', { key: 'won', trigger: { event: 'won' }, content, variants });
    const id = String(made['campaign_id']);
    for (let n = 0; n < 16; n++) {
      const player = await service.player(service.keys.live.server, `player-${n}`);
      const init = { player_id: player, device_info: { locale: 'de-AT' } };
      const opened = await call('/v1/bff/game/init', init, service.keys.live.client);
      const session = { player_id: player, session_id: String(opened['session_id']) };
      const sync = (events: object[]) => call('/v1/bff/game/sync', { ...session, events }, service.keys.live.client);
      const { interventions = [] }: { interventions?: { intervention_id: string; variant: string }[] } = Object(
        await sync([{ event_name: 'won' }]),
      );
      const [message] = interventions;
      const clicked = message?.variant === 'gift' ? { button_id: 'take' } : {};
      const event_name = n % 3 === 0 ? 'intervention_dismissed' : 'intervention_clicked';
      await sync([{ event_name, properties: { intervention_id: message?.intervention_id, ...clicked } }]);
    }
    await until('all is in ClickHouse', async () => {
      const rows = await service.sql(
        `SELECT 1 FROM campaign_events WHERE campaign_id = '${id}' AND event IN ('clicked', 'dismissed')`,
      );
      return rows.length === 16;
    });
    const { page } = editor;
    await editor.open(`campaigns/${id}?tab=results`);
    await page.getByRole('table', { name: 'Variants compared' }).getByRole('row').nth(1).waitFor();
    await page
      .getByRole('table', { name: 'Clicks by button' })
      .getByRole('row', { name: /^take gift / })
      .waitFor();
    await page
      .getByRole('table', { name: 'Funnel' })
      .getByRole('row', { name: /^Dismissed 6 6 / })
      .waitFor();
    await editor.picture('message-results');
    expect(await editor.accessibility()).toEqual([]);
    await editor.open(`campaigns/${id}?tab=explain`);
    await page.getByLabel('Player id or external id').fill('player-1');
    await page.getByRole('button', { name: 'Explain' }).click();
    await page.getByText(/^Variant (plain|gift)/).waitFor();
    await editor.picture('message-explain');
    expect(editor.faults).toEqual([]);
  });

  test('the form fits a phone', async () => {
    const { page } = editor;
    await page.setViewportSize({ width: 390, height: 844 });
    await editor.open('campaigns/new?tab=definition');
    await page.getByRole('button', { name: 'Test variants' }).click();
    await page.getByRole('button', { name: 'Add a button' }).click();
    await editor.picture('message-phone');
    const overflow: number = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
    expect(overflow).toBeLessThanOrEqual(0);
  });
});
