import type { UserDocument } from '../../../../core/vocabulary/documents/users.ts';
import type { ConfigStore } from '../../../../streams/config/config-store.ts';
import { userAddress } from '../../../../streams/config/people/users.ts';
import { failure, type Failure } from '../../../../core/kernel/errors.ts';
import { API_LIMITS } from '../../limits.ts';
import { changed } from '../../definitions/definition-writes.ts';
import type { ConsoleContext, SignedIn } from '../../route/route.ts';

type Context = Pick<ConsoleContext, 'configAs'> & { signedIn: SignedIn };

/**
 * Changes the signed-in user itself. A session that ended meanwhile changes nothing: a password or passkey that it adds
 * would outlive the proof or the link that ended it.
 */
export function changeSelf(
  { configAs, signedIn: { user, session } }: Context,
  change: (user: UserDocument) => UserChange<null>,
) {
  return changeUser(configAs(user), user.id, (now) =>
    now.sessions.some(({ hash }) => hash === session.hash) ? change(now) : SESSION_ENDED,
  );
}

const SESSION_ENDED = failure('UNAUTHORIZED', 'The session has ended. Sign in again.');

/** What a change makes of a user, with a value for the caller. */
export type UserChange<T> = { kind: 'changed'; user: UserDocument; value: T } | Failure;

/** Changes a user by compare-and-set. `change` is called again if the document changed concurrently. */
export async function changeUser<T>(
  config: ConfigStore,
  id: string,
  change: (user: UserDocument) => UserChange<T>,
): Promise<{ kind: 'written'; user: UserDocument; value: T } | Failure> {
  const address = userAddress(id);
  for (let attempt = 0; attempt < API_LIMITS.definitionWriteAttempts; attempt += 1) {
    const held = config.get(address);
    if (held === undefined) return failure('NOT_FOUND', 'There is no such user.');
    const next = change(held.document);
    if (next.kind === 'failure') return next;
    const write = await config.put(address, next.user, held.revision);
    if (write.kind === 'written') return { kind: 'written', user: write.entry.document, value: next.value };
    if (write.kind === 'unavailable' || !(await changed(config, address, held.revision))) break;
  }
  return failure('SERVICE_UNAVAILABLE');
}
