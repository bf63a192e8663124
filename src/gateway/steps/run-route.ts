import type { ApiKey } from '../../access/api-key.ts';
import { STREAM_TOKEN_REFUSED } from '../../access/stream-tokens.ts';
import { openBodyStream } from '../../api/input/body-stream.ts';
import type { Outcome } from '../../api/route/answer.ts';
import { failure } from '../../../core/kernel/errors.ts';
import { ACCESS_CHANGED } from '../access/console/console-session.ts';
import { counted, countMalformed } from '../access/limits/metered-request.ts';
import { type Exchange, respond } from '../http/exchange.ts';
import { openStream } from '../sse/stream-registry.ts';
import type { Call, PipelineDeps, WithContext, WithHead, WithKey } from './call.ts';
import { tokenIn } from './find-caller.ts';
import { tooLarge } from './read-request.ts';

/* The last step of a request: the route, and its outcome. */

type Ready = Call & WithKey & WithHead & WithContext;

/** Validation, waiting for a second person, the entry in the audit, and the action. */
export const runRoute = ({ route, head, context }: Ready) => route.run(head.input, context);

/** Runs a route that reads its body while it arrives. A body that was not read to its end ends the connection. */
export async function runUpload({ deps, route, head, context, exchange, res }: Ready): Promise<Outcome> {
  const body = openBodyStream(res, deps.services.clock, route.streamedBody?.mostBytes ?? 0);
  // A body that arrives for minutes ends with the access of its sender.
  const forget = deps.uploads.add(context.key, undefined, () => {
    if (!exchange.gone) res.close();
  });
  exchange.release = () => {
    forget();
    body.release();
  };
  context.body = body;
  const outcome = await route.run(head.input, context);
  await body.discard();
  if (!body.complete) exchange.lastOnConnection = true;
  return body.tooLarge ? tooLarge(route) : outcome;
}

/**
 * Runs a route with a stream token, which a request with a fault does not use up. Only valid tokens count against the
 * key's rate limit, because everyone who sees a token also sees the id of its key.
 */
export async function runWithToken(call: Ready): Promise<Outcome> {
  const { deps, route, key, exchange } = call;
  const token = tokenIn(call);
  const outcome = await runRoute(call);
  if (outcome.kind !== 'stream') return outcome;
  const refused = await deps.services.streamTokens.redeem(token);
  if (refused !== undefined) return refused;
  if (deps.keyRing.findById(key.id) === undefined) return STREAM_TOKEN_REFUSED;
  return counted(deps, route, key, exchange) ?? outcome;
}

/** A request that ends. */
interface Ending {
  readonly deps: PipelineDeps;
  readonly exchange: Exchange;
  readonly key: ApiKey | undefined;
}

/** Performs the rest of a request and writes its outcome. An exception is a bug: 500, logged with the request id. */
export function complete(call: Ending, rest: () => Outcome | Promise<Outcome> | undefined): void {
  const { deps, exchange } = call;
  const onBug = (error: unknown): void => {
    deps.logger.error({ err: error, request_id: exchange.requestId }, 'a request failed because of a bug');
    respond(exchange, failure('INTERNAL_ERROR'));
  };
  const onOutcome = (outcome: Outcome | undefined): void => {
    try {
      conclude(call, outcome);
    } catch (error) {
      onBug(error);
    }
  };
  try {
    const outcome = rest();
    if (outcome instanceof Promise) outcome.then(onOutcome, onBug);
    else onOutcome(outcome);
  } catch (error) {
    onBug(error);
  }
}

function conclude({ deps, exchange, key }: Ending, outcome: Outcome | undefined): void {
  if (outcome === undefined || !exchange.open) return;
  if (outcome.kind === 'failure' && key !== undefined) countMalformed(deps, key, exchange, outcome.code);
  if (outcome.kind !== 'stream' && outcome.kind !== 'changes') respond(exchange, outcome);
  else if (key === undefined) return;
  else if (!deps.consoleSessions.holds(key)) respond(exchange, ACCESS_CHANGED);
  else if (outcome.kind === 'stream') openStream(deps.eventStreams, exchange, key, outcome.request);
  else openStream(deps.changeStreams, exchange, key, outcome.request);
}
