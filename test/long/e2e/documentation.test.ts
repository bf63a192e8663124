import { rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { routes } from '../../../src/api/routes.ts';
import { blocksOf, userPages, type Block } from '../../support/documentation.ts';
import { jsonDocuments, jsonFault, textFault } from '../../support/documented-output.ts';
import { reservedPort } from '../../support/servers/reserved-port.ts';
import { queryAsReader, startService, type RunningService } from '../../support/servers/running-service.ts';
import { openShell, type Shell } from '../../support/shell.ts';
import { launch, stopAndRemove, untilReady, type Supervised } from '../../support/servers/supervised.ts';
import { until } from '../../support/until.ts';

/*
 * Types every `sh` block of README and docs/ into a shell, and runs every `sql` block, against one service. Only
 * addresses and the data folder are replaced. A `json` or `text` block right after one of these shows its output
 * (test/support/documented-output.ts). Each page has its own shell, in which README's first block sets the variables
 * that all pages use.
 */

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const PATIENCE_MS = 30_000;
/** A failed command prints this, so that no failure goes unnoticed. */
const FAILED = 'a command failed';

let service: RunningService;
let receiverPort: number;
/** The service that runs on the restored backup, after the first one was stopped. */
let restored: Supervised | undefined;
beforeAll(async () => {
  receiverPort = await reservedPort();
  service = await startService({ WEBHOOK_ALLOW_PRIVATE_HOSTS: '127.0.0.1' });
});
afterAll(() => (restored === undefined ? service.stop() : stopAndRemove(restored)));

/** A block to run, and the block with its output. */
interface Step {
  block: Block;
  shown: Block | undefined;
}

function stepsOf(page: string): Step[] {
  const blocks = blocksOf(page);
  return blocks.flatMap((block, place) => {
    if (block.info !== 'sh' && block.info !== 'sql') return [];
    const next = blocks[place + 1];
    const closingLine = block.line + block.text.split('\n').length;
    const follows = next !== undefined && /^(json|text)$/.test(next.info) && next.line - closingLine <= 2;
    return [{ block, shown: follows ? next : undefined }];
  });
}

const [setUp] = stepsOf('README.md');
/** Its queries read the data of the other pages. */
const LAST = 'docs/analytics.md';
const pages = userPages()
  .filter((page) => stepsOf(page).length > 0)
  .toSorted((a, b) => Number(a === LAST) - Number(b === LAST));

describe('every block of a page works unchanged', () => {
  test.for(pages)('%s', async (page) => {
    const { env } = service.supervised;
    // The machine's own Node may be older than the one among the packages.
    const shell = openShell({ cwd: ROOT, env: { ...env, PATH: `${dirname(process.execPath)}:${env['PATH']}` } });
    try {
      await shell.type(`trap 'echo "${FAILED}: $BASH_COMMAND"' ERR`);
      if (setUp !== undefined && page !== 'README.md') await runShell(shell, setUp);
      for (const step of stepsOf(page)) {
        if (step.block.info === 'sql') await runSql(step);
        else await runShell(shell, step);
      }
    } finally {
      await shell.close();
    }
  });
});

async function runShell(shell: Shell, { block, shown }: Step): Promise<void> {
  const text = localized(block.text);
  let from = shell.printed().length;
  const output = () =>
    shell
      .printed()
      .slice(from)
      .replaceAll(/typed-\d+-done\n/g, '\n');
  await shell.type(text);
  let typedAt = performance.now();
  await settled(block, async () => {
    const fault = faultOf(output(), shown);
    // A block that only reads may run before earlier writes are visible: it is retried.
    if (fault !== undefined && onlyReads(text) && performance.now() > typedAt + 250) {
      from = shell.printed().length;
      await shell.type(text);
      typedAt = performance.now();
    }
    return fault;
  });
}

function faultOf(output: string, shown: Block | undefined): string | undefined {
  const failed = output.split('\n').find((line) => line.startsWith(FAILED));
  if (failed !== undefined) return `${failed}\n${output}`;
  if (shown?.info === 'text') return textFault(shown.text, output);
  return jsonFault(shown === undefined ? [] : jsonDocuments(shown.text), jsonDocuments(output));
}

/** A preview and a query have a body, but write nothing. */
const READING_POST = /^curl -s \$BASE\/v1\/(segments\/segments\/preview|analytics\/queries) [^;]*$/;

function onlyReads(text: string): boolean {
  if (READING_POST.test(text.trim())) return true;
  return !/ -d | -X | &$|(?:cli --|main\.ts) (games|keys) (create|set|revoke|player)/m.test(text);
}

/** Checks that every query of the pages finds rows, because the pages themselves create the data. */
async function runSql({ block, shown }: Step): Promise<void> {
  await settled(block, async () => {
    const response = await fetch(`${service.supervised.clickhouseUrl}/?default_format=TSVWithNames`, {
      method: 'POST',
      body: block.text,
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${place(block)}: ${text}`);
    if (text.trim().split('\n').length < 2) return 'no rows';
    return shown === undefined ? undefined : textFault(shown.text, text);
  });
}

/** Retries a block until it has no fault. */
async function settled(block: Block, faultNow: () => Promise<string | undefined>): Promise<void> {
  let fault: string | undefined;
  await until(`${place(block)} holds`, async () => (fault = await faultNow()) === undefined, PATIENCE_MS).catch(
    (error: unknown) => {
      throw new Error(`${place(block)}: ${fault ?? String(error)}\n${block.text}`);
    },
  );
}

const place = ({ page, line }: Block) => `${page}:${line}`;

function localized(text: string): string {
  const { baseUrl, clickhouseUrl, dataDir } = service.supervised;
  return (
    text
      // Without the start of npm, which takes longer than most commands.
      .replaceAll('npm run --silent cli --', `${process.execPath} src/cli/main.ts`)
      .replaceAll('http://127.0.0.1:8080', baseUrl)
      .replaceAll('http://127.0.0.1:8123', clickhouseUrl)
      .replaceAll('./.data/', `${dataDir}/`)
      .replaceAll('9000', String(receiverPort))
  );
}

test('openapi.json contains every endpoint; the probes need no key', async () => {
  const document: { openapi: string; paths: Record<string, Record<string, unknown>> } = JSON.parse(
    await (await fetch(`${service.url}/openapi.json`)).text(),
  );
  const validator = new Validator();
  expect(await validator.validate(structuredClone(document))).toEqual({ valid: true });
  expect(validator.version).toBe('3.1');
  const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const all = routes({ webhookAllowPrivateHosts: [], sessionTtlSeconds: 1800 }).map(
    ({ method, path }) => `${method} ${path}`,
  );
  expect(documented.toSorted()).toEqual(all.toSorted());
  for (const path of ['/healthz', '/readyz', '/metrics']) expect((await fetch(service.url + path)).status).toBe(200);
});

// The last test, because it stops the service.
test('docs/operations.md: the blocks for a stopped service back it up and restore it', async () => {
  const blocks = blocksOf('docs/operations.md').filter(({ info }) => info === 'sh stopped');
  expect(blocks).toHaveLength(2);
  const { supervised } = service;
  const { clickhouseUrl, dataDir, env } = supervised;
  const counted = () => queryAsReader(clickhouseUrl, 'SELECT count() AS events FROM events');
  const player = async () => {
    const path = '/v1/players/players/external/player-1';
    return (await service.call(service.keys.live.server, 'GET', path)).body.data;
  };
  const before = [await counted(), await player()];
  supervised.signal('SIGTERM');
  await supervised.ended;

  const folder = dirname(dataDir);
  const name = basename(dataDir);
  const shell = openShell({ cwd: folder, env });
  try {
    await shell.type(`trap 'echo "${FAILED}: $BASH_COMMAND"' ERR`);
    for (const block of blocks) {
      const text = block.text.replaceAll('.data', name).replaceAll('backup.tgz', `${name}.tgz`);
      expect(await shell.type(text)).toBe('');
    }
  } finally {
    await shell.close();
    for (const left of [`${name}.old`, `${name}.tgz`]) rmSync(join(folder, left), { recursive: true, force: true });
  }

  restored = launch({ env });
  await untilReady(restored);
  expect([await counted(), await player()]).toEqual(before);
});
