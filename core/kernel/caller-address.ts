import { BlockList, isIP, isIPv4 } from 'node:net';
import { SHARED_LIMITS } from './limits.ts';

/** Finds the network of a request's caller, for fairness between callers of one key. */
export interface CallerAddresses {
  /** Whether X-Forwarded-For matters: only with trusted proxies. */
  readonly readsForwardedFor: boolean;
  /**
   * @param peer the address of the connection
   * @param forwardedFor all values of X-Forwarded-For, joined with commas; ignored unless a trusted proxy sent them
   * @returns an IPv4 address, or the first 64 bits of an IPv6 address, because one subscriber has all addresses below
   */
  networkOf(peer: string, forwardedFor: string): string;
}

/** Hops of X-Forwarded-For that are read, from the right: more than any deployment has proxies in a row. */
const MAX_HOPS = 16;

/** @param proxies addresses and networks (`10.0.0.0/8`) whose X-Forwarded-For counts; checked by `parseProxies` */
export function createCallerAddresses(proxies: readonly string[]): CallerAddresses {
  const trusted = parseProxies(proxies);
  /** Cached networks by address: parsing an IPv6 address costs 5 µs. */
  const networks = new Map<string, string>();

  function rememberedNetworkOf(address: string): string {
    if (isIPv4(address)) return address;
    const known = networks.get(address);
    if (known !== undefined) return known;
    if (networks.size >= SHARED_LIMITS.callerAddressCache) networks.clear();
    const network = networkOf(address);
    networks.set(address, network);
    return network;
  }

  return {
    readsForwardedFor: proxies.length > 0,
    networkOf(peer, forwardedFor) {
      if (proxies.length === 0) return rememberedNetworkOf(peer);
      let address = peer;
      let end = forwardedFor.length;
      for (let hop = 0; hop < MAX_HOPS && end > 0 && isTrusted(trusted, address); hop++) {
        const comma = forwardedFor.lastIndexOf(',', end - 1);
        const next = addressOf(forwardedFor.slice(comma + 1, end));
        // A value that is not an address (`unknown`) ends the search: the nearest proxy counts instead.
        if (next === undefined) break;
        address = next;
        end = comma;
      }
      return rememberedNetworkOf(address);
    },
  };
}

/** Parses addresses and networks. Throws a TypeError that names an invalid one. */
export function parseProxies(proxies: readonly string[]): BlockList {
  const list = new BlockList();
  for (const proxy of proxies) {
    const slash = proxy.indexOf('/');
    const address = slash === -1 ? proxy : proxy.slice(0, slash);
    const family = isIP(address);
    const longest = family === 4 ? 32 : 128;
    const prefix = slash === -1 ? longest : Number(proxy.slice(slash + 1));
    if (family === 0 || proxy.endsWith('/') || !Number.isInteger(prefix) || prefix < 0 || prefix > longest) {
      throw new TypeError(`"${proxy}" is neither an IP address nor a network such as 10.0.0.0/8`);
    }
    list.addSubnet(address, prefix, family === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}

function isTrusted(trusted: BlockList, address: string): boolean {
  const plain = mappedIPv4(address) ?? address;
  return trusted.check(plain, isIPv4(plain) ? 'ipv4' : 'ipv6');
}

/** An element of X-Forwarded-For without spaces, brackets and port; undefined if it is not an address. */
function addressOf(element: string): string | undefined {
  const text = element.trim();
  if (isIP(text) !== 0) return withoutZone(text);
  if (text.startsWith('[')) {
    const inner = text.slice(1, Math.max(1, text.indexOf(']')));
    return isIP(inner) === 6 ? withoutZone(inner) : undefined;
  }
  const host = text.slice(0, Math.max(0, text.indexOf(':')));
  return isIPv4(host) ? host : undefined;
}

function withoutZone(address: string): string {
  const zone = address.indexOf('%');
  return zone === -1 ? address : address.slice(0, zone);
}

function networkOf(address: string): string {
  if (isIPv4(address)) return address;
  return mappedIPv4(address) ?? groupsOf(address).slice(0, 4).join(':');
}

/** Converts `::ffff:192.0.2.1` in any notation to IPv4: dual-stack sockets report IPv4 peers in this form. */
function mappedIPv4(address: string): string | undefined {
  if (isIPv4(address)) return undefined;
  const groups = groupsOf(address);
  if (groups[5] !== 'ffff' || groups.slice(0, 5).some((group) => group !== '0')) return undefined;
  const [high = 0, low = 0] = groups.slice(6).map((group) => Number.parseInt(group, 16));
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** The eight groups of an IPv6 address, without leading zeros, in lower case. */
function groupsOf(address: string): string[] {
  const [head = '', tail] = withoutZone(address).split('::');
  const left = groupsIn(head);
  if (tail === undefined) return left;
  const right = groupsIn(tail);
  return [...left, ...Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0'), ...right];
}

function groupsIn(text: string): string[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16).toString(16)];
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
    return [(a * 256 + b).toString(16), (c * 256 + d).toString(16)];
  });
}
