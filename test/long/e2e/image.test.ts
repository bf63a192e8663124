import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { startClickhouse, type TestClickhouse } from '../../support/servers/clickhouse.ts';
import { buildImage, type Image } from '../../support/servers/docker-image.ts';
import { startTestNats, type TestNats } from '../../support/servers/nats.ts';
import { reservedPort } from '../../support/servers/reserved-port.ts';
import { until } from '../../support/until.ts';

/*
 * The image that docker-compose.yml runs: what the Dockerfile copies is complete. It is built in an empty folder, and
 * migrates and serves with nothing but that folder, as its containers do.
 */

interface ComposeService {
  command?: string[];
  healthcheck: { test?: string[] };
}
const compose: { services: Record<string, ComposeService> } = parse(
  readFileSync(fileURLToPath(new URL('../../../docker-compose.yml', import.meta.url)), 'utf8'),
  { merge: true },
);

let folder: string;
let image: Image;
let nats: TestNats | undefined;
let clickhouse: TestClickhouse | undefined;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'player-analytics-image-'));
  image = await buildImage(folder);
}, 600_000);
afterAll(async () => {
  await Promise.all([nats?.stop(), clickhouse?.close()]);
  rmSync(folder, { recursive: true, force: true });
});

test('migrates, serves its API and its console, and writes nothing but its data', async () => {
  const port = await reservedPort();
  nats = await startTestNats();
  clickhouse = await startClickhouse();
  const { address } = clickhouse;
  const env = {
    PATH: process.env['PATH'],
    ...image.env,
    HOST: '127.0.0.1',
    PORT: String(port),
    LOG_LEVEL: 'warn',
    NATS_URL: nats.url,
    CLICKHOUSE_URL: address.url,
    CLICKHOUSE_USER: address.user,
    CLICKHOUSE_PASSWORD: address.password,
    CLICKHOUSE_DATABASE: address.database,
    // The smallest log: this machine holds no 64 GiB.
    FACTS_MAX_BYTES: String(1024 ** 3),
  };
  const options = { cwd: image.workdir, env };
  const before = filesOf(image.workdir);

  const migrate = compose.services['migrate']?.command?.slice(1) ?? [];
  await promisify(execFile)(process.execPath, migrate, options);

  const service = spawn(process.execPath, image.command.slice(1), { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(service, 'exit');
  let output = '';
  for (const stream of [service.stdout, service.stderr])
    stream.on('data', (text: Buffer) => (output += text.toString()));
  try {
    const probe = (compose.services['gateway']?.healthcheck.test ?? []).slice(2);
    const probeHere = probe.map((part) => part.replace(':8080', `:${port}`));
    await until(`the image is healthy`, async () => {
      if (service.exitCode !== null) throw new Error(`the image ended:\n${output}`);
      return promisify(execFile)(process.execPath, probeHere).then(
        () => true,
        () => false,
      );
    });
    const page = await fetch(`http://127.0.0.1:${port}/console`);
    expect(page.status).toBe(200);
    const [, script = ''] = /<script[^>]* src="([^"]+)"/.exec(await page.text()) ?? [];
    expect((await fetch(`http://127.0.0.1:${port}${script}`)).status).toBe(200);
  } finally {
    service.kill('SIGTERM');
    await ended;
  }
  // The containers' root file system is read-only.
  expect(filesOf(image.workdir)).toEqual(before);
});

const filesOf = (path: string): string[] =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
