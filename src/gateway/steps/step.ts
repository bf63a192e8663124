import type { Failure } from '../../../core/kernel/errors.ts';
import type { WithOutcome } from './call.ts';

/** Why a request ends before its route; undefined: its connection is closed. */
export type Refusal = Failure | undefined;

/** One step of a request. It adds to the call, or refuses it. */
export type Step<In, Out> = (call: In) => Out | Refusal;

/** Steps in order. The first that refuses ends them. */
export interface Steps<In, Out extends Reached> {
  readonly run: Step<In, Out>;
  next<Next extends Reached>(step: Step<Out, Next>): Steps<In, Next>;
  /** Begins the steps of the body, which go on from these. */
  received(): Steps<Out & WithOutcome, Out & WithOutcome>;
}

export interface Reached {
  readonly kind: 'call';
}

export function first<In, Out extends Reached>(run: Step<In, Out>): Steps<In, Out> {
  return {
    run,
    next: (step) =>
      first((call) => {
        const reached = run(call);
        return reached?.kind === 'call' ? step(reached) : reached;
      }),
    received: () => first((call) => call),
  };
}
