import { LIMITS } from '../../kernel/limits.ts';
import type { ConsoleContext } from '../route.ts';

/**
 * Counts the beginning of a sign-in against the limits of the caller's network and of the deployment. Both count, or
 * neither: so no network uses up the limit of all with tries that are refused, and of networks and addresses no more
 * are remembered than `LIMITS.signIns` per minute.
 * @param kind part of a sign-in with limits of its own
 */
export function mayBegin(kind: string, { mayTry, network }: Pick<ConsoleContext, 'mayTry' | 'network'>): boolean {
  return mayTry([`${kind} network ${network}`, LIMITS.signInsOfNetwork], [kind, LIMITS.signIns]);
}
