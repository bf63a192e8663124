import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DEBIAN_SOURCES } from '../../src/local/nats/debian-packages.ts';
import { newestSuite } from '../../src/local/nats/nats-from-debian.ts';

const run = promisify(execFile);
const DATA = join(import.meta.dirname, '../../.data');
const FOLDER = join(DATA, 'godot');
/** Starts the Godot that was fetched. */
export const fetchedGodot = join(FOLDER, 'run');

/** Drivers of graphics cards and fonts: large, and a process without a window needs none. */
const UNUSED = /^(libllvm|mesa-|xkb-data|fonts-)/;
const TIMEOUT_MS = 600_000;

/**
 * Downloads Godot 4 from Debian's newest suite with everything that it links, because stable suites have too old a C
 * library for it, and unpacks it below `.data`. The system stays as it is.
 */
export async function fetchGodot(): Promise<void> {
  await mkdir(DATA, { recursive: true });
  const folder = await mkdtemp(join(DATA, 'godot-'));
  try {
    const cache = join(folder, 'cache');
    for (const each of ['parts', 'lists/partial', 'cache/archives/partial', 'root']) {
      await mkdir(join(folder, each), { recursive: true });
    }
    await writeFile(join(folder, 'parts/chosen.sources'), newestSuite(await readFile(DEBIAN_SOURCES, 'utf8')));
    // As if nothing were installed: then apt downloads every dependency.
    await writeFile(join(folder, 'status'), '');
    const options = [
      ['Dir::Etc::SourceList', '/dev/null'],
      ['Dir::Etc::SourceParts', join(folder, 'parts')],
      ['Dir::State::Lists', join(folder, 'lists')],
      ['Dir::State::Status', join(folder, 'status')],
      ['Dir::Cache', cache],
      ['Acquire::Languages', 'none'],
      ['Acquire::AllowInsecureRepositories', 'false'],
      ['APT::Get::AllowUnauthenticated', 'false'],
      ['APT::Install-Recommends', 'false'],
      // apt's unprivileged user cannot write below this private folder.
      ['APT::Sandbox::User', 'root'],
    ].flatMap(([name, value]) => ['-o', `${name}=${value}`]);
    const apt = (...args: string[]) => run('apt-get', ['-q', '-y', ...options, ...args], { timeout: TIMEOUT_MS });
    await apt('update');
    await apt('--download-only', 'install', 'godot');
    const archives = (await readdir(join(cache, 'archives'))).filter((name) => name.endsWith('.deb'));
    for (const archive of archives.filter((name) => !UNUSED.test(name))) {
      await run('dpkg', ['-x', join(cache, 'archives', archive), join(folder, 'root')], { timeout: TIMEOUT_MS });
    }
    await rm(FOLDER, { recursive: true, force: true });
    await rename(join(folder, 'root'), FOLDER);
    await writeFile(fetchedGodot, STARTER);
    await chmod(fetchedGodot, 0o755);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** With the C library and the loader that it was built for. */
const STARTER = `#!/bin/sh
root=$(dirname "$0")
libraries=$(ls -d "$root"/usr/lib/*-linux-gnu)
loader=$(ls "$root"/usr/lib/*-linux-gnu/ld-linux*.so.* | head -n 1)
exec "$loader" --library-path "$libraries:$libraries/pulseaudio" "$root/usr/bin/godot" "$@"
`;
