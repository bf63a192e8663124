import { readFileSync, statSync } from 'node:fs';

/** Names from the system's files: `/etc/hosts`, and the search list of `/etc/resolv.conf`. */
export interface HostFiles {
  /** Addresses of a name, given in lower case; empty if the file does not list it. */
  addressesOf(name: string): readonly string[];
  /** Suffixes to try for a name that DNS does not find as it is. */
  searchDomains(): readonly string[];
}

const SEARCH_DOMAINS = 6;

/** Reads the files again when they change, synchronously: they are small and local, and libuv's threads stay free. */
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

/** One `<address> <name> <name> …` per line; `#` starts a comment. */
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
