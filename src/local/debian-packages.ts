import { execFile } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The archives that a Debian machine uses, in deb822 form. */
export const DEBIAN_SOURCES = '/etc/apt/sources.list.d/debian.sources';
const TIMEOUT_MS = 120_000;

/**
 * Downloads packages with the machine's apt and unpacks them without changing the system and without root: package
 * lists, cache and sources file are private copies below `folder`. Package hashes are not pinned, because suites
 * change; apt must verify the archive's signature instead, whatever the machine's settings are.
 * @param folder private and empty
 * @param sources the archives to use, in the form of `DEBIAN_SOURCES`
 * @returns the folder that corresponds to `/` in the packages. Dependencies are not downloaded.
 */
export async function unpackDebianPackages(
  folder: string,
  packages: readonly string[],
  sources: string,
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
  for (const archive of archives) await run('dpkg', ['-x', join(folder, archive), unpacked], { timeout: TIMEOUT_MS });
  return unpacked;
}
