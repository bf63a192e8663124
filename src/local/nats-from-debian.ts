import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DEBIAN_SOURCES, unpackDebianPackages } from './debian-packages.ts';

/** The suite that carries a new enough nats-server; stable suites keep the one they were released with. */
const SUITE = 'forky';

/** Fetches nats-server from Debian's newest suite, on a machine that has apt. @param folder private and empty */
export async function fetchNatsFromDebian(folder: string): Promise<string> {
  const sources = newestSuite(await readFile(DEBIAN_SOURCES, 'utf8'));
  return join(await unpackDebianPackages(folder, ['nats-server'], sources), 'usr', 'sbin', 'nats-server');
}

/**
 * The first paragraph of a deb822 sources file (the main archive; later ones are security updates), with its suites
 * replaced by the newest, and without what would have apt trust it unsigned.
 */
export function newestSuite(sources: string): string {
  const paragraph = sources.split(/\n[ \t]*\n/).find((text) => /^Suites:/m.test(text));
  if (paragraph === undefined) throw new Error(`${DEBIAN_SOURCES} holds no archive`);
  const lines = paragraph.split('\n').filter((line) => !/^(Trusted|Allow-[A-Za-z-]+):/i.test(line));
  return `${lines
    .map((line) => (line.startsWith('Suites:') ? `Suites: ${SUITE}` : line))
    .join('\n')
    .trim()}\n`;
}
