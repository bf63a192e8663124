import { Type, type Static, type TObject } from 'typebox';
import type { UserDocument } from '../../../core/vocabulary/documents/users.ts';
import { failure, type Failure } from '../../../core/kernel/errors.ts';
import type { Answer } from '../route/answer.ts';
import {
  type ConsoleContext,
  type ConsoleRoute,
  type InputSchemas,
  invalid,
  type RouteDocs,
  type SignedIn,
} from '../route/route.ts';
import { compile } from '../../../core/kernel/validation/validation.ts';

/*
 * Routes about people instead of a game: signing in and out, and the users of the deployment. API keys cannot call
 * them.
 */

type Documented<I> = Omit<RouteDocs, 'auth' | 'limitClass' | 'tag'> & { input: I };

const tag = 'Console';

/** A route that needs no session. */
export function defineSignIn<I extends InputSchemas>(
  definition: Documented<I> & {
    /** @param before whoever was signed in */
    handle: (
      input: Static<TObject<I>>,
      context: ConsoleContext,
      before: SignedIn | undefined,
    ) => Answer | Promise<Answer>;
  },
): ConsoleRoute {
  const { handle, input, ...docs } = definition;
  const check = compile(Type.Object(input));
  return {
    ...docs,
    kind: 'console',
    tag,
    auth: 'none',
    limitClass: 'none',
    input,
    run(raw, context, before) {
      return check.accepts(raw) ? handle(raw, context, before) : invalidInput(check.faultsOf(raw));
    },
  };
}

/** A route for everyone who is signed in; with `adminOnly`, for admins of all games. */
export function defineConsoleRoute<I extends InputSchemas>(
  definition: Documented<I> & {
    adminOnly?: (user: UserDocument) => boolean;
    handle: (input: Static<TObject<I>>, context: ConsoleContext & { signedIn: SignedIn }) => Answer | Promise<Answer>;
  },
): ConsoleRoute {
  const { handle, input, adminOnly, ...docs } = definition;
  const check = compile(Type.Object(input));
  return {
    ...docs,
    kind: 'console',
    tag,
    auth: { keys: [], session: true },
    limitClass: 'none',
    input,
    run(raw, context, signedIn) {
      if (signedIn === undefined) return NOT_SIGNED_IN;
      if (adminOnly?.(signedIn.user) === false) return NOT_ADMIN;
      if (!check.accepts(raw)) return invalidInput(check.faultsOf(raw));
      return handle(raw, { ...context, signedIn });
    },
  };
}

const NOT_SIGNED_IN = failure('UNAUTHORIZED', 'You are not signed in. Open the console and sign in.');
const NOT_ADMIN = failure('FORBIDDEN', 'Only admins of all games may do this.');

function invalidInput(faults: { path: string; message: string }[]): Failure {
  return invalid(
    faults.map(({ path, message }) => ({ path: path.replace(/^\/(body|params|query|headers)/, ''), message })),
  );
}
