import type { RouteDocs } from './route.ts';
import type { KeyKind } from './api-key.ts';

/**
 * Whether a request counts against its key's tier. Client keys are public, so all their requests count; of server keys those
 * for games and events do.
 */
export function isMetered({ limitClass }: RouteDocs, kind: KeyKind): boolean {
  return limitClass !== 'none' || kind === 'client';
}

/** Whether a request of some key counts. */
export function mayBeMetered(route: RouteDocs): boolean {
  return route.auth !== 'none' && route.auth.keys.some((kind) => isMetered(route, kind));
}
