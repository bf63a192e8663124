import type { Grant } from '../../../core/vocabulary/documents/users.ts';
import { csrfOf, PLAIN_COOKIE } from '../../../src/api/console/sign-in/session-cookie.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import { systemIds } from '../../../core/kernel/ids.ts';
import { newUser, userAddress, withToken } from '../../../streams/config/people/users.ts';
import type { Gateway } from '../in-memory/http-gateway.ts';

let made = 0;

/** The headers of requests of a new user who is signed in, in the demo game's live environment. */
export async function signedInHeaders(gateway: Gateway, ...grants: Grant[]): Promise<Record<string, string>> {
  made += 1;
  const user = newUser(`person-${made}@example.com`, grants, systemClock, systemIds);
  const session = withToken(user, 'session', 60_000, systemClock, systemIds);
  await gateway.config.put(userAddress(user.id), session.user);
  return {
    Cookie: `${PLAIN_COOKIE}=${session.token}`,
    'X-CSRF-Token': csrfOf(session.token),
    'X-Game': 'demo',
    'X-Environment': 'live',
  };
}
