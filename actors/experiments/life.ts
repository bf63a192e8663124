import type {
  ExperimentDocument,
  ExperimentState,
  ExperimentVariant,
} from '../../core/vocabulary/documents/experiments.ts';
import { isActive } from '../../core/vocabulary/documents/experiments.ts';
import { sharesAtStart } from './guardrail-shares.ts';
import { endsOf } from '../flags/draw/split.ts';

/*
 * The life of an experiment: what may be done to it in which state, and the phases that changes begin.
 *
 * Invariants
 * 1. Players are drawn anew by no change: what the draw depends on is fixed once it started, and a change of the shares
 *    begins a phase.
 * 2. What ended is never started again.
 */

interface Action {
  from: readonly ExperimentState[];
  to: ExperimentState;
}

export const EXPERIMENT_ACTIONS = {
  start: { from: ['draft'], to: 'running' },
  pause: { from: ['running'], to: 'paused' },
  resume: { from: ['paused'], to: 'running' },
  stop: { from: ['running', 'paused'], to: 'stopped' },
  discard: { from: ['draft', 'stopped'], to: 'discarded' },
  ship: { from: ['running', 'paused', 'stopped'], to: 'shipped' },
  undo: { from: ['shipped'], to: 'stopped' },
} as const satisfies Record<string, Action>;

export type ExperimentAction = keyof typeof EXPERIMENT_ACTIONS;

const ACTIONS: Readonly<Record<ExperimentAction, Action>> = EXPERIMENT_ACTIONS;

const isAction = (name: string): name is ExperimentAction => Object.hasOwn(ACTIONS, name);

/** What may be done to an experiment now. The winner of an A/A experiment cannot be shipped: there is none. */
export function actionsOf({ state, mode }: Pick<ExperimentDocument, 'state' | 'mode'>): ExperimentAction[] {
  return Object.keys(ACTIONS)
    .filter(isAction)
    .filter((action) => ACTIONS[action].from.includes(state) && !(action === 'ship' && mode === 'aa'));
}

/** The experiment after an action that is possible. */
export function afterAction(held: ExperimentDocument, action: ExperimentAction, nowMs: number): ExperimentDocument {
  const next = { ...held, state: ACTIONS[action].to };
  switch (action) {
    case 'start':
      return {
        ...next,
        startedAt: nowMs,
        phases: [{ phase: 1, since: nowMs, variants: held.variants }],
        guardrailShares: sharesAtStart(held.guardrails),
      };
    case 'stop':
    case 'ship':
      return { ...next, stoppedAt: held.stoppedAt ?? nowMs };
    case 'undo':
      return { ...next, winner: null, shipping: null };
    case 'pause':
    case 'resume':
    case 'discard':
      return next;
  }
}

/** A change of the shares of an active experiment begins a phase. */
export function withPhases(held: ExperimentDocument, next: ExperimentDocument, nowMs: number): ExperimentDocument {
  if (!isActive(held) || isSameDraw(held.variants, next.variants)) return next;
  const phase = (held.phases.at(-1)?.phase ?? 0) + 1;
  return { ...next, phases: [...held.phases, { phase, since: nowMs, variants: next.variants }] };
}

/** Whether every player would draw the same variant. */
export function isSameDraw(one: readonly ExperimentVariant[], other: readonly ExperimentVariant[]): boolean {
  return drawOf(one) === drawOf(other);
}

/** Equal texts draw the same variant for every player. */
function drawOf(variants: readonly ExperimentVariant[]): string {
  const weighted = variants.filter(({ weight }) => weight > 0);
  return JSON.stringify([weighted.map(({ key }) => key), endsOf(weighted)]);
}
