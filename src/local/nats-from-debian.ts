import { execFile } from 'node:child_process';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const SOURCES = '/etc/apt/sources.list.d/debian.sources';
/** The suite that carries a new enough nats-server; stable suites keep the one they were released with. */
const SUITE = 'forky';
const TIMEOUT_MS = 120_000;

/**
 * Fetches nats-server with the machine's own apt, from the mirror it is configured for, without touching the system: the
 * package lists, the cache and the sources file are private copies below `folder`. apt checks the archive's signature.
 * Needs no root.
 */
export async function fetchNatsFromDebian(folder: string): Promise<string> {
  const parts = join(folder, 'parts');
  const lists = join(folder, 'lists');
  const cache = join(folder, 'cache');
  const unpacked = join(folder, 'unpacked');
  await mkdir(parts);
  await mkdir(join(lists, 'partial'), { recursive: true });
  await mkdir(join(cache, 'archives', 'partial'), { recursive: true });
  await writeFile(join(parts, 'newest.sources'), newestSuite(await readFile(SOURCES, 'utf8')));

  const options = [
    ['Dir::Etc::SourceList', '/dev/null'],
    ['Dir::Etc::SourceParts', parts],
    ['Dir::State::Lists', lists],
    ['Dir::Cache', cache],
    ['Acquire::Languages', 'none'],
    // apt's own unprivileged user could not write below a private folder of ours.
    ['APT::Sandbox::User', 'root'],
  ].flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  const apt = (...args: string[]) => run('apt-get', ['-q', ...options, ...args], { cwd: folder, timeout: TIMEOUT_MS });
  await apt('update');
  await apt('download', 'nats-server');

  const archive = (await readdir(folder)).find((name) => name.endsWith('.deb'));
  if (archive === undefined) throw new Error('apt-get download left no package');
  await run('dpkg', ['-x', join(folder, archive), unpacked], { timeout: TIMEOUT_MS });
  return join(unpacked, 'usr', 'sbin', 'nats-server');
}

/**
 * The first paragraph of a deb822 sources file (the main archive; later ones are security updates), with its suites
 * replaced by the newest.
 */
export function newestSuite(sources: string): string {
  const paragraph = sources.split(/\n[ \t]*\n/).find((text) => /^Suites:/m.test(text));
  if (paragraph === undefined) throw new Error(`${SOURCES} holds no archive`);
  return `${paragraph.replace(/^Suites:.*$/m, `Suites: ${SUITE}`).trim()}\n`;
}
