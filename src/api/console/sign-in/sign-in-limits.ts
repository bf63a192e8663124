import { isIPv4 } from 'node:net';
import { SIGN_IN_LIMITS } from './limits.ts';

/*
 * Bounds for wrong passwords. Links, passkeys and the provider's codes cannot be guessed, so nothing bounds them and no
 * try of others hinders them.
 *
 * Wrong passwords count by the account together with the caller's network, so another network cannot keep its owner
 * out, and by the network alone. A wider network has twice the bound of the one within, because one sender may have all
 * of its addresses.
 */

type Bound = readonly [name: string, perMinute: number];

/** @param account the address that was tried */
export function failureBounds(account: string, network: string): Bound[] {
  return networksOf(network).flatMap((each, width): Bound[] => [
    [`password of ${account} from ${each}`, SIGN_IN_LIMITS.signInsOfUser * 2 ** width],
    [`password from ${each}`, SIGN_IN_LIMITS.signInsOfNetwork * 2 ** width],
  ]);
}

/** Whose turns tries of a network take: those of the widest network around it. */
export const laneOf = (network: string): string => networksOf(network).at(-1) ?? network;

/**
 * A network and those around it, the narrowest first.
 * @param network an IPv4 address, or the first 64 bits of an IPv6 address
 */
function networksOf(network: string): string[] {
  if (isIPv4(network)) return [network, `${network.slice(0, network.lastIndexOf('.'))}.0/24`];
  const [a = '0', b = '0', c = '0', d = '0'] = network.split(':');
  const high = (Number.parseInt(d, 16) & 0xff00).toString(16);
  return [network, `${a}:${b}:${c}:${high}/56`, `${a}:${b}:${c}/48`];
}
