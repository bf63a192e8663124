import { type LookupOptions, Resolver } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { within, type Clock } from '../../../../../core/kernel/clock.ts';
import { DELIVERY_HTTP_LIMITS } from './limits.ts';
import { openHostFiles, type HostFiles } from './host-files.ts';

export interface ResolverOptions {
  clock: Clock;
  /** DNS servers (`address:port`); those of the system by default. */
  servers?: readonly string[];
  hostFiles?: HostFiles;
}

interface Address {
  address: string;
  family: 4 | 6;
}
type Answer = { kind: 'found'; addresses: readonly Address[] } | { kind: 'failed'; code: string };

/**
 * Looks up names for connections, in place of Node's `dns.lookup`. That function holds one of libuv's threads until
 * the name server answers, and only two threads do look-ups: two unresponsive name servers would block all other
 * look-ups of the process for ten seconds. Here queries wait on sockets only.
 *
 * It reads `/etc/hosts`, then queries DNS for A and AAAA, then again with the search domains of `/etc/resolv.conf`.
 * It does not use other sources of the system (mDNS, NIS).
 *
 * Invariants
 * 1. A look-up ends within `dnsLookupMs`, and at most `dnsLookups` are in progress.
 * 2. One name has one look-up in progress, and none for `dnsFailureMs` after a failure.
 */
export function createResolver(options: ResolverOptions): LookupFunction {
  const { clock } = options;
  const hostFiles = options.hostFiles ?? openHostFiles();
  const inProgress = new Map<string, Promise<Answer>>();
  const failures = new Map<string, { code: string; untilMs: number }>();

  async function find(name: string): Promise<Answer> {
    const local = hostFiles.addressesOf(name).flatMap(addressesOf);
    if (local.length > 0) return { kind: 'found', addresses: local };
    // RFC 6761: localhost is never sent to a name server.
    if (name === 'localhost' || name.endsWith('.localhost')) return { kind: 'found', addresses: LOOPBACK };
    const resolver = new Resolver({ timeout: DELIVERY_HTTP_LIMITS.dnsTryMs, tries: DELIVERY_HTTP_LIMITS.dnsTries });
    if (options.servers !== undefined) resolver.setServers(options.servers);
    try {
      return (
        (await within(clock, DELIVERY_HTTP_LIMITS.dnsLookupMs, query(resolver, name))) ?? {
          kind: 'failed',
          code: 'ETIMEOUT',
        }
      );
    } finally {
      resolver.cancel();
    }
  }

  async function query(resolver: Resolver, name: string): Promise<Answer> {
    const absolute = name.endsWith('.');
    const search = absolute ? [] : hostFiles.searchDomains().map((domain) => `${name}.${domain}`);
    const plain = absolute ? name.slice(0, -1) : name;
    let answer: Answer = { kind: 'failed', code: 'ENOTFOUND' };
    for (const candidate of [plain, ...search]) {
      answer = await queryBoth(resolver, candidate);
      if (answer.kind === 'found' || answer.code !== 'ENOTFOUND') return answer;
    }
    return answer;
  }

  function lookUp(name: string): Promise<Answer> {
    const failure = failures.get(name);
    if (failure !== undefined && clock.monotonicMs() < failure.untilMs) {
      return Promise.resolve({ kind: 'failed', code: failure.code });
    }
    const current = inProgress.get(name);
    if (current !== undefined) return current;
    if (inProgress.size >= DELIVERY_HTTP_LIMITS.dnsLookups) return Promise.resolve({ kind: 'failed', code: 'EBUSY' });
    const pending = find(name).then((answer) => {
      inProgress.delete(name);
      failures.delete(name);
      if (answer.kind === 'failed') {
        if (failures.size >= DELIVERY_HTTP_LIMITS.dnsFailures) failures.delete(failures.keys().next().value ?? '');
        failures.set(name, { code: answer.code, untilMs: clock.monotonicMs() + DELIVERY_HTTP_LIMITS.dnsFailureMs });
      }
      return answer;
    });
    inProgress.set(name, pending);
    return pending;
  }

  async function resultOf(hostname: string, { family }: LookupOptions): Promise<readonly Address[] | string> {
    const direct = addressesOf(hostname);
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

const LOOPBACK: readonly Address[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

function addressesOf(address: string): Address[] {
  const family = isIP(address);
  return family === 4 || family === 6 ? [{ address, family }] : [];
}

/** IPv4 first, because `net.connect` tries addresses in order. One family may fail while the other has addresses. */
async function queryBoth(resolver: Resolver, name: string): Promise<Answer> {
  const [four, six] = await Promise.all([
    new Promise<string[] | string>((resolve) => {
      resolver.resolve4(name, (error, addresses) => resolve(error === null ? addresses : (error.code ?? 'EAI_FAIL')));
    }),
    new Promise<string[] | string>((resolve) => {
      resolver.resolve6(name, (error, addresses) => resolve(error === null ? addresses : (error.code ?? 'EAI_FAIL')));
    }),
  ]);
  const addresses = [four, six].flatMap((answer) => (typeof answer === 'string' ? [] : answer)).flatMap(addressesOf);
  if (addresses.length > 0) return { kind: 'found', addresses: addresses.slice(0, DELIVERY_HTTP_LIMITS.dnsAddresses) };
  const codes = [four, six].map((answer) =>
    answer === 'ENODATA' || typeof answer !== 'string' ? 'ENOTFOUND' : answer,
  );
  return { kind: 'failed', code: codes.find((code) => code !== 'ENOTFOUND') ?? 'ENOTFOUND' };
}

function lookupError(code: string, hostname: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: the look-up of ${hostname} failed`), { code, syscall: 'lookup', hostname });
}
