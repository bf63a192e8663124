import { execFile } from 'node:child_process';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ClientKind } from './client.ts';
import { spawnClient } from './spawned-client.ts';

const run = promisify(execFile);
const PACKAGE = join(import.meta.dirname, '../unity');
/** Left out of the package, and of version control. */
const OUT = join(PACKAGE, 'Conformance~/out');

/**
 * The client of `sdk/unity`, compiled and run by Mono: its core, which knows nothing of Unity. Its layer for Unity is
 * compiled too, against declarations of the few types that it uses.
 */
export async function unityClient(): Promise<ClientKind | { missing: string }> {
  try {
    await run('mcs', ['--version']);
    await run('mono', ['--version']);
  } catch {
    return {
      missing:
        'the C# client needs Mono (Debian: apt-get install mono-mcs mono-runtime libmono-system-net-http4.0-cil)',
    };
  }
  await mkdir(OUT, { recursive: true });
  const program = join(OUT, 'conformance.exe');
  const core = await sources('Runtime/Core');
  const own = await sources('Conformance~/Program');
  const options = ['-langversion:7.2', '-warnaserror', '-nologo', '-r:System.Net.Http.dll'];
  await compile([...options, `-out:${program}`, ...core, ...own]);
  const layer = [
    ...(await sources('Runtime/Unity')),
    ...(await sources('Samples~')),
    ...(await sources('Conformance~/UnityEngine')),
  ];
  await compile([...options, '-target:library', `-out:${join(OUT, 'layer.dll')}`, ...core, ...layer]);
  return { name: 'unity', features: ['log'], launch: () => spawnClient('mono', [program]) };
}

async function sources(folder: string): Promise<string[]> {
  const names = await readdir(join(PACKAGE, folder), { recursive: true });
  return names.filter((name) => name.endsWith('.cs')).map((name) => join(PACKAGE, folder, name));
}

async function compile(args: readonly string[]): Promise<void> {
  try {
    await run('mcs', [...args]);
  } catch (error) {
    const { stdout, stderr } = Object(error);
    throw new Error(`mcs failed:\n${stdout}${stderr}`, { cause: error });
  }
}
