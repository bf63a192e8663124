import type { Role } from '../../../../core/vocabulary/documents/users.ts';
import type { ApiKey } from '../../../access/api-key.ts';
import { mayAct } from '../../../api/route/access.ts';
import type { KeyedRoute } from '../../../api/route/route.ts';
import { failure, type Failure } from '../../../../core/kernel/errors.ts';

/** The reason why a key may not call a route, with the remedy; undefined if it may. */
export function forbidden(route: KeyedRoute, key: ApiKey): Failure | undefined {
  const { keys } = route.auth;
  if (key.user !== undefined) return forbiddenTo(key.user.role, route);
  if (keys.length === 0) return failure('FORBIDDEN', FOR_PEOPLE);
  if (!keys.includes(key.kind)) return failure('FORBIDDEN', WRONG_KIND);
  return key.scopes.has(route.scope) ? undefined : lacksScope(route.scope);
}

/** The reason why a person with a role may not call a route. */
function forbiddenTo(role: Role, { role: least }: KeyedRoute): Failure | undefined {
  if (least === 'none') return failure('FORBIDDEN', FOR_GAMES);
  return mayAct(role, least) ? undefined : failure('FORBIDDEN', lacksRole(role, least));
}

const FOR_PEOPLE = 'This endpoint is for people who are signed in to the console; API keys cannot call it.';
const FOR_GAMES = 'This endpoint is for games and their servers; call it with an API key.';

function lacksRole(role: Role, least: Role): string {
  return `You are ${role} here, and this needs the role ${least}. An admin grants roles.`;
}

const WRONG_KIND =
  'This endpoint needs a server key (sk_); this is a client key (pk_). An operator creates one with ' +
  '`npm run cli -- keys create --kind server`. Keep it on your servers.';

function lacksScope(scope: string): Failure {
  const message =
    `This key lacks the scope \`${scope}\`. Scopes do not change: an admin creates another key under API keys in the ` +
    `console, or an operator with \`npm run cli -- keys create --scope ${scope}\`.`;
  return failure('FORBIDDEN', message, { scope });
}
