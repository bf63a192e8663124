import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The archives that a Debian machine uses, in deb822 form. */
export const DEBIAN_SOURCES = '/etc/apt/sources.list.d/debian.sources';
const TIMEOUT_MS = 120_000;

/**
 * Downloads packages with the machine's apt and unpacks them without changing the system and without root: package
 * lists, cache and sources file are private copies below `folder`. Apt must verify the archive's signature, whatever
 * the machine's settings are, and with it the hash of each package.
 * @param folder private and empty
 * @param sources the archives to use, in the form of `DEBIAN_SOURCES`
 * @param pinned SHA-256 of packages by file name. Suites change: packages with other names have apt's check only.
 * @returns the folder that corresponds to `/` in the packages. Dependencies are not downloaded.
 */
export async function unpackDebianPackages(
  folder: string,
  packages: readonly string[],
  sources: string,
  pinned: Readonly<Record<string, string>> = {},
): Promise<string> {
  const parts = join(folder, 'parts');
  const lists = join(folder, 'lists');
  const cache = join(folder, 'cache');
  const unpacked = join(folder, 'unpacked');
  await mkdir(parts);
  await mkdir(join(lists, 'partial'), { recursive: true });
  await mkdir(join(cache, 'archives', 'partial'), { recursive: true });
  await writeFile(join(parts, 'chosen.sources'), sources);

  const options = [
    ['Dir::Etc::SourceList', '/dev/null'],
    ['Dir::Etc::SourceParts', parts],
    ['Dir::State::Lists', lists],
    ['Dir::Cache', cache],
    ['Acquire::Languages', 'none'],
    ['APT::Get::AllowUnauthenticated', 'false'],
    ['Acquire::AllowInsecureRepositories', 'false'],
    ['Acquire::AllowWeakRepositories', 'false'],
    ['Acquire::AllowDowngradeToInsecureRepositories', 'false'],
    // apt's unprivileged user cannot write below this private folder.
    ['APT::Sandbox::User', 'root'],
  ].flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  const apt = (...args: string[]) => run('apt-get', ['-q', ...options, ...args], { cwd: folder, timeout: TIMEOUT_MS });
  await apt('update');
  await apt('download', ...packages);

  const archives = (await readdir(folder)).filter((name) => name.endsWith('.deb'));
  if (archives.length < packages.length) {
    throw new Error(`apt-get download fetched ${archives.length} of ${packages.length} packages`);
  }
  for (const archive of archives) await checkPinned(join(folder, archive), pinned[archive]);
  for (const archive of archives) await run('dpkg', ['-x', join(folder, archive), unpacked], { timeout: TIMEOUT_MS });
  return unpacked;
}

/** Throws if a file does not have the expected SHA-256. */
export async function checkPinned(path: string, expected: string | undefined): Promise<void> {
  if (expected === undefined) return;
  const actual = createHash('sha256')
    .update(await readFile(path))
    .digest('hex');
  if (actual !== expected) throw new Error(`${basename(path)} has the SHA-256 ${actual}; ${expected} is expected`);
}
