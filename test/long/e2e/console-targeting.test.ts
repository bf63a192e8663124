import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowser, NO_BROWSER } from '../../support/browser/browser.ts';
import { type ConsoleBrowser, openConsole, type Person } from '../../support/browser/console-browser.ts';
import { startService, type RunningService } from '../../support/servers/running-service.ts';
import { until } from '../../support/until.ts';

/* Segments, flags and experiments in a real browser, against the real service: from a condition to a winner. */

const hasBrowser = findBrowser() !== undefined;
const PLAYERS = 20;
/** A game may send any text. It stays text. */
const EVIL = '<img src=x onerror="alert(1)">';

describe.skipIf(!hasBrowser)(`targeting in the console${hasBrowser ? '' : ` (${NO_BROWSER})`}`, () => {
  let service: RunningService;
  let browser: ConsoleBrowser | undefined;
  let ann: Person;
  const players: string[] = [];

  const api = (method: string, path: string, body?: unknown) =>
    service.call(service.keys.live.server, method, path, body);
  const evaluate = async (player: string): Promise<unknown> => {
    const { body } = await service.call(service.keys.live.client, 'POST', '/v1/flags/flags/new_shop/evaluate', {
      player_id: player,
    });
    return body.data.variant_key;
  };

  beforeAll(async () => {
    service = await startService();
    browser = await openConsole(service);
    if (browser === undefined) throw new Error(NO_BROWSER);
    ann = await browser.signIn('ann@example.com', 'editor');
    // A guard against a hang: beside other files a page of the console has taken longer than 12 s.
    ann.page.setDefaultTimeout(30_000);
    for (let number = 0; number < PLAYERS; number++) {
      const id = await service.player(service.keys.live.server, number === PLAYERS - 1 ? EVIL : `player-${number}`);
      await api('PATCH', `/v1/players/players/${id}`, { attributes: { level: number, nick: EVIL } });
      players.push(id);
    }
  });
  afterAll(async () => {
    await browser?.close();
    await service.stop();
  });

  test('a segment is built, and its size follows while one types', async () => {
    const { page } = ann;
    await ann.open('segments');
    await page.getByText('There is no segment yet.').waitFor();
    await ann.picture('segments-empty');
    await page.getByRole('link', { name: 'New segment' }).first().click();
    await page.getByLabel('Key', { exact: true }).fill('veterans');
    // What is not finished cannot be saved: it would mean all players. They are chosen on purpose.
    const create = page.getByRole('button', { name: 'Create' });
    expect(await create.isDisabled()).toBe(true);
    const everybody = page.getByRole('checkbox', { name: 'All players' });
    await everybody.check();
    await page.getByText('20 of 20 players').waitFor();
    expect(await create.isDisabled()).toBe(false);
    await page.getByRole('button', { name: 'Add a count of events' }).click();
    const unfinished = page.getByRole('alert').filter({ hasText: 'The condition is not finished' });
    await unfinished.getByText('Event › its name').waitFor();
    await ann.picture('segment-unfinished');
    expect([await create.isDisabled(), await everybody.count()]).toEqual([true, 0]);
    await page.getByRole('button', { name: /^Remove/ }).click();
    await page.getByRole('button', { name: 'Add a condition' }).click();
    await unfinished.getByText('a field that is not chosen').waitFor();
    await page.getByRole('combobox', { name: 'Field' }).fill('attributes.level');
    await page.keyboard.press('Escape');
    await page.getByLabel('Operator').selectOption('is at least');
    await page.getByLabel('Type of the value').selectOption('number');
    await page.getByLabel('Value', { exact: true }).fill('10');
    await page.getByText('10 of 20 players').waitFor();
    // The draft survives a reload in the middle of the edit.
    await page.reload();
    await page.getByText('10 of 20 players').waitFor();
    expect(await page.getByLabel('Key', { exact: true }).inputValue()).toBe('veterans');
    await ann.picture('segment-new');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'veterans', level: 1 }).waitFor();
    await page.getByRole('row', { name: /player-15/ }).waitFor();
    // A player that does not fit, with the part that fails.
    await page.getByLabel('Player id or external id').fill('player-4');
    await page.getByRole('button', { name: 'Test', exact: true }).click();
    await page.getByText('The player does not meet the condition.').waitFor();
    await ann.picture('segment');
    expect(await ann.accessibility()).toEqual([]);
    expect(ann.faults).toEqual([]);
  });

  test('the builder and the JSON stay in step, and neither loses a part', async () => {
    const { page } = ann;
    await page.getByText('Builder + JSON').click();
    const json = page.getByRole('textbox', { name: 'Conditions (JSON)' });
    await json.waitFor();
    await json.click();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText('{"attributes.level":{"$gte":10,"$lt":15},"attributes.x":{"$above":1}}');
    await page.getByText('The builder cannot show this part.').waitFor();
    const values = page.getByRole('textbox', { name: 'Value', exact: true });
    expect(await values.count()).toBe(2);
    await values.nth(1).fill('16');
    await until('the JSON has both conditions and the unknown part', async () => {
      const text = (await json.textContent()) ?? '';
      return text.includes('16') && text.includes('"$gte": 10') && text.includes('$above');
    });
    await json.click();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText('{"a": }');
    await page.getByText(/Line 1, column/).waitFor();
    await ann.picture('segment-json');
    expect(await ann.accessibility()).toEqual([]);
    await page.getByRole('button', { name: 'Discard changes' }).click();
    expect(ann.faults).toEqual([]);
  });

  test('a flag splits the segment, after a look at what changes in live', async () => {
    const { page } = ann;
    await ann.open('flags');
    await page.getByRole('button', { name: 'New flag' }).click();
    await page.getByLabel('Key', { exact: true }).fill('new_shop');
    await page.getByLabel('Type').selectOption('variants (text)');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'new_shop', level: 1 }).waitFor();
    await page.getByLabel('Value', { exact: true }).last().fill(EVIL);
    await page.getByRole('button', { name: 'Add a rule' }).click();
    await page.getByLabel('Players of segment').selectOption('veterans');
    await ann.picture('flag-draft');
    expect(await ann.accessibility()).toEqual([]);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('This changes LIVE of demo.').waitFor();
    await dialog.getByRole('row', { name: /targeting_rules/ }).waitFor();
    await ann.picture('flag-confirm');
    expect(await ann.accessibility()).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Turn on' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Turn on' }).click();
    await page.getByRole('button', { name: 'Turn off' }).waitFor();
    const served = await Promise.all(players.map(evaluate));
    expect(served.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => null));
    expect(new Set(served.slice(10))).toEqual(new Set(['a', 'b']));
    expect(ann.faults).toEqual([]);
  });

  test('the playground says why a player gets a variant, and names what the player got', async () => {
    const { page } = ann;
    await ann.open('flags/new_shop?tab=playground&player=player-15');
    await page.getByText('Rule 1: includes the player and decides.').waitFor();
    await page.getByText(/By weight, place [\d.]+ of 100 falls to variant/).waitFor();
    await ann.picture('playground');
    expect(await ann.accessibility()).toEqual([]);
    await page.getByLabel('Player id or external id').fill('player-3');
    await page.getByRole('button', { name: 'Explain' }).click();
    await page.getByText('Rule 1: the player is not in the segment.').waitFor();
    expect(new URL(page.url()).searchParams.get('player')).toBe('player-3');
    // Looking is no exposure.
    const { body } = await api('POST', '/v1/flags/flags/explain', { player_id: players[3], flag_keys: ['new_shop'] });
    expect(body.data).toMatchObject({ flags: [{ exposures: [{ variant_key: null }] }] });
    expect(ann.faults).toEqual([]);
  });

  test('an override is set and removed', async () => {
    const { page } = ann;
    await ann.open('flags/new_shop?tab=overrides&player=player-3');
    await page.getByText('This player has no override.').waitFor();
    await page.getByLabel('Variant').selectOption('b');
    await page.getByRole('button', { name: 'Set override' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Set override' }).click();
    await page.getByText('This player has an override:').waitFor();
    await ann.picture('overrides');
    expect(await ann.accessibility()).toEqual([]);
    expect(await evaluate(players[3] ?? '')).toBe('b');
    await page.getByRole('button', { name: 'Remove override' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove override' }).click();
    await page.getByText('This player has no override.').waitFor();
    expect(ann.faults).toEqual([]);
  });

  test('the list shows exposures, and the experiment its sample ratio and intervals', async () => {
    const { page } = ann;
    for (const player of players.slice(10)) {
      const sent = await api('POST', '/v1/events/events', { player_id: player, event_name: 'shop_opened' });
      expect(sent.status).toBe(200);
    }
    await until('the exposures are counted', async () => {
      const { body } = await api('GET', '/v1/flags/usage');
      return JSON.stringify(body.data).includes(`"exposures":${PLAYERS}`);
    });
    await ann.open('flags');
    await page.getByRole('row', { name: /new_shop.*on.*20/ }).waitFor();
    await ann.picture('flags');
    expect(await ann.accessibility()).toEqual([]);
    // A flag that splits players is no experiment; its results are its own.
    await ann.open('experiments');
    await page.getByText('There is no experiment yet.').waitFor();
    await ann.picture('experiments-empty');
    expect(await ann.accessibility()).toEqual([]);
    await ann.open('flags/new_shop');
    await page.getByRole('link', { name: 'Results' }).click();
    await page.getByRole('heading', { level: 1, name: 'Results of new_shop' }).waitFor();
    await ann.open('flags/new_shop/results?metric=shop_opened&metric=purchase');
    await page.getByText(/Sample ratio:/).waitFor();
    await page.getByRole('table', { name: 'Results for purchase' }).waitFor();
    await ann.picture('experiment');
    expect(await ann.accessibility()).toEqual([]);
    expect(ann.faults).toEqual([]);
  });

  test('a breakdown shows each group with its sample ratio, and can be shared and downloaded', async () => {
    const { page } = ann;
    await page.getByLabel('Break down by').selectOption('segment');
    const table = page.getByRole('table', { name: 'Results for shop_opened by segment' });
    await table.getByRole('row', { name: /veterans.*too small/ }).waitFor();
    await page.getByText(/This table makes 0 comparisons/).waitFor();
    await page.getByLabel('Event', { exact: true }).selectOption('purchase');
    await page.getByRole('table', { name: 'Results for purchase by segment' }).waitFor();
    await ann.picture('experiment-breakdown');
    expect(await ann.accessibility()).toEqual([]);
    const waiting = page.waitForEvent('download');
    await page.getByRole('button', { name: 'CSV' }).click();
    const file = await waiting;
    expect(file.suggestedFilename()).toBe('new_shop-by-segment.csv');
    const lines = readFileSync(await file.path(), 'utf8').split('\r\n');
    expect(lines.filter((line) => /^shop_opened,conversion,,veterans,true,.*,[ab],/.test(line))).toHaveLength(2);
    // The address holds the breakdown. Nobody's country is known here.
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toMatchObject({ by: 'segment', of: 'purchase' });
    await ann.open('flags/new_shop/results?metric=shop_opened&by=country');
    await page.getByRole('row', { name: /country unknown/ }).waitFor();
    expect(ann.faults).toEqual([]);
  });

  test('the winner is rolled out after a look at the difference', async () => {
    const { page } = ann;
    await ann.open('flags/new_shop/results?metric=shop_opened');
    await page.getByRole('button', { name: 'Ship b' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('row', { name: /variants.a.weight/ }).waitFor();
    // The first period ended when the variants got their values. Nothing is drawn any more; who took part is left out.
    await dialog.getByText('This edit begins period 3 of the experiment').waitFor();
    await dialog.getByText('Players who are left out: 10.').waitFor();
    await ann.picture('ship');
    await dialog.getByRole('button', { name: 'Ship b' }).click();
    await dialog.waitFor({ state: 'detached' });
    const served = await Promise.all(players.slice(10).map(evaluate));
    expect(new Set(served)).toEqual(new Set(['b']));
    expect(ann.faults).toEqual([]);
  });

  test('two people who edit one flag merge their edits', async () => {
    const bob = await browser!.signIn('bob@example.com', 'editor');
    const rename = async ({ page }: Person, name: string, description: string): Promise<void> => {
      await page.getByLabel('Name', { exact: true }).fill(name);
      if (description !== '') await page.getByLabel('Description').fill(description);
    };
    const save = async ({ page }: Person): Promise<void> => {
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    };
    for (const person of [ann, bob]) await person.open('flags/new_shop');
    await rename(ann, 'Ann’s shop', 'By Ann');
    await rename(bob, 'Bob’s shop', '');
    await save(bob);
    await bob.page.getByText('You have changes that are not saved.').waitFor({ state: 'detached' });
    await save(ann);
    const conflict = ann.page.getByRole('dialog', { name: /Another person saved/ });
    await conflict.getByText('only you changed it').first().waitFor();
    await conflict.getByText('both changed it: choose').waitFor();
    await ann.picture('conflict');
    expect(await ann.accessibility()).toEqual([]);
    await conflict.getByLabel('Take name').selectOption('Theirs');
    await conflict.getByRole('button', { name: 'Merge into my draft' }).click();
    await conflict.waitFor({ state: 'detached' });
    await save(ann);
    await ann.page.getByText('You have changes that are not saved.').waitFor({ state: 'detached' });
    const { body } = await api('GET', '/v1/flags/flags/new_shop');
    expect(body.data).toMatchObject({ name: 'Bob’s shop', description: 'By Ann' });
  });

  test('a change that the service refuses is taken back', async () => {
    const { page } = ann;
    await ann.open('flags/new_shop');
    await page.route('**/v1/flags/flags/new_shop', (route) =>
      route.request().method() === 'PATCH' ? route.abort() : route.continue(),
    );
    await page.getByRole('button', { name: 'Turn off' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Turn off' }).click();
    await page.getByText('The change failed and was undone: Turn').waitFor();
    await page.getByRole('button', { name: 'Turn off' }).waitFor();
    await page.unroute('**/v1/flags/flags/new_shop');
  });

  test('an archived flag leaves the list at once, and comes back if the connection breaks', async () => {
    const { page } = ann;
    await ann.open('flags');
    const row = page.getByRole('row', { name: /new_shop/ });
    await row.getByRole('link', { name: 'new_shop' }).click();
    const gate = Promise.withResolvers<void>();
    await page.route('**/v1/flags/flags/new_shop', async (route) => {
      if (route.request().method() !== 'DELETE') return route.continue();
      await gate.promise;
      await route.abort();
    });
    await page.getByRole('button', { name: 'Archive' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click();
    await page.getByRole('heading', { name: 'Flags', level: 1 }).waitFor();
    expect(await row.count()).toBe(0);
    gate.resolve();
    await page.getByText('The change failed and was undone: Archive the flag new_shop').waitFor();
    await page.getByText('The service does not answer. Check that it runs, then try again.').waitFor();
    await row.waitFor();
    await ann.picture('flags-undone');
    expect(await ann.accessibility()).toEqual([]);
    await page.unroute('**/v1/flags/flags/new_shop');
  });

  test('a name that no player has is said after the save, and a segment is deleted from the list at once', async () => {
    const { page } = ann;
    await ann.open('segments/new');
    await page.getByLabel('Key', { exact: true }).fill('typo');
    await page.getByRole('button', { name: 'Add a condition' }).click();
    await page.getByRole('combobox', { name: 'Field' }).fill('attributes.levle');
    await page.keyboard.press('Escape');
    await page.getByLabel('Value', { exact: true }).fill('10');
    await page.getByRole('button', { name: 'Create' }).click();
    const saved = page.getByRole('status').filter({ hasText: 'Saved as version 1. Check these names:' });
    await saved.getByText(/no attribute `levle` was found/).waitFor();
    await saved.getByText('If it is a typing error, correct it and save again.').waitFor();
    await ann.picture('segment-warnings');
    expect(await ann.accessibility()).toEqual([]);
    // An edit of something else begins from the saved version, and what was said goes with it.
    await page.getByLabel('Description').fill('Wrong on purpose');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved as version 2. Check these names:').waitFor();
    expect(await saved.count()).toBe(0);
    // This page has not read the list yet: it is read once the segment is gone, or it would still have it.
    const order: string[] = [];
    page.on('response', (response) => {
      if (response.request().method() === 'DELETE') order.push('deleted');
    });
    page.on('request', (request) => {
      if (/\/v1\/segments\/segments\?/.test(request.url())) order.push('list');
    });
    const listed = page.waitForRequest(/\/v1\/segments\/segments\?/);
    await page.route('**/v1/segments/segments/*', async (route) => {
      if (route.request().method() === 'DELETE') {
        await Promise.race([listed, page.getByRole('dialog').locator('button[data-loading]').waitFor()]);
      }
      await route.continue();
    });
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'Segments', level: 1 }).waitFor();
    await page.unroute('**/v1/segments/segments/*');
    await page.getByRole('row', { name: /veterans/ }).waitFor();
    expect(await page.getByRole('row', { name: /typo/ }).count()).toBe(0);
    expect(order[0]).toBe('deleted');
    expect(ann.faults).toEqual([]);
  });

  test('a flag is promoted from test to live, with its segment by its key', async () => {
    const { page } = ann;
    const test = (method: string, path: string, body: unknown) =>
      service.call(service.keys.test.server, method, path, body);
    const { body: segment } = await test('POST', '/v1/segments/segments', { key: 'veterans', conditions: {} });
    await test('POST', '/v1/flags/flags', {
      key: 'hats',
      flag_type: 'boolean',
      targeting_rules: [{ segment_id: segment.data.segment_id }],
    });
    await page.goto(`${service.url}/console/demo/test/flags/hats`);
    await page.getByRole('button', { name: 'Promote to live' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Live has no such flag yet').waitFor();
    await dialog.getByText('This changes LIVE of demo.').waitFor();
    await ann.picture('promote');
    await dialog.getByRole('button', { name: 'Promote to live' }).click();
    await page.getByText('Live has it now.').waitFor();
    const { body: live } = await api('GET', '/v1/flags/flags/hats');
    const { body: held } = await api('GET', '/v1/segments/segments');
    expect(held.data).toMatchObject({ segments: [{ key: 'veterans', kind: 'dynamic' }] });
    expect(JSON.stringify(live.data)).not.toContain(String(segment.data.segment_id));
    expect(ann.faults).toEqual([]);
  });

  test('a list gets players by their ids and by a file, and loses one', async () => {
    const { page } = ann;
    await ann.open('segments/new');
    await page.getByLabel('Key', { exact: true }).fill('testers');
    await page.getByLabel('Players', { exact: true }).selectOption('of a list that you load');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByLabel('Add players by external id, one per line').fill('player-1\nplayer-2\nnobody');
    await page.getByText('This adds up to 3 players to the segment at once.').waitFor();
    await page.getByRole('button', { name: 'Add to the list' }).click();
    await page.getByText('2 added. Unknown: nobody').waitFor();
    await page.getByRole('button', { name: 'Remove player-2 from the list' }).click();
    await page.getByRole('row', { name: /player-2/ }).waitFor({ state: 'detached' });
    await page.locator('input[type=file]').setInputFiles({
      name: 'testers.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('external_id\nplayer-5\nplayer-6\n'),
    });
    await page.getByText('only, which has 3 lines').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Replace the list by a file' }).click();
    await page.getByText('The list has 2 players, of 2 ids in the file.').waitFor();
    await page.getByRole('row', { name: /player-6/ }).waitFor();
    await ann.picture('segment-list');
    expect(await ann.accessibility()).toEqual([]);
    expect(ann.faults).toEqual([]);
  });

  test('a viewer sees everything and may change nothing', async () => {
    const vic = await browser!.signIn('vic@example.com', 'viewer');
    const { page } = vic;
    const buttons = /Save|New flag|New segment|Turn off|Archive|Delete|Add a|Ship|Set override/;
    for (const screen of ['flags', 'flags/new_shop', 'segments', 'flags/new_shop/results?metric=shop_opened']) {
      await vic.open(screen);
      expect(await page.getByRole('button', { name: buttons }).count(), screen).toBe(0);
    }
    await vic.picture('flag-viewer');
    const answer = await refused(page);
    expect(answer).toBe(403);
    expect(vic.faults).toEqual([]);
  });

  test('the screens fit a phone', async () => {
    const { page } = ann;
    await page.setViewportSize({ width: 390, height: 844 });
    for (const screen of [
      'segments',
      'flags',
      'flags/new_shop',
      'flags/new_shop/results?metric=shop_opened&by=segment',
    ]) {
      await ann.open(screen);
      await ann.picture(`phone-${screen.replaceAll('/', '-').split('?')[0]}`);
      const wide: number = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      expect(wide, screen).toBeLessThanOrEqual(0);
    }
    await page.setViewportSize({ width: 1_280, height: 860 });
  });

  test('a flag is archived after a look at its last use', async () => {
    const { page } = ann;
    await ann.open('flags/new_shop');
    await page.getByRole('button', { name: 'Archive' }).click();
    await page.getByRole('dialog').getByText('Last exposed:').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click();
    await page.getByRole('heading', { name: 'Flags', level: 1 }).waitFor();
    await page.getByText('Archived', { exact: true }).click();
    const row = page.getByRole('row', { name: /new_shop/ });
    await row.waitFor();
    await row.getByRole('button', { name: 'Restore' }).click();
    await page
      .getByRole('dialog')
      .getByText(/Rule 1 gives it to \d+ % of: .*players/)
      .waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
    await row.waitFor({ state: 'detached' });
    await ann.open('flags/new_shop');
    await page.getByRole('heading', { name: /new_shop/, level: 1 }).waitFor();
    expect(await page.locator('img').count()).toBe(0);
    expect(ann.faults).toEqual([]);
  });
});

/** The status of a change that the page sends although it shows no button for it. */
function refused(page: Page): Promise<number> {
  return page.evaluate(`(async () => {
    const place = { 'X-Game': 'demo', 'X-Environment': 'live' };
    const me = await (await fetch('/v1/console/me')).json();
    const headers = { ...place, 'Content-Type': 'application/json', 'X-CSRF-Token': me.data.csrf_token };
    const body = JSON.stringify({ enabled: false });
    return (await fetch('/v1/flags/flags/new_shop', { method: 'PATCH', headers, body })).status;
  })()`);
}
