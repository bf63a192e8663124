import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { findBrowser, launchBrowser } from './browser.ts';
import type { RunningService } from '../servers/running-service.ts';
import { until } from '../until.ts';

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
/** Where pictures of screens go; unset: none are made. */
const PICTURES = process.env['CONSOLE_PICTURES'];

/** Ends transitions at once. The policy allows styles of scripts: a sheet that is adopted is not in the document. */
const STILL = `addEventListener('DOMContentLoaded', () => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('*, ::before, ::after { transition: none !important; animation: none !important; }');
  document.adoptedStyleSheets.push(sheet);
});`;

/** A person at the console in a real browser. */
export interface Person {
  readonly context: BrowserContext;
  readonly page: Page;
  /** What the console did wrong: errors of scripts, refused by the policy, requests to other hosts. */
  readonly faults: string[];
  /** Opens a screen of the demo game, such as `flags/new_shop`, and waits for its heading. */
  open(screen: string): Promise<void>;
  /** Waits until nothing of the screen is loading. */
  settled(): Promise<void>;
  /** Stores a picture of the screen, if the environment names a folder. */
  picture(name: string): Promise<void>;
  /** Faults of accessibility in both schemes, as `light color-contrast: .selector`. */
  accessibility(): Promise<string[]>;
}

/** A browser that shows the console of a service. */
export interface ConsoleBrowser {
  /** Adds a user with the role in the demo game and signs it in, through its one-time link. */
  signIn(email: string, role: 'viewer' | 'analyst' | 'editor' | 'admin'): Promise<Person>;
  /** Opens a browser without a session. */
  stranger(): Promise<Pick<Person, 'context' | 'page' | 'settled'>>;
  close(): Promise<void>;
}

/** @returns undefined where no browser is installed */
export async function openConsole(service: RunningService): Promise<ConsoleBrowser | undefined> {
  const executablePath = findBrowser();
  if (executablePath === undefined) return undefined;
  const browser = await launchBrowser(executablePath);
  await until('the console is built', async () => (await fetch(`${service.url}/console`)).status === 200, 60_000);
  return {
    async signIn(email, role) {
      const printed = await service.cli('users', 'add', email, '--role', role, '--game', 'demo');
      const token = /#(cl_\S+)/.exec(printed)?.[1];
      if (token === undefined) throw new Error(`no link in: ${printed}`);
      return signedIn(browser, service.url, token);
    },
    async stranger() {
      const { context, page } = await newPage(browser);
      return { context, page, settled: () => settled(page) };
    },
    close: () => browser.close(),
  };
}

async function newPage(browser: Browser): Promise<{ context: BrowserContext; page: Page }> {
  const context = await browser.newContext({ viewport: { width: 1_280, height: 860 }, reducedMotion: 'reduce' });
  return { context, page: await context.newPage() };
}

async function signedIn(browser: Browser, url: string, token: string): Promise<Person> {
  const { context, page } = await newPage(browser);
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(`script: ${error.message}`));
  page.on('console', (message) => {
    const { url: file, lineNumber: line, columnNumber: column } = message.location();
    if (/Content Security Policy|Warning:/.test(message.text())) {
      faults.push(`${message.text()} at ${file}:${line}:${column}`);
    }
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !/^(?:blob|data):/.test(request.url())) faults.push(request.url());
  });
  await page.goto(`${url}/console/link#${token}`);
  await page.getByRole('button', { name: 'Sign in here' }).click();
  await page.getByRole('navigation').waitFor();
  // Axe would measure colours in the middle of a transition.
  await context.addInitScript(STILL);
  return {
    context,
    page,
    faults,
    async open(screen) {
      await page.goto(`${url}/console/demo/live/${screen}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await settled(page);
    },
    settled: () => settled(page),
    async picture(name) {
      if (PICTURES === undefined) return;
      await settled(page);
      if (!existsSync(PICTURES)) mkdirSync(PICTURES, { recursive: true });
      await page.screenshot({ path: join(PICTURES, `${name}.png`), caret: 'initial' });
    },
    async accessibility() {
      const found: string[] = [];
      for (const scheme of ['light', 'dark'] as const) {
        await settled(page);
        await page.evaluate(`document.documentElement.setAttribute('data-mantine-color-scheme', '${scheme}')`);
        found.push(...(await violations(page, RULES[scheme])).map((fault) => `${scheme} ${fault}`));
      }
      return found;
    },
  };
}

/** Waits until nothing of the screen is loading. */
async function settled(page: Page): Promise<void> {
  await until('the screen has loaded', async () => (await page.locator('[aria-busy="true"]').count()) === 0, 20_000);
}

/** The rules of WCAG 2.2 AA; in the second scheme those about colours, as nothing else differs. */
const RULES = {
  light: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] },
  dark: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] },
} as const;

/** Runs axe. The page's policy does not hold for a debugger's scripts. */
async function violations(page: Page, rules: (typeof RULES)['light' | 'dark']): Promise<string[]> {
  await page.evaluate(AXE);
  const found: string[] = await page.evaluate(`axe
    .run(document, { runOnly: ${JSON.stringify(rules)} })
    .then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ target }) => target.join(' ')).join(', ')),
    )`);
  return found;
}
