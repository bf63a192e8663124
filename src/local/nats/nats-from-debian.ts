import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DEBIAN_SOURCES, unpackDebianPackages } from './debian-packages.ts';

/** The suite with a new enough nats-server; stable suites keep the version of their release. */
const SUITE = 'forky';

/**
 * The packages that this version was tested with. The suite moves on: a newer package has other names, and then the
 * signature of Debian's archive vouches for it alone.
 */
const PINNED: Readonly<Record<string, string>> = {
  'nats-server_2.15.1-1_amd64.deb': '31ef4ceaa84e8248d449e508472e3770c17c3695cb5cb0ee96e03912724ea884',
  'nats-server_2.15.1-1_arm64.deb': '68923b614b6b5594bbd63ffdce7258c2155ec448fb4cb7efd099bf9273eca128',
};

/**
 * Downloads nats-server from Debian's newest suite, on a machine with apt.
 * @param folder private and empty
 */
export async function fetchNatsFromDebian(folder: string): Promise<string> {
  const sources = newestSuite(await readFile(DEBIAN_SOURCES, 'utf8'));
  return join(await unpackDebianPackages(folder, ['nats-server'], sources, PINNED), 'usr', 'sbin', 'nats-server');
}

/**
 * The first paragraph of a deb822 sources file (the main archive; later ones are security updates) with its suites
 * replaced by the newest, and without fields that make apt accept an unsigned archive.
 */
export function newestSuite(sources: string): string {
  const paragraph = sources.split(/\n[ \t]*\n/).find((text) => /^Suites:/m.test(text));
  if (paragraph === undefined) throw new Error(`${DEBIAN_SOURCES} contains no archive`);
  const lines = paragraph.split('\n').filter((line) => !/^(Trusted|Allow-[A-Za-z-]+):/i.test(line));
  return `${lines
    .map((line) => (line.startsWith('Suites:') ? `Suites: ${SUITE}` : line))
    .join('\n')
    .trim()}\n`;
}
