import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, chmod, constants, mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { fetchNatsFromDebian } from './nats-from-debian.ts';
import { fetchNatsFromRelease } from './nats-from-release.ts';

const run = promisify(execFile);

/** The first version with message schedules (`Nats-Schedule`), which webhook retries use. */
const OLDEST_USABLE = [2, 12, 0] as const;

/** `missing`: no usable binary was found or downloaded; `message` lists the attempts and the remedies. */
export type NatsServer = { kind: 'found'; path: string; version: string } | { kind: 'missing'; message: string };

export interface FindOptions {
  env?: Readonly<Record<string, string | undefined>>;
  /** Receives a line for each step that takes long or fails. */
  report?: (line: string) => void;
  /** Sources to download from, tried in order. */
  fetchers?: readonly Fetcher[];
}

export interface Fetcher {
  name: string;
  /**
   * Downloads a `nats-server` binary to a path below `folder` (private, empty).
   * @returns the path; throws with a readable message if this source does not work on this machine.
   */
  fetch(folder: string): Promise<string>;
}

const FETCHERS: readonly Fetcher[] = [
  { name: "Debian's newest suite", fetch: fetchNatsFromDebian },
  { name: 'the official release', fetch: fetchNatsFromRelease },
];

/**
 * Finds a `nats-server` that is new enough: on PATH, in the cache, or downloaded now. The cache is in the user's cache
 * folder, so all clones on the machine share it. A cached binary's folder is named after its SHA-256, which is checked
 * before each use. A binary that was modified, or that other users can write, is not used.
 */
export async function findNatsServer(options: FindOptions = {}): Promise<NatsServer> {
  const env = options.env ?? process.env;
  const report = options.report ?? (() => {});
  const folder = cacheFolder(env);

  for (const path of [...onPath(env), ...(await cachedIn(folder, report))]) {
    const version = await versionOf(path);
    if (version !== undefined && isUsable(version)) return { kind: 'found', path, version };
    if (version !== undefined) report(`${path} has version ${version}, which is too old`);
  }

  const failures: string[] = [];
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const fetcher of options.fetchers ?? FETCHERS) {
    report(`downloading nats-server from ${fetcher.name} …`);
    const scratch = await mkdtemp(join(folder, 'fetch-'));
    try {
      const fetched = await fetcher.fetch(scratch);
      await chmod(fetched, 0o700);
      const version = await versionOf(fetched);
      if (version === undefined) throw new Error('the downloaded binary does not run on this machine');
      if (!isUsable(version)) throw new Error(`its version ${version} is too old`);
      const home = join(folder, `sha256-${await sha256Of(fetched)}`);
      const cached = join(home, 'nats-server');
      await mkdir(home, { recursive: true, mode: 0o700 });
      // The rename is atomic: two processes that download at once both get a complete file.
      await rename(fetched, cached);
      return { kind: 'found', path: cached, version };
    } catch (error) {
      failures.push(`${fetcher.name}: ${error instanceof Error ? firstLine(error.message) : String(error)}`);
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  }
  return {
    kind: 'missing',
    message: [
      `No nats-server ${OLDEST_USABLE.slice(0, 2).join('.')} or newer was found, and the download failed:`,
      ...failures.map((failure) => `  - ${failure}`),
      'Install nats-server 2.12 or newer on PATH, or set NATS_URL to a running server.',
    ].join('\n'),
  };
}

/** Unmodified binaries in the cache. None of them has been run. */
async function cachedIn(folder: string, report: (line: string) => void): Promise<string[]> {
  const good: string[] = [];
  const names = (await readdir(folder).catch(() => [])).filter((name) => /^sha256-[0-9a-f]{64}$/.test(name));
  for (const name of names) {
    const home = join(folder, name);
    const path = join(home, 'nats-server');
    const [isOurs, sha256] = [await areOnlyOurs([folder, home, path]), await sha256Of(path).catch(() => '')];
    if (!isOurs) report(`${path} is not used, because other users can change it`);
    else if (name !== `sha256-${sha256}`) report(`${path} is not used, because it changed after the download`);
    else good.push(path);
  }
  return good;
}

async function sha256Of(path: string): Promise<string> {
  const bytes = await readFile(path);
  return createHash('sha256').update(bytes).digest('hex');
}

/** Whether only this user and root can write the files. */
async function areOnlyOurs(paths: readonly string[]): Promise<boolean> {
  const stats = await Promise.all(paths.map((path) => stat(path).catch(() => undefined)));
  return stats.every((found) => found !== undefined && (found.mode & 0o022) === 0 && isUs(found.uid));
}

const isUs = (uid: number): boolean => uid === 0 || uid === process.getuid?.();

function cacheFolder(env: Readonly<Record<string, string | undefined>>): string {
  const base = env['XDG_CACHE_HOME'];
  return join(base === undefined || base === '' ? join(homedir(), '.cache') : base, 'player-analytics');
}

function onPath(env: Readonly<Record<string, string | undefined>>): string[] {
  return (env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, 'nats-server'));
}

/** The version that a binary reports, e.g. `2.15.1`; `undefined` if it is missing or does not run. */
async function versionOf(path: string): Promise<string | undefined> {
  try {
    await access(path, constants.X_OK);
    const { stdout } = await run(path, ['--version'], { timeout: 10_000 });
    return /v?(\d{1,9}\.\d{1,9}\.\d{1,9})/.exec(stdout)?.[1];
  } catch {
    return undefined;
  }
}

function isUsable(version: string): boolean {
  const parts = version.split('.').map(Number);
  for (const [place, oldest] of OLDEST_USABLE.entries()) {
    const part = parts[place] ?? 0;
    if (part !== oldest) return part > oldest;
  }
  return true;
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? text;
}
