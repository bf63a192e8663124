import type { ApiKey } from '../../api/api-key.ts';
import type { KeyedRoute } from '../../api/route.ts';
import { failure, type Failure } from '../../kernel/errors.ts';

/** The reason why a key may not call a route, with the remedy; undefined if it may. */
export function forbidden(route: KeyedRoute, key: ApiKey): Failure | undefined {
  const { keys, scope } = route.auth;
  if (!keys.includes(key.kind)) return failure('FORBIDDEN', WRONG_KIND);
  if (scope !== undefined && !key.scopes.has(scope)) return failure('FORBIDDEN', lacksScope(scope));
  return undefined;
}

const WRONG_KIND =
  'This endpoint needs a server key (sk_); this is a client key (pk_). An operator creates one with ' +
  '`npm run cli -- keys create --kind server`. Keep it on your servers.';

function lacksScope(scope: string): string {
  return (
    `This key lacks the scope \`${scope}\`. Scopes do not change: an operator creates another key with ` +
    `\`npm run cli -- keys create --scope ${scope}\`.`
  );
}
