import type { HttpRequest, HttpResponse } from 'uWebSockets.js';
import type { Outcome } from '../api/route/answer.ts';
import type { ConsoleRoute, KeyedRoute, Route } from '../api/route/route.ts';
import { networkOf } from './access/limits/network-of.ts';
import type { Exchange } from './http/exchange.ts';
import { type BodyRoute, createRouteReader } from './http/read/request-head.ts';
import {
  faultless,
  personContext,
  privateChannel,
  runForPerson,
  sameOrigin,
  session,
  stillSignedIn,
} from './steps/about-person.ts';
import type { Call, PipelineDeps, WithOutcome } from './steps/call.ts';
import {
  admitted,
  keyInBody,
  keyInHead,
  keyOfToken,
  permitted,
  placeOfKey,
  stillAllowed,
} from './steps/find-caller.ts';
import { respondOpen } from './steps/open-route.ts';
import {
  contextMade,
  failuresShaped,
  hasBody,
  headRead,
  inflated,
  itemsCounted,
  networkKept,
  parsed,
  receive,
} from './steps/read-request.ts';
import { complete, runRoute, runUpload, runWithToken } from './steps/run-route.ts';
import { first, type Reached, type Refusal, type Steps } from './steps/step.ts';

/*
 * The steps of a request, one list for each kind: those of the head while the handler runs, those of the body once it
 * has arrived, then the route. A step that refuses ends the request, so this is also the order of refusals:
 * keyInHead 401, 403 · admitted 403, 429 · headRead 400, 413, 415 · inflated 400, 413, 503 · stillAllowed 401 ·
 * parsed 400 · itemsCounted 429 · the route 400 and its own.
 */

/** A key in the head, or the session of a person. */
const keyedHead = first(failuresShaped).next(keyInHead).next(admitted).next(headRead).next(contextMade);
const keyedBody = keyedHead.received().next(inflated).next(stillAllowed).next(parsed).next(itemsCounted);

/** A key in the body, which is received before it is known whose it is. */
const laterHead = first(failuresShaped).next(networkKept).next(headRead);
const laterBody = laterHead
  .received()
  .next(inflated)
  .next(keyInBody)
  .next(admitted)
  .next(contextMade)
  .next(parsed)
  .next(itemsCounted);

/** A stream with a token in its URL. The token is redeemed after the route has accepted the request. */
const tokenHead = first(failuresShaped).next(keyOfToken).next(permitted).next(headRead).next(contextMade);

/** Signing in and out, and what people do to themselves and to each other. */
const personHead = first(sameOrigin).next(privateChannel).next(session).next(headRead).next(personContext);
const personBody = personHead.received().next(inflated).next(stillSignedIn).next(parsed).next(faultless);

function runKeyed(call: Call): Ending {
  switch (placeOfKey(call)) {
    case 'body':
      return then(laterHead.run(call), (arrived) => withBody(arrived, laterBody, runRoute));
    case 'token':
      return then(tokenHead.run(call), runWithToken);
    case 'head':
      return then(keyedHead.run(call), (arrived) => {
        if (arrived.route.streamedBody !== undefined) return runUpload(arrived);
        return hasBody(arrived) ? withBody(arrived, keyedBody, runRoute) : runRoute(arrived);
      });
  }
}

const runAboutPerson = (call: Call<ConsoleRoute>): Ending =>
  then(personHead.run(call), (arrived) =>
    hasBody(arrived) ? withBody(arrived, personBody, runForPerson) : runForPerson(arrived),
  );

/** How a request ends; undefined: not yet, or its connection is closed. */
type Ending = Outcome | Promise<Outcome> | undefined;

function then<C extends Reached>(reached: C | Refusal, next: (call: C) => Ending): Ending {
  return reached?.kind === 'call' ? next(reached) : reached;
}

/** Runs the rest of a request once its body has arrived. */
function withBody<C extends Call<BodyRoute>, Ready extends Reached>(
  arrived: C,
  body: Steps<C & WithOutcome, Ready>,
  run: (ready: Ready) => Ending,
): undefined {
  receive(arrived, (received) => complete(arrived, () => then(body.run(received), run)));
}

export type Handler = (exchange: Exchange, res: HttpResponse, req: HttpRequest) => void;

/** What handles the requests of a route. */
export function handlerOf(route: Route, deps: PipelineDeps): Handler {
  if (route.kind === 'open') {
    return (exchange, res, req) =>
      complete({ deps, exchange, key: undefined }, () => respondOpen(route, deps.services, res, req));
  }
  return route.kind === 'keyed' ? stepsOf(route, deps, runKeyed) : stepsOf(route, deps, runAboutPerson);
}

function stepsOf<R extends KeyedRoute | ConsoleRoute>(
  route: R,
  deps: PipelineDeps,
  run: (call: Call<R>) => Ending,
): Handler {
  const reader = createRouteReader(route);
  return (exchange, res, req) => {
    const network = (): string => networkOf(deps.callers, res, req);
    const call: Call<R> = { kind: 'call', deps, route, reader, exchange, res, req, key: undefined, network };
    complete(call, () => run(call));
  };
}
