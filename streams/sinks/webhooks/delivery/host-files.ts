import { readFileSync, statSync } from 'node:fs';

/** What the files of the system say of names: `/etc/hosts`, and the search list of `/etc/resolv.conf`. */
export interface HostFiles {
  /** Addresses of a name in lower case; empty: the file does not know it. */
  addressesOf(name: string): readonly string[];
  /** Suffixes to try for names that are not found as they are. */
  searchDomains(): readonly string[];
}

const SEARCH_DOMAINS = 6;

/** Reads the files again when they have changed. They are small, local, and read without libuv's threads. */
export function openHostFiles(hostsPath = '/etc/hosts', resolvPath = '/etc/resolv.conf'): HostFiles {
  const hosts = watched(hostsPath, parseHosts);
  const search = watched(resolvPath, parseSearch);
  return {
    addressesOf: (name) => hosts().get(name) ?? [],
    searchDomains: search,
  };
}

function watched<T>(path: string, parse: (text: string) => T): () => T {
  let version = '';
  let value = parse('');
  return () => {
    const stat = statSync(path, { throwIfNoEntry: false });
    const now = stat === undefined ? '' : `${stat.ino} ${stat.mtimeMs} ${stat.size}`;
    if (now !== version) {
      version = now;
      value = parse(textOf(path));
    }
    return value;
  };
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** `<address> <name> <name> …` a line, `#` begins a comment. */
export function parseHosts(text: string): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = (line.split('#', 1)[0] ?? '').trim().split(/[ \t]+/);
    for (const name of names) {
      const held = found.get(name.toLowerCase());
      if (held === undefined) found.set(name.toLowerCase(), [address]);
      else held.push(address);
    }
  }
  return found;
}

/** The last `search` or `domain` line counts. */
export function parseSearch(text: string): readonly string[] {
  let domains: string[] = [];
  for (const line of text.split('\n')) {
    const [word, ...rest] = line.trim().split(/[ \t]+/);
    if (word === 'search' || word === 'domain') domains = rest;
  }
  return domains.slice(0, SEARCH_DOMAINS).map((domain) => domain.replace(/\.$/, ''));
}
