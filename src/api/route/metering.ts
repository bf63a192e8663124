import type { RouteDocs } from './route.ts';
import type { KeyKind } from '../../access/api-key.ts';

/**
 * Whether a request counts against the rate limit of its key. Client keys are public, so all their requests count; of
 * server keys only requests of the classes `game` and `events` do.
 */
export function isMetered({ limitClass }: RouteDocs, kind: KeyKind): boolean {
  return limitClass !== 'none' || kind === 'client';
}

/** Whether requests of any kind of key count. */
export function mayBeMetered(route: RouteDocs): boolean {
  return route.auth !== 'none' && route.auth.keys.some((kind) => isMetered(route, kind));
}
