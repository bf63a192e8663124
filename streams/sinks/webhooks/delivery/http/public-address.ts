import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** IPv4 networks that are not globally reachable (IANA special-purpose registry), with multicast and reserved space. */
const NOT_PUBLIC_IPV4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // Azure's wire server: a public address, but inside a virtual machine it hands out credentials.
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const;

/** Only global unicast IPv6 is public, except these networks: they are special, or embed any IPv4 address. */
const GLOBAL_IPV6 = ['2000::', 3] as const;
const NOT_PUBLIC_IPV6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const;

const notPublic4 = new BlockList();
for (const [network, prefix] of NOT_PUBLIC_IPV4) notPublic4.addSubnet(network, prefix, 'ipv4');
const global6 = new BlockList();
global6.addSubnet(...GLOBAL_IPV6, 'ipv6');
const notPublic6 = new BlockList();
for (const [network, prefix] of NOT_PUBLIC_IPV6) notPublic6.addSubnet(network, prefix, 'ipv6');

/**
 * Whether an IP address belongs to the public internet. False for every doubtful form: IPv4-mapped and NAT64 addresses,
 * addresses with a zone, and text that is not an address.
 */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !notPublic4.check(address, 'ipv4');
  if (!isIPv6(address) || address.includes('%')) return false;
  return global6.check(address, 'ipv6') && !notPublic6.check(address, 'ipv6');
}
