import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, chmod, constants, mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { fetchNatsFromDebian } from './nats-from-debian.ts';
import { fetchNatsFromRelease } from './nats-from-release.ts';

const run = promisify(execFile);

/** Message schedules (`Nats-Schedule`), on which webhook retries rest, came with 2.12. */
const OLDEST_USABLE = [2, 12, 0] as const;

/** `missing`: nothing usable was found nor could be fetched; `message` says what was tried and what to do. */
export type NatsServer = { kind: 'found'; path: string; version: string } | { kind: 'missing'; message: string };

export interface FindOptions {
  env?: Readonly<Record<string, string | undefined>>;
  /** Told what is going on, for whoever waits. */
  report?: (line: string) => void;
  /** Ways to fetch, tried in order; each puts a binary at the given path or says why it cannot. */
  fetchers?: readonly Fetcher[];
}

export interface Fetcher {
  name: string;
  /**
   * Leaves a `nats-server` binary somewhere below `folder` (private, empty).
   * @returns its path; throws with a readable message when this way does not work here.
   */
  fetch(folder: string): Promise<string>;
}

const FETCHERS: readonly Fetcher[] = [
  { name: "Debian's newest suite", fetch: fetchNatsFromDebian },
  { name: 'the official release', fetch: fetchNatsFromRelease },
];

/**
 * A `nats-server` that is new enough: the one on PATH, else the one fetched earlier, else one fetched now. The fetched
 * one lives in the user's cache folder, so every clone on the machine shares it. Its folder is named after its SHA-256, which
 * is checked before it runs; what is not as it was fetched, or others may write, is not used.
 */
export async function findNatsServer(options: FindOptions = {}): Promise<NatsServer> {
  const env = options.env ?? process.env;
  const report = options.report ?? (() => {});
  const folder = cacheFolder(env);

  for (const path of [...onPath(env), ...(await cachedIn(folder, report))]) {
    const version = await versionOf(path);
    if (version !== undefined && isUsable(version)) return { kind: 'found', path, version };
    if (version !== undefined) report(`${path} is ${version}, too old`);
  }

  const failures: string[] = [];
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const fetcher of options.fetchers ?? FETCHERS) {
    report(`fetching nats-server from ${fetcher.name} …`);
    const scratch = await mkdtemp(join(folder, 'fetch-'));
    try {
      const fetched = await fetcher.fetch(scratch);
      await chmod(fetched, 0o700);
      const version = await versionOf(fetched);
      if (version === undefined) throw new Error('what was fetched does not run here');
      if (!isUsable(version)) throw new Error(`it has only ${version}`);
      const home = join(folder, `sha256-${await sha256Of(fetched)}`);
      const cached = join(home, 'nats-server');
      await mkdir(home, { recursive: true, mode: 0o700 });
      // The rename is atomic: two processes that fetch at once both end with a whole file.
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
      `No nats-server ${OLDEST_USABLE.slice(0, 2).join('.')} or newer was found, and none could be fetched:`,
      ...failures.map((failure) => `  - ${failure}`),
      'Install nats-server >= 2.12 on PATH, or set NATS_URL to a running one.',
    ].join('\n'),
  };
}

/** Binaries in the cache that are what was fetched. Nothing of them has been run. */
async function cachedIn(folder: string, report: (line: string) => void): Promise<string[]> {
  const good: string[] = [];
  const names = (await readdir(folder).catch(() => [])).filter((name) => /^sha256-[0-9a-f]{64}$/.test(name));
  for (const name of names) {
    const home = join(folder, name);
    const path = join(home, 'nats-server');
    const [isOurs, sha256] = [await areOnlyOurs([folder, home, path]), await sha256Of(path).catch(() => '')];
    if (!isOurs) report(`${path} can be changed by other users; it is not used`);
    else if (name !== `sha256-${sha256}`) report(`${path} is not what was fetched; it is not used`);
    else good.push(path);
  }
  return good;
}

async function sha256Of(path: string): Promise<string> {
  const bytes = await readFile(path);
  return createHash('sha256').update(bytes).digest('hex');
}

/** Whether only this user and root can write them. */
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

/** The version a binary reports, e.g. `2.15.1`; `undefined` when there is none or it does not run. */
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
