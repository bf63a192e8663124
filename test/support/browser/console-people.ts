import type { Grant, UserDocument } from '../../../core/vocabulary/documents/users.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import { systemIds } from '../../../core/kernel/ids.ts';
import { newUser, userAddress, withToken } from '../../../streams/config/people/users.ts';
import type { Gateway } from '../in-memory/http-gateway.ts';

/** A signed-in person at a gateway. */
export interface SignedInPerson {
  id: string;
  email: string;
  cookie: string;
  csrf: string;
  /** Calls an endpoint with the person's session, in the demo game's live environment if not said otherwise. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>;
}

export interface People {
  /** Stores a user with the roles. */
  add(...grants: Grant[]): Promise<UserDocument>;
  /** Stores a user with the roles, and signs it in. */
  signedIn(...grants: Grant[]): Promise<SignedInPerson>;
  /** The stored document of a user. */
  stored(id: string): UserDocument | undefined;
}

/** People at a gateway that trusts X-Forwarded-For of this machine: each signs in from a network of its own. */
export function createPeople(gateway: Gateway): People {
  let count = 0;

  async function add(...grants: Grant[]): Promise<UserDocument> {
    count += 1;
    const user = newUser(`person-${count}@example.com`, grants, systemClock, systemIds);
    await gateway.config.put(userAddress(user.id), user);
    return user;
  }

  return {
    add,
    stored: (id) => gateway.config.get(userAddress(id))?.document,
    async signedIn(...grants) {
      const user = await add(...grants);
      const made = withToken(user, 'link', 60_000, systemClock, systemIds);
      await gateway.config.put(userAddress(user.id), made.user);
      const network = { 'X-Forwarded-For': `10.1.${count >> 8}.${count & 255}` };
      const response = await gateway.call(undefined, 'POST', '/v1/console/sessions', { link: made.token }, network);
      const [cookie = ''] = (response.headers.get('set-cookie') ?? '').split('; ');
      const { data }: { data: { csrf_token: string } } = JSON.parse(await response.text());
      const { id, email } = user;
      const csrf = data.csrf_token;
      const call: SignedInPerson['call'] = (method, path, body, headers = {}) =>
        gateway.call(undefined, method, path, body, {
          Cookie: cookie,
          ...(method === 'GET' ? {} : { 'X-CSRF-Token': csrf }),
          'X-Game': 'demo',
          'X-Environment': 'live',
          ...network,
          ...headers,
        });
      return { id, email, cookie, csrf, call };
    },
  };
}
