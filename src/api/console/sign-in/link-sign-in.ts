import { allRoles, EVERYWHERE, withProof } from '../../../../streams/config/people/proof.ts';
import { covers } from '../../../../streams/config/people/user-roles.ts';
import { tokenIn, userAddress, userIdIn, withoutToken } from '../../../../streams/config/people/users.ts';
import { failure, type Failure } from '../../../../core/kernel/errors.ts';
import type { ConsoleContext, SignedIn } from '../../route/route.ts';
import { losing } from '../users/keep-admins.ts';
import type { Known } from './passkey-sign-in.ts';

/** @param before whoever was signed in: its account keeps what it had proved */
export function byLink(
  link: string,
  { services: { clock, config } }: ConsoleContext,
  before: SignedIn | undefined,
): Known | Failure {
  const id = userIdIn(link, 'link');
  const held = id === undefined ? undefined : config.get(userAddress(id))?.document;
  if (held === undefined) return BAD_LINK;
  return {
    kind: 'known',
    id: held.id,
    email: held.email,
    use(user) {
      const token = tokenIn(user, 'link', link, clock);
      if (token === undefined) return BAD_LINK;
      const rest = withoutToken(user, 'link', token.hash);
      const { proves = EVERYWHERE } = token;
      const isIn = before !== undefined && rest.sessions.some(({ hash }) => hash === before.session.hash);
      const next = withProof(rest, proves, isIn ? user.proved : []);
      if (next === rest) return { kind: 'changed', user: next, value: null };
      // The role that waited may be gone. Then the link would only close others.
      if (!allRoles(user).some((grant) => covers(proves, grant))) return BAD_LINK;
      return losing(config, user, next) ? LAST_ADMIN_THERE : { kind: 'changed', user: next, value: null };
    },
  };
}

const BAD_LINK = failure(
  'UNAUTHORIZED',
  'This link is unknown, used or expired. Ask an admin for another one, or use `npm run cli -- users link`.',
);
const LAST_ADMIN_THERE = failure(
  'CONFLICT',
  'This account is the only admin of another game, and this link would close it there. Ask an admin of all games for a ' +
    'link, sign in with the identity provider, or open this link in the browser in which you are signed in.',
);
