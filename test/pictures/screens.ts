import type { ConsoleBrowser, Person } from '../support/browser/console-browser.ts';
import type { RunningService } from '../support/servers/running-service.ts';
import { until } from '../support/until.ts';
import type { MadeGame } from './made-game.ts';

/* The screens of which docs/console.md has a picture, and what is done on each before its picture is taken. */

const PHONE = { width: 390, height: 860 };
const FUNNEL = {
  kind: 'funnel',
  steps: [{ event_name: 'tutorial_started' }, { event_name: 'tutorial_done' }, { event_name: 'first_match_won' }],
};

export interface Studio {
  service: RunningService;
  browser: ConsoleBrowser;
  game: MadeGame;
  look: { dark: boolean; phone: boolean; only: string };
}

type Keep = (name: string, png: Uint8Array) => void;

interface Screen {
  name: string;
  /** Its address in the game. */
  at: string;
  /** Waits for what the screen loads later, and does what the picture shows. */
  stage?: (person: Person) => Promise<unknown>;
}

export async function takePictures(studio: Studio, keep: Keep): Promise<void> {
  const { service, browser, look } = studio;
  await takeSignIn(studio, keep);
  const ann = await browser.signIn('ann@example.com', 'admin');
  await service.cli('users', 'grant', 'ann@example.com', '--role', 'admin', '--game', '*');
  await browser.signIn('vic@example.com', 'viewer');
  const bob = await browser.signIn('bob@example.com', 'editor');
  for (const person of [ann, bob]) await prepare(person, look);
  for (const screen of screensOf(studio)) await take(ann, screen, look, keep);
  await takeApprovals(studio, ann, bob, keep);
}

async function prepare(
  { context, page }: Pick<Person, 'context' | 'page'>,
  { dark, phone }: Studio['look'],
): Promise<void> {
  await context.addInitScript(`localStorage.setItem('console-scheme', '${dark ? 'dark' : 'light'}')`);
  if (phone) await page.setViewportSize(PHONE);
}

async function take(person: Person, { name, at, stage }: Screen, { only }: Studio['look'], keep: Keep): Promise<void> {
  if (!name.includes(only)) return;
  await person.open(at);
  await stage?.(person);
  await shoot(person, name, keep);
}

async function shoot(person: Pick<Person, 'page' | 'settled'>, name: string, keep: Keep): Promise<void> {
  await person.settled();
  keep(name, await person.page.screenshot());
}

function screensOf(studio: Studio): Screen[] {
  const { game } = studio;
  const [player = ''] = game.players;
  const query = (body: object): string => `analytics?${new URLSearchParams({ q: JSON.stringify(body) }).toString()}`;
  return [
    { name: 'overview', at: 'overview' },
    { name: 'start', at: 'start' },
    { name: 'events', at: 'events', stage: (person) => followEvents(studio, person) },
    { name: 'players', at: 'players' },
    { name: 'player', at: `players/${player}` },
    { name: 'player-flags', at: `players/${player}?tab=flags` },
    { name: 'player-timeline', at: `players/${player}?tab=timeline` },
    { name: 'segments', at: 'segments' },
    { name: 'segment', at: `segments/${game.segment}` },
    { name: 'flags', at: 'flags' },
    { name: 'flag', at: 'flags/new_shop' },
    { name: 'flag-schedule', at: 'flags/boss_rush?tab=schedule', stage: (person) => planRollout(person) },
    { name: 'flag-results', at: 'flags/new_shop/results?metric=shop_opened' },
    { name: 'experiments', at: 'experiments' },
    { name: 'experiment', at: 'experiments/shop_music' },
    { name: 'experiment-definition', at: 'experiments/shop_music?tab=definition' },
    { name: 'campaigns', at: 'campaigns' },
    { name: 'campaign', at: `campaigns/${game.campaign}?tab=definition` },
    { name: 'campaign-new', at: 'campaigns/new', stage: (person) => beginCampaign(person) },
    { name: 'campaign-explain', at: `campaigns/${game.campaign}?tab=explain`, stage: (person) => explain(person) },
    { name: 'campaign-results', at: `campaigns/${game.campaign}?tab=results&event=shop_opened` },
    { name: 'analytics', at: query(FUNNEL) },
    { name: 'dictionary', at: 'dictionary' },
    { name: 'sql', at: 'sql', stage: (person) => runSql(person) },
    { name: 'webhooks', at: 'webhooks', stage: ({ page }) => page.getByText('UTC').first().waitFor() },
    { name: 'schemas', at: 'schemas' },
    { name: 'quarantine', at: 'schemas/quarantine' },
    { name: 'scoring', at: 'scoring' },
    { name: 'keys', at: 'keys' },
    { name: 'users', at: 'users' },
    { name: 'audit', at: 'audit' },
    { name: 'operations', at: 'operations' },
    { name: 'account', at: 'account' },
    {
      name: 'reference',
      at: 'overview',
      async stage({ page }) {
        await page.goto(`${new URL(page.url()).origin}/docs`);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.keyboard.press('/');
        await page.keyboard.type('track one event');
        await page.keyboard.press('Enter');
      },
    },
  ];
}

