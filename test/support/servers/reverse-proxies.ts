import { execFile, spawn } from 'node:child_process';
import { access, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { DEBIAN_SOURCES, unpackDebianPackages } from '../../../src/local/nats/debian-packages.ts';
import { reservedPort } from './reserved-port.ts';
import { until } from '../until.ts';

const run = promisify(execFile);

/** A reverse proxy in its own process, with the shipped configuration. */
export interface ReverseProxy {
  readonly port: number;
  stop(): Promise<void>;
}

/** How to find and run one kind of proxy. */
interface Kind {
  /** Its path below `/` in the Debian package. */
  program: string;
  /** Its Debian package, and those of libraries that a minimal system lacks. */
  packages: readonly string[];
  versionArgs: readonly string[];
  /** The file in `deploy/`, and the one for two gateways. */
  config: string;
  forTwo: string;
  /** The text of its listening address in that file, as a function of the address. */
  listens: (address: string) => string;
  /** Builds the file that runs it in its own folder from the adapted one. */
  wrap: (config: string, folder: string) => string;
  args: (file: string, folder: string) => string[];
}

const KINDS = {
  nginx: {
    program: 'usr/sbin/nginx',
    packages: ['nginx'],
    versionArgs: ['-v'],
    config: 'nginx/player-analytics.conf',
    forTwo: 'nginx/two-gateways.conf',
    listens: (address) => `listen ${address};`,
    wrap: (config, folder) =>
      [
        'daemon off; master_process off; error_log stderr warn; events {}',
        `pid ${folder}/pid;`,
        'http { access_log off;',
        ...['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${folder}/${kind};`),
        config,
        '}',
      ].join('\n'),
    args: (file, folder) => ['-p', folder, '-e', 'stderr', '-c', file],
  },
  caddy: {
    program: 'usr/bin/caddy',
    packages: ['caddy'],
    versionArgs: ['version'],
    config: 'caddy/Caddyfile',
    forTwo: 'caddy/two-gateways.Caddyfile',
    listens: (address) => `${address} {\n`,
    wrap: (config) => `{\n\tadmin off\n\tauto_https off\n}\n${config}`,
    args: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
  },
  haproxy: {
    program: 'usr/sbin/haproxy',
    packages: ['haproxy', 'liblua5.3-0', 'libopentracing-c-wrapper0', 'libopentracing1'],
    versionArgs: ['-v'],
    config: 'haproxy/haproxy.cfg',
    forTwo: 'haproxy/two-gateways.cfg',
    listens: (address) => `bind ${address}\n`,
    wrap: (config) => config,
    args: (file) => ['-db', '-f', file],
  },
} as const satisfies Record<string, Kind>;

export type ProxyName = keyof typeof KINDS;
export const PROXY_NAMES: readonly ProxyName[] = ['nginx', 'caddy', 'haproxy'];

/** A program that runs here, with the environment that it needs. */
interface Program {
  path: string;
  env: NodeJS.ProcessEnv;
}

/**
 * The proxy's program: the machine's own, or Debian's, which is downloaded once into the user's cache folder. Rejects
 * with the reason when neither is available.
 */
async function findProgram(name: ProxyName): Promise<Program> {
  const kind: Kind = KINDS[name];
  const installed = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/bin'];
  for (const folder of installed.filter((entry) => entry !== '')) {
    const program = { path: join(folder, name), env: process.env };
    if (await runs(program, kind)) return program;
  }
  const base = process.env['XDG_CACHE_HOME'] ?? '';
  const cache = join(base === '' ? join(homedir(), '.cache') : base, 'player-analytics');
  const root = join(cache, `debian-${name}`);
  const fetched = inRoot(root, kind);
  if (await runs(fetched, kind)) return fetched;

  await mkdir(cache, { recursive: true });
  const scratch = await mkdtemp(join(cache, 'fetch-'));
  try {
    const unpacked = await unpackDebianPackages(scratch, kind.packages, await readFile(DEBIAN_SOURCES, 'utf8'));
    if (!(await runs(inRoot(unpacked, kind), kind))) throw new Error('what was fetched does not run here');
    await rm(root, { recursive: true, force: true });
    await rename(unpacked, root);
    return fetched;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

function inRoot(root: string, kind: Kind): Program {
  const triplet = `${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu`;
  return {
    path: join(root, kind.program),
    env: { ...process.env, LD_LIBRARY_PATH: join(root, 'usr/lib', triplet) },
  };
}

async function runs({ path, env }: Program, { versionArgs }: Kind): Promise<boolean> {
  try {
    await access(path);
    await run(path, [...versionArgs], { env, timeout: 10_000 });
    return true;
  } catch {
    return false;
  }
}

/**
 * Starts the proxy in front of a port, or of two with the file for two gateways. Rejects with the reason when its
 * program is not available.
 */
export async function startReverseProxy(
  name: ProxyName,
  targetPort: number,
  secondPort?: number,
): Promise<ReverseProxy> {
  const kind: Kind = KINDS[name];
  const { path, env } = await findProgram(name).catch((error: unknown) => {
    throw new Error(`${name} is not installed, and Debian's cannot be had: ${String(error)}`);
  });
  const port = await reservedPort();
  const folder = await mkdtemp(join(tmpdir(), `player-analytics-${name}-`));
  let config = await readFile(
    new URL(`../../../deploy/${secondPort === undefined ? kind.config : kind.forTwo}`, import.meta.url),
    'utf8',
  );
  const shipped = name === 'nginx' ? '80' : ':80';
  config = replaceOnce(
    config,
    kind.listens(shipped),
    kind.listens(`${name === 'caddy' ? 'http://' : ''}127.0.0.1:${port}`),
  );
  config = replaceOnce(config, '127.0.0.1:8080', `127.0.0.1:${targetPort}`);
  if (secondPort !== undefined) config = replaceOnce(config, '127.0.0.1:8081', `127.0.0.1:${secondPort}`);
  const file = join(folder, 'config');
  await writeFile(file, kind.wrap(config, folder));

  const child = spawn(path, kind.args(file, folder), {
    env: { ...env, HOME: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  let ended = false;
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (said = (said + data).slice(-8_000)));
  const exit = new Promise<void>((resolve) => child.once('close', () => resolve())).then(() => (ended = true));
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exit;
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await until(`${name} listens`, async () => {
      if (ended) throw new Error(`${name} ended: ${said}`);
      return accepts(port);
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return { port, stop };
}

/** Replaces the only occurrence. Throws otherwise, because the proxy would run with the shipped file unchanged. */
function replaceOnce(text: string, what: string, by: string): string {
  const parts = text.split(what);
  if (parts.length !== 2)
    throw new Error(`${JSON.stringify(what)} stands ${parts.length - 1} times in the configuration`);
  return parts.join(by);
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
}
