import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DEBIAN_SOURCES, unpackDebianPackages } from './debian-packages.ts';

/** The suite with a new enough nats-server; stable suites keep the version of their release. */
const SUITE = 'forky';

/**
 * Downloads nats-server from Debian's newest suite, on a machine with apt.
 * @param folder private and empty
 */
export async function fetchNatsFromDebian(folder: string): Promise<string> {
  const sources = newestSuite(await readFile(DEBIAN_SOURCES, 'utf8'));
  return join(await unpackDebianPackages(folder, ['nats-server'], sources), 'usr', 'sbin', 'nats-server');
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