/** The page before a sign-in. Passkeys belong to a host name, and an address is none. */
async function takeSignIn({ service, browser, look }: Studio, keep: Keep): Promise<void> {
  if (!'sign-in'.includes(look.only)) return;
  const stranger = await browser.stranger();
  await prepare(stranger, look);
  await stranger.page.goto(`${service.url.replace('127.0.0.1', 'localhost')}/console`);
  await stranger.page.getByRole('heading', { level: 1 }).waitFor();
  await shoot(stranger, 'sign-in', keep);
  await stranger.context.close();
}

/** Changes that wait for a second person: one is approved, and one rejected. */
async function takeApprovals(studio: Studio, ann: Person, bob: Person, keep: Keep): Promise<void> {
  const { service, look } = studio;
  if (!'approvals approval-proposed approval-approved approval-rejected'.includes(look.only)) return;
  await service.cli('games', 'set', 'demo', '--approval', 'on');
  for (const flag of ['vip_chat', 'double_xp']) {
    await bob.open(`flags/${flag}`);
    await bob.page.getByRole('button', { name: /^Turn (on|off)$/ }).click();
    await bob.page
      .getByRole('dialog')
      .getByRole('button', { name: /^Turn (on|off)$/ })
      .click();
    await bob.page.getByText('The change waits for approval.').waitFor();
  }
  await shoot(bob, 'approval-proposed', keep);
  await ann.open('approvals');
  await ann.page.getByRole('rowheader', { name: 'enabled' }).first().waitFor();
  await shoot(ann, 'approvals', keep);
  await ann.page.getByRole('button', { name: 'Approve' }).first().click();
  await ann.page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
  await ann.page.getByRole('status').filter({ hasText: 'approved' }).waitFor();
  await shoot(ann, 'approval-approved', keep);
  await ann.page.getByRole('button', { name: 'Reject' }).first().click();
  await ann.page.getByRole('status').filter({ hasText: 'rejected' }).waitFor();
  await shoot(ann, 'approval-rejected', keep);
}

/** Shows events that arrive while the page is open. */
async function followEvents({ service, game }: Studio, { page }: Person): Promise<void> {
  await page.getByText('Connected').waitFor();
  for (const [n, player] of game.players.slice(0, 12).entries()) {
    const event = { player_id: player, event_name: n % 3 === 0 ? 'level_failed' : 'match_won' };
    const properties = { level: n % 4 === 0 ? 'twelve' : n, mode: n % 2 === 0 ? 'ranked' : 'casual' };
    await service.call(service.keys.live.client, 'POST', '/v1/events/events', { ...event, properties });
  }
  await until('the events are shown', async () => (await page.getByRole('listitem').count()) >= 12);
}

/** Plans a roll-out, whose first step is made at once. */
async function planRollout({ page }: Person): Promise<void> {
  await page.getByRole('button', { name: 'Plan a roll-out' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('50 % → 100 %').waitFor();
  await dialog.getByRole('button', { name: 'Plan it' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('done', { exact: true }).waitFor();
}

async function beginCampaign({ page }: Person): Promise<void> {
  await page.getByLabel('Name', { exact: true }).fill('Hint for level 12');
  await page.getByRole('combobox', { name: 'Event name' }).fill('level_failed');
  await page.getByLabel('Title').fill('Stuck?');
  await page.getByLabel('Text', { exact: true }).fill('Here is a hint.');
  await page.evaluate('scrollTo(0, 0)');
}

async function explain({ page }: Person): Promise<void> {
  await page.getByLabel('Player id or external id').fill('player-0');
  await page.getByRole('button', { name: 'Explain' }).click();
  await page.getByRole('columnheader', { name: 'Passes' }).waitFor();
}

async function runSql({ page }: Person): Promise<void> {
  const statement = 'SELECT event_name, count() AS events FROM events GROUP BY event_name ORDER BY events DESC';
  await page.getByRole('textbox', { name: 'Statement' }).fill(statement);
  await page.keyboard.press('Control+Enter');
  await page.getByRole('cell', { name: 'session_recorded' }).waitFor();
}
