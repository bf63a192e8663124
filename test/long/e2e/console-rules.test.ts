import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowser, NO_BROWSER } from '../../support/browser/browser.ts';
import { type ConsoleBrowser, openConsole, type Person } from '../../support/browser/console-browser.ts';
import { startService, type RunningService } from '../../support/servers/running-service.ts';

/* The form of a flag's rules, and segments and shares of players in conditions, in a real browser. */

const hasBrowser = findBrowser() !== undefined;
const PRICE = '/v1/flags/flags/price';

describe.skipIf(!hasBrowser)(`rules in the console${hasBrowser ? '' : ` (${NO_BROWSER})`}`, () => {
  let service: RunningService;
  let browser: ConsoleBrowser | undefined;
  let ann: Person;
  const segments = new Map<string, string>();

  const ask = async (method: string, path: string, body?: unknown) => {
    const answer = await service.call(service.keys.live.server, method, path, body);
    expect(answer.status).toBeLessThan(300);
    return answer.body.data;
  };
  /** Pictures in both schemes and on a phone. */
  const pictures = async (name: string): Promise<void> => {
    const { page } = ann;
    for (const [size, scheme] of [
      [{ width: 1_280, height: 2_300 }, 'light'],
      [{ width: 1_280, height: 2_300 }, 'dark'],
      [{ width: 390, height: 3_400 }, 'light'],
    ] as const) {
      await page.setViewportSize(size);
      await page.evaluate(`document.documentElement.setAttribute('data-mantine-color-scheme', '${scheme}')`);
      await ann.picture(`${name}-${scheme}-${size.width}`);
    }
    await page.setViewportSize({ width: 1_280, height: 860 });
  };
  /** Fields that show only a part of what they hold. */
  const cut = (): Promise<string[]> =>
    ann.page.evaluate(`[...document.querySelectorAll('main input')]
      .filter((input) => input.value !== '' && input.scrollWidth > input.clientWidth)
      .map((input) => input.labels[0]?.textContent + ': ' + input.value)`);

  beforeAll(async () => {
    service = await startService();
    await service.cli('games', 'set', 'demo', '--time-zone', 'America/Sao_Paulo');
    for (const key of ['regulars', 'testers']) {
      const { segment_id: id } = await ask('POST', '/v1/segments/segments', { key, conditions: { is_payer: true } });
      segments.set(key, String(id));
    }
    const variants = ['a', 'b'].map((key) => ({ key, value: key, weight: 50 }));
    await ask('POST', '/v1/flags/flags', { key: 'layout', flag_type: 'multivariate', variants });
    await ask('POST', '/v1/flags/flags', {
      key: 'price',
      flag_type: 'number',
      variants: [
        { key: 'low', value: 0.5, weight: 50 },
        { key: 'high', value: 5, weight: 50 },
      ],
    });
    browser = await openConsole(service);
    if (browser === undefined) throw new Error(NO_BROWSER);
    ann = await browser.signIn('ann@example.com', 'editor');
    ann.page.setDefaultTimeout(30_000);
  }, 180_000);
  afterAll(async () => {
    await browser?.close();
    await service.stop();
  });

  test('rules serve a value, a variant and weights of their own, by a key and a salt, for a time', async () => {
    const { page } = ann;
    await ann.open('flags/price');
    for (let rule = 0; rule < 3; rule++) await page.getByRole('button', { name: 'Add a rule' }).click();
    const rule = (place: number) => page.getByRole('group', { name: new RegExp(`^Rule ${place}`) });
    await rule(1).getByLabel('Name of the rule').fill('Payers');
    await rule(1).getByLabel('Players of segment').selectOption('regulars');
    await rule(1).getByLabel('They get').selectOption('a value');
    await rule(1).getByLabel('Value that they get').fill('4.99');
    await rule(2).getByLabel('Percentage of them').fill('12.5');
    await rule(2).getByLabel('They get').selectOption('a variant by weights of its own');
    await rule(2).getByLabel('Weight of low').fill('9');
    await rule(2).getByLabel('Weight of high').fill('1');
    await rule(2).getByLabel('Buckets by').selectOption('an attribute');
    await rule(2).getByLabel('Name of the attribute').fill('household.id');
    await rule(2).getByLabel('Salt').fill('household-2027');
    await rule(2).getByLabel('From (America/Sao_Paulo)').fill('2027-01-01 10:00');
    await rule(2).getByLabel('Until (America/Sao_Paulo)').fill('2027-12-31 23:59:59');
    await rule(3).getByLabel('They get').selectOption('variant low');
    await page.getByLabel('Everybody else gets').selectOption('a value');
    await page.getByLabel('Value that they get').first().fill('0.99');
    await page.getByLabel('Buckets by').first().selectOption('device');
    await page.getByRole('button', { name: 'Add a prerequisite' }).click();
    await page.getByRole('textbox', { name: 'Flag', exact: true }).fill('layout');
    await page.getByLabel('or key of a variant').fill('b');
    await page.getByLabel('Value (JSON)').waitFor({ state: 'detached' });
    await page.getByLabel('Due to go by').fill('2030-12-31 23:59:59');
    await pictures('rules');
    expect(await cut()).toEqual([]);
    expect(await ann.accessibility()).toEqual([]);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved as version 2').waitFor();
    const saved = await ask('GET', PRICE);
    expect(saved).toMatchObject({
      bucket_by: 'device',
      default_serve: { value: 0.99 },
      ends_at: '2031-01-01T02:59:59.000Z',
      prerequisites: [{ flag_key: 'layout', variant_key: 'b' }],
      targeting_rules: [
        { name: 'Payers', segment_id: segments.get('regulars'), percentage: 100, serve: { value: 4.99 } },
        {
          percentage: 12.5,
          bucket_by: 'attribute:household.id',
          salt: 'household-2027',
          serve: {
            weights: [
              { key: 'low', weight: 9 },
              { key: 'high', weight: 1 },
            ],
          },
          start_at: '2027-01-01T13:00:00.000Z',
          end_at: '2028-01-01T02:59:59.000Z',
        },
        { serve: { variant: 'low' } },
      ],
    });
    // What was saved is shown again.
    await ann.open('flags/price');
    expect(await rule(2).getByLabel('Name of the attribute').inputValue()).toBe('household.id');
    expect(await rule(2).getByLabel('Until (America/Sao_Paulo)').inputValue()).toBe('2027-12-31 23:59:59');
    expect(await page.getByRole('button', { name: 'Save', exact: true }).count()).toBe(0);
    await page.getByRole('tab', { name: 'History' }).click();
    await page.getByText('2028-01-01T02:59:59').waitFor({ state: 'detached' });
    await page.getByText('Rule 1 “Payers” added').waitFor();
    await ann.picture('rules-history');
    expect(ann.faults).toEqual([]);
  });

  test('a segment reads others and a share of players, and nothing of it is saved unfinished', async () => {
    const { page } = ann;
    await ann.open('segments/new');
    await page.getByLabel('Key', { exact: true }).fill('wave');
    const create = page.getByRole('button', { name: 'Create' });
    const unfinished = page.getByRole('alert').filter({ hasText: 'The condition is not finished' });
    await page.getByRole('button', { name: 'Add segments' }).click();
    await unfinished.getByText('Is in one of the segments').waitFor();
    expect(await create.isDisabled()).toBe(true);
    await page.getByRole('combobox', { name: 'Is in one of the segments' }).click();
    await page.getByRole('option', { name: 'regulars' }).click();
    await page.getByRole('option', { name: 'testers' }).click();
    await page.keyboard.press('Escape');
    await unfinished.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Add a share of players' }).click();
    const share = page.getByRole('group', { name: 'Is in a share of the players' });
    await unfinished.getByText('Is in a share of the players › Percentage').waitFor();
    await share.getByLabel('Percentage').fill('101');
    await share.getByText('A number from 0 to 100.').waitFor();
    expect(await create.isDisabled()).toBe(true);
    await share.getByLabel('Percentage').fill('12.5');
    await share.getByLabel('Salt').fill('wave-1');
    await share.getByLabel('Chosen by').selectOption('an attribute');
    await unfinished.getByText('Is in a share of the players › Chosen by').waitFor();
    expect(await create.isDisabled()).toBe(true);
    await share.getByLabel('Name of the attribute').fill('guild');
    await unfinished.waitFor({ state: 'detached' });
    await pictures('members');
    expect(await cut()).toEqual([]);
    expect(await ann.accessibility()).toEqual([]);
    await create.click();
    await page.getByRole('heading', { name: 'wave', level: 1 }).waitFor();
    const { segments: all } = await ask('GET', '/v1/segments/segments?search=wave');
    expect(all).toMatchObject([
      {
        conditions: {
          $inSegment: [segments.get('regulars'), segments.get('testers')],
          $bucket: { salt: 'wave-1', by: 'attribute:guild', below: 12.5 },
        },
      },
    ]);
    // Names of segments, not their ids, also in a test of a player.
    await service.player(service.keys.live.server, 'player-1');
    await page.getByLabel('Player id or external id').fill('player-1');
    await page.getByRole('button', { name: 'Test', exact: true }).click();
    const parts = page.getByRole('table', { name: 'Parts of the condition' });
    await parts.getByRole('row', { name: /Is in one of the segments.*no/ }).waitFor();
    await ann.picture('members-tested');
    expect(await page.getByText('seg_').count()).toBe(0);
    expect(ann.faults).toEqual([]);
  });

  test('a rule of a flag and a trigger of a campaign have them too', async () => {
    const { page } = ann;
    await ann.open('flags/layout');
    await page.getByRole('button', { name: 'Add a rule' }).click();
    await page.getByRole('button', { name: 'Add conditions' }).click();
    await page.getByRole('button', { name: 'Add a share of players' }).click();
    const save = page.getByRole('button', { name: 'Save', exact: true });
    expect([await save.isDisabled(), await page.getByRole('button', { name: 'Save later' }).isDisabled()]).toEqual([
      true,
      true,
    ]);
    await page.getByLabel('Percentage', { exact: true }).fill('20');
    await page.getByRole('group', { name: 'Is in a share of the players' }).getByLabel('Salt').fill('spring');
    await save.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved as version 2').waitFor();
    expect(await ask('GET', '/v1/flags/flags/layout')).toMatchObject({
      targeting_rules: [{ conditions: { $bucket: { salt: 'spring', below: 20 } } }],
    });
    await ann.open('campaigns/new');
    await page.getByRole('combobox', { name: 'Event name' }).fill('level_failed');
    await page.getByRole('button', { name: 'Add segments' }).click();
    const create = page.getByRole('button', { name: 'Create' });
    expect(await create.isDisabled()).toBe(true);
    await page.getByRole('combobox', { name: 'Is in one of the segments' }).click();
    await page.getByRole('listbox').getByRole('option', { name: 'testers' }).click();
    await page.keyboard.press('Escape');
    expect(await create.isDisabled()).toBe(false);
    await page.getByText(`"$inSegment"`).waitFor();
    expect(ann.faults).toEqual([]);
  });
});
