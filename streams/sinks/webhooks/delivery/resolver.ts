import { type LookupOptions, Resolver } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { within, type Clock } from '../../../../src/kernel/clock.ts';
import { LIMITS } from '../../../../src/kernel/limits.ts';
import { openHostFiles, type HostFiles } from './host-files.ts';

export interface ResolverOptions {
  clock: Clock;
  /** DNS servers (`address:port`); those of the system when left out. */
  servers?: readonly string[];
  hostFiles?: HostFiles;
}

interface Found {
  address: string;
  family: 4 | 6;
}
type Answer = { kind: 'found'; addresses: readonly Found[] } | { kind: 'failed'; code: string };

/**
 * Looks names up for connections, in place of Node's `dns.lookup`. That one holds a thread of libuv for as long as a name
 * server takes, and two of its four threads take look-ups: two names whose servers never answer hold up every other look-up
 * of the process for ten seconds. Here queries wait on sockets only.
 *
 * It reads `/etc/hosts`, then asks DNS for A and AAAA, then once more under the search domains of `/etc/resolv.conf`. Other
 * sources of the system (mDNS, NIS) are not asked. A look-up ends within `LIMITS.dnsLookupMs`; one name is asked for once at
 * a time, and not again for `LIMITS.dnsFailureMs` after it failed.
 */
export function createResolver(options: ResolverOptions): LookupFunction {
  const { clock } = options;
  const hostFiles = options.hostFiles ?? openHostFiles();
  const underWay = new Map<string, Promise<Answer>>();
  const failures = new Map<string, { code: string; untilMs: number }>();

  async function find(name: string): Promise<Answer> {
    const local = hostFiles.addressesOf(name).flatMap(foundOf);
    if (local.length > 0) return { kind: 'found', addresses: local };
    // RFC 6761: never sent to a name server.
    if (name === 'localhost' || name.endsWith('.localhost')) return { kind: 'found', addresses: LOOPBACK };
    const resolver = new Resolver({ timeout: LIMITS.dnsTryMs, tries: LIMITS.dnsTries });
    if (options.servers !== undefined) resolver.setServers(options.servers);
    try {
      return (await within(clock, LIMITS.dnsLookupMs, ask(resolver, name))) ?? { kind: 'failed', code: 'ETIMEOUT' };
    } finally {
      resolver.cancel();
    }
  }

  async function ask(resolver: Resolver, name: string): Promise<Answer> {
    const absolute = name.endsWith('.');
    const search = absolute ? [] : hostFiles.searchDomains().map((domain) => `${name}.${domain}`);
    const plain = absolute ? name.slice(0, -1) : name;
    let answer: Answer = { kind: 'failed', code: 'ENOTFOUND' };
    for (const candidate of [plain, ...search]) {
      answer = await askBoth(resolver, candidate);
      if (answer.kind === 'found' || answer.code !== 'ENOTFOUND') return answer;
    }
    return answer;
  }

  function lookUp(name: string): Promise<Answer> {
    const failure = failures.get(name);
    if (failure !== undefined && clock.monotonicMs() < failure.untilMs) {
      return Promise.resolve({ kind: 'failed', code: failure.code });
    }
    const held = underWay.get(name);
    if (held !== undefined) return held;
    if (underWay.size >= LIMITS.dnsLookups) return Promise.resolve({ kind: 'failed', code: 'EBUSY' });
    const looking = find(name).then((answer) => {
      underWay.delete(name);
      failures.delete(name);
      if (answer.kind === 'failed') {
        if (failures.size >= LIMITS.dnsFailures) failures.delete(failures.keys().next().value ?? '');
        failures.set(name, { code: answer.code, untilMs: clock.monotonicMs() + LIMITS.dnsFailureMs });
      }
      return answer;
    });
    underWay.set(name, looking);
    return looking;
  }

  async function resultOf(hostname: string, { family }: LookupOptions): Promise<readonly Found[] | string> {
    const direct = foundOf(hostname);
    const answer: Answer =
      direct.length > 0 ? { kind: 'found', addresses: direct } : await lookUp(hostname.toLowerCase());
    if (answer.kind === 'failed') return answer.code;
    const wanted = family === 'IPv4' ? 4 : family === 'IPv6' ? 6 : (family ?? 0);
    const found = answer.addresses.filter((each) => wanted === 0 || each.family === wanted);
    return found.length > 0 ? found : 'ENOTFOUND';
  }

  async function reply(...[hostname, lookup, callback]: Parameters<LookupFunction>): Promise<void> {
    const result = await resultOf(hostname, lookup);
    if (typeof result === 'string') callback(lookupError(result, hostname), '', 0);
    else if (lookup.all === true) callback(null, [...result]);
    else callback(null, result[0]?.address ?? '', result[0]?.family);
  }

  return (hostname, lookup, callback) => void reply(hostname, lookup, callback);
}

const LOOPBACK: readonly Found[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

function foundOf(address: string): Found[] {
  const family = isIP(address);
  return family === 4 || family === 6 ? [{ address, family }] : [];
}

/** IPv4 first, as `net.connect` tries them in order. A family without an answer does not spoil the other. */
async function askBoth(resolver: Resolver, name: string): Promise<Answer> {
  const [four, six] = await Promise.all([
    new Promise<string[] | string>((resolve) => {
      resolver.resolve4(name, (error, addresses) => resolve(error === null ? addresses : (error.code ?? 'EAI_FAIL')));
    }),
    new Promise<string[] | string>((resolve) => {
      resolver.resolve6(name, (error, addresses) => resolve(error === null ? addresses : (error.code ?? 'EAI_FAIL')));
    }),
  ]);
  const addresses = [four, six].flatMap((answer) => (typeof answer === 'string' ? [] : answer)).flatMap(foundOf);
  if (addresses.length > 0) return { kind: 'found', addresses: addresses.slice(0, LIMITS.dnsAddresses) };
  const codes = [four, six].map((answer) =>
    answer === 'ENODATA' || typeof answer !== 'string' ? 'ENOTFOUND' : answer,
  );
  return { kind: 'failed', code: codes.find((code) => code !== 'ENOTFOUND') ?? 'ENOTFOUND' };
}

function lookupError(code: string, hostname: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: the look-up of ${hostname} failed`), { code, syscall: 'lookup', hostname });
}
