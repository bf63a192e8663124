import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowser, NO_BROWSER } from '../../support/browser/browser.ts';
import { type ConsoleBrowser, openConsole, type Person } from '../../support/browser/console-browser.ts';
import { type RunningService, startService } from '../../support/servers/running-service.ts';
import { until } from '../../support/until.ts';

/* An experiment in the console, in a real browser against the real service: from a draft to a winner, and back. */

const hasBrowser = findBrowser() !== undefined;
const PLAYERS = 150;
const SPLIT = [
  { key: 'control', value: 'none', weight: 50 },
  { key: 'bundle', value: 'bundle', weight: 50 },
];

describe.skipIf(!hasBrowser)(`experiments in the console${hasBrowser ? '' : ` (${NO_BROWSER})`}`, () => {
  let service: RunningService;
  let browser: ConsoleBrowser | undefined;
  let ann: Person;
  const players: string[] = [];

  const api = async (method: string, path: string, body?: object) => {
    const answer = await service.call(service.keys.live.server, method, path, body);
    expect([200, 201], JSON.stringify(answer.body)).toContain(answer.status);
    return answer.body.data;
  };
  const EXPERIMENTS = '/v1/experiments/experiments';
  const aFlag = (key: string) =>
    api('POST', '/v1/flags/flags', {
      key,
      flag_type: 'string',
      default_value: 'none',
      variants: SPLIT,
      enabled: false,
    });
  const anExperiment = (key: string, flag: string, some: object = {}) =>
    api('POST', EXPERIMENTS, {
      key,
      flag_key: flag,
      variants: SPLIT.map(({ key: variant, weight }) => ({ key: variant, weight })),
      primary: { aggregate: 'conversion', metric: 'item_bought' },
      ...some,
    });
  /** What each player gets, by which it is exposed. */
  const evaluated = (flag: string): Promise<string[]> =>
    Promise.all(
      players.map(async (player) => {
        const path = `/v1/flags/flags/${flag}/evaluate`;
        const { body } = await service.call(service.keys.live.client, 'POST', path, { player_id: player });
        return String(body.data['variant_key']);
      }),
    );
  const exposed = (flag: string) =>
    until(`${PLAYERS} exposures of ${flag}`, async () => {
      const rows = await service.sql(`SELECT 1 FROM flag_exposures WHERE flag_key = '${flag}' AND experiment != ''`);
      return rows.length >= PLAYERS;
    });
  /** The players of a variant buy, but for every 15th; of the others every 15th does. */
  const buy = async (got: readonly string[], buyer: string): Promise<void> => {
    for (const [place, player] of players.entries()) {
      const isRare = place % 15 === 0;
      if ((got[place] === buyer) === isRare) continue;
      await api('POST', '/v1/events/events', { player_id: player, event_name: 'item_bought' });
    }
  };
  const act = async ({ page }: Person, action: string): Promise<void> => {
    await page.getByRole('button', { name: action, exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: action, exact: true }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  };

  beforeAll(async () => {
    service = await startService({ GUARDRAIL_SECONDS: '1' });
    browser = await openConsole(service);
    if (browser === undefined) throw new Error(NO_BROWSER);
    ann = await browser.signIn('ann@example.com', 'editor');
    // A guard against a hang: beside other files a page of the console has taken longer than 12 s.
    ann.page.setDefaultTimeout(30_000);
    await aFlag('shop_offer');
    for (let number = 0; number < PLAYERS; number++) {
      players.push(await service.player(service.keys.live.server, `player-${number}`));
    }
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

  test('a draft is made on a flag, with a metric, a guardrail and a plan', async () => {
    const { page } = ann;
    await ann.open('flags/shop_offer');
    await page.getByRole('link', { name: 'New experiment on this flag' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('control 50 %, bundle 50 %').waitFor();
    await dialog.getByLabel('Key').fill('offer_bundle');
    await ann.picture('experiment-new');
    expect(await ann.accessibility()).toEqual([]);
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { level: 1, name: 'offer_bundle' }).waitFor();
    await page.getByLabel('Name', { exact: true }).fill('Bundle');
    await page.getByLabel('Hypothesis').fill('A bundle sells more.');
    await page.getByRole('button', { name: 'Choose a primary metric' }).click();
    await page.getByRole('combobox', { name: 'Event to measure' }).fill('item_bought');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Add a guardrail' }).click();
    await page.getByLabel('Then').selectOption({ label: 'roll back: stop, nobody keeps a variant' });
    await page.getByLabel('Tolerated loss (%)').fill('5');
    await page.getByLabel('Smallest effect worth seeing (%)').fill('10');
    await page.getByLabel('Planned end (UTC)').fill('2036-01-01T00:00');
    // Conditions that were begun would mean everybody.
    await page.getByRole('button', { name: 'Add conditions' }).click();
    await page.getByText('The conditions are empty.').waitFor();
    expect(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Remove the conditions' }).click();
    await page.getByRole('button', { name: 'Calculate players and days' }).click();
    await page.getByText('Fewer than 100 players were active in 28 days').waitFor();
    await ann.picture('experiment-definition');
    expect(await ann.accessibility()).toEqual([]);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog.getByText('Players get nothing of it until it starts.').waitFor();
    await dialog
      .getByRole('row', { name: /guardrails/ })
      .first()
      .waitFor();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('heading', { level: 1, name: 'Bundle', exact: true }).waitFor();
    const made = await api('GET', `${EXPERIMENTS}/offer_bundle`);
    expect(made).toMatchObject({
      state: 'draft',
      hypothesis: 'A bundle sells more.',
      primary: { aggregate: 'conversion', metric: 'item_bought' },
      guardrails: [{ metric: { aggregate: 'revenue' }, worse: 'lower', margin: 0.05, action: 'roll_back' }],
      plan: { alpha: 0.05, power: 0.8, mde: 0.1, ends_at: '2036-01-01T00:00:00.000Z' },
    });
    expect(ann.faults).toEqual([]);
  });

  test('it starts, decides for players, and shows their results', async () => {
    const { page } = ann;
    await page.getByRole('tab', { name: 'Results' }).click();
    await page.getByText('The experiment has not started.').waitFor();
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/Audience: all \d+ players/).waitFor();
    await ann.picture('experiment-start');
    expect(await ann.accessibility()).toEqual([]);
    await dialog.getByRole('button', { name: 'Start', exact: true }).click();
    await page.getByText('No player has been exposed to a variant yet.').waitFor();
    // It says why nobody comes.
    await page.getByText('The flag shop_offer is off').waitFor();
    await api('PATCH', '/v1/flags/flags/shop_offer', { enabled: true });
    await ann.open('flags/shop_offer');
    await page.getByText('An experiment decides before the rules of this flag.').waitFor();
    await ann.picture('flag-of-experiment');
    expect(await ann.accessibility()).toEqual([]);
    const got = await evaluated('shop_offer');
    expect(new Set(got)).toEqual(new Set(['control', 'bundle']));
    await exposed('shop_offer');
    await buy(got, 'bundle');
    const results = async () => api('GET', `${EXPERIMENTS}/offer_bundle/results`);
    await until('the purchases count', async () => JSON.stringify(await results()).includes('"decision":"higher"'));
    await page.getByRole('link', { name: 'Bundle' }).click();
    await page.getByText('bundle is higher than control by item_bought.').waitFor();
    const table = page.getByRole('table', { name: 'Results for item_bought', exact: true });
    for (const variant of ['control', 'bundle']) {
      const count = got.filter((each) => each === variant).length;
      await table.getByRole('row', { name: new RegExp(`^${variant} (control|better) ${count} `) }).waitFor();
    }
    await page
      .getByRole('table', { name: 'Guardrails' })
      .getByRole('row', { name: /bundle.*not decided/ })
      .waitFor();
    await page.getByLabel('Measure', { exact: true }).selectOption({ label: 'Revenue per player (guardrail)' });
    await page.getByRole('table', { name: 'Results for Revenue per player' }).waitFor();
    expect(new URL(page.url()).searchParams.get('measure')).toBe('guardrail-1');
    await page.getByLabel('Measure', { exact: true }).selectOption({ label: 'item_bought (primary)' });
    await table.waitFor();
    await ann.picture('experiment-results');
    expect(await ann.accessibility()).toEqual([]);
    await ann.open('experiments?state=running&q=bundle');
    await page.getByRole('row', { name: /Bundle offer_bundle.*running.*shop_offer/ }).waitFor();
    await ann.picture('experiments');
    expect(await ann.accessibility()).toEqual([]);
    expect(ann.faults).toEqual([]);
  });

  test('other weights begin a phase, after a warning', async () => {
    const { page } = ann;
    await ann.open('experiments/offer_bundle?tab=definition');
    expect(await page.getByLabel('Mode').isDisabled()).toBe(true);
    expect(await page.getByText('Fixed since the start').count()).toBeGreaterThan(2);
    await page.getByLabel('Weight of bundle').fill('10');
    await page.getByText('Other weights begin phase 2.').waitFor();
    await ann.picture('experiment-reweight');
    expect(await ann.accessibility()).toEqual([]);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('This changes LIVE of demo.').waitFor();
    await dialog.getByText('Other weights begin phase 2.').waitFor();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('tab', { name: 'Results' }).click();
    // Players of the first phase still count, and nobody came in the second.
    await page.getByText('bundle is higher than control by item_bought.').waitFor();
    await page.getByText(/bundle is compared in phase 1\./).waitFor();
    await page.getByRole('table', { name: 'Results for item_bought, phase 2' }).waitFor();
    await page.getByLabel('Players of').selectOption({ label: 'phase 2' });
    await page.getByText('No player has been exposed to a variant yet.').waitFor();
    await ann.picture('experiment-phases');
    expect(await ann.accessibility()).toEqual([]);
    await page.getByRole('tab', { name: 'History' }).click();
    await page.getByText(/50 → 10/).waitFor();
    expect(ann.faults).toEqual([]);
  });

  test('what is not possible any more says why, and the page shows what another person did', async () => {
    const { page } = ann;
    await anExperiment('rival', 'shop_offer');
    await ann.open('experiments/rival');
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Start', exact: true }).click();
    await dialog.getByText(/The experiment `offer_bundle` is running on the flag `shop_offer`/).waitFor();
    await ann.picture('experiment-conflict');
    expect(await ann.accessibility()).toEqual([]);
    // Another version: the change is not made on what was not seen.
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Discard', exact: true }).click();
    await api('PATCH', `${EXPERIMENTS}/rival`, { hypothesis: 'Another one.' });
    await dialog.getByRole('button', { name: 'Discard', exact: true }).click();
    await dialog.getByText(/^The current version is 2;/).waitFor();
    await page.getByText('Another one.').waitFor();
    expect(await api('GET', `${EXPERIMENTS}/rival`)).toMatchObject({ state: 'draft' });
    // Another state.
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await api('POST', `${EXPERIMENTS}/rival/discard`);
    await dialog.getByRole('button', { name: 'Start', exact: true }).click();
    await dialog.getByText(/^The experiment is in the state `discarded`/).waitFor();
    await page.getByText('It was discarded as a draft, so there are no results.').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(ann.faults).toEqual([]);
  });

  test('the winner is shipped after a look at the flag, and taken back', async () => {
    const { page } = ann;
    await ann.open('experiments/offer_bundle');
    await page.getByRole('button', { name: 'Ship', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/Default serve: none → /).waitFor();
    await dialog.getByLabel('Why (optional)').fill('Sells 80 % more');
    await ann.picture('experiment-ship');
    expect(await ann.accessibility()).toEqual([]);
    await dialog.getByRole('button', { name: 'Ship', exact: true }).click();
    await page.getByText(/bundle is shipped: the flag shop_offer serves it since version \d+/).waitFor();
    await dialog.waitFor({ state: 'detached' });
    expect(new Set(await evaluated('shop_offer'))).toEqual(new Set(['bundle']));
    await ann.picture('experiment-shipped');
    expect(await ann.accessibility()).toEqual([]);
    await act(ann, 'Undo the shipping');
    await page.getByText('■ stopped').waitFor();
    expect(await api('GET', '/v1/flags/flags/shop_offer')).not.toHaveProperty('default_serve');
    await page.getByRole('tab', { name: 'History' }).click();
    await page.getByText('Why: Sells 80 % more').waitFor();
    expect(ann.faults).toEqual([]);
  });

  test('a guardrail stops an experiment by itself, and the page says what it did', async () => {
    const { page } = ann;
    await aFlag('shop_price');
    await api('PATCH', '/v1/flags/flags/shop_price', { enabled: true });
    const guardrail = {
      metric: { aggregate: 'conversion', metric: 'item_bought' },
      worse: 'lower',
      action: 'roll_back',
    };
    await anExperiment('dearer', 'shop_price', { name: 'Dearer', guardrails: [guardrail] });
    await api('POST', `${EXPERIMENTS}/dearer/start`);
    const got = await evaluated('shop_price');
    await exposed('shop_price');
    await ann.open('experiments/dearer');
    await page.getByText('▶ running').waitFor();
    await buy(got, 'control');
    await until('the guardrail has acted', async () => {
      return (await api('GET', `${EXPERIMENTS}/dearer`))['state'] === 'stopped';
    });
    await page.reload();
    await page.getByText('What guardrails did').waitFor();
    await page.getByText('The experiment was stopped: everybody got the rules of the flag.').waitFor();
    await page.getByText('bundle harms item_bought, which must not get worse.').waitFor();
    await page.getByRole('row', { name: /bundle.*! harms/ }).waitFor();
    await ann.picture('experiment-guardrail');
    expect(await ann.accessibility()).toEqual([]);
    expect(ann.faults).toEqual([]);
  });

  test('a viewer sees everything and may change nothing', async () => {
    const vic = await browser!.signIn('vic@example.com', 'viewer');
    const { page } = vic;
    const buttons = /New exp|^Start$|Pause|Resume|^Stop|Discard|Ship|Undo|Delete|Save|Add|Remove|Choose/;
    for (const screen of ['experiments', 'experiments/dearer', 'experiments/dearer?tab=definition']) {
      await vic.open(screen);
      expect(await page.getByRole('button', { name: buttons }).count(), screen).toBe(0);
    }
    await page.getByText('Calculating needs the role analyst.').waitFor();
    await vic.picture('experiment-viewer');
    expect(await vic.accessibility()).toEqual([]);
    await vic.open('flags/shop_price');
    expect(await page.getByRole('link', { name: 'New experiment on this flag' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Dearer' }).waitFor();
    expect(vic.faults).toEqual([]);
  });

  test('the screens fit a phone', async () => {
    const { page } = ann;
    await page.setViewportSize({ width: 390, height: 844 });
    for (const screen of ['experiments', 'experiments/dearer', 'experiments/offer_bundle?tab=definition']) {
      await ann.open(screen);
      await ann.picture(`phone-${screen.replaceAll(/[/?=]/g, '-')}`);
      const wide: number = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      expect(wide, screen).toBeLessThanOrEqual(0);
    }
    await page.setViewportSize({ width: 1_280, height: 860 });
  });
});
