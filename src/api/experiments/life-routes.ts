import { Type } from 'typebox';
import { actionsOf, afterAction, type ExperimentAction } from '../../../actors/experiments/life.ts';
import { failure, type Failure } from '../../../core/kernel/errors.ts';
import type { ExperimentDocument } from '../../../core/vocabulary/documents/experiments.ts';
import { IfMatch } from '../input/if-match.ts';
import type { RequestContext } from '../route/request-context.ts';
import { defineRoute, type KeyedRoute, writtenBy } from '../route/route.ts';
import { EXPERIMENT_EXAMPLE, ExperimentShown } from './experiment-resource.ts';
import { experiments, faultsOf } from './experiments.ts';
import { overridden } from './guardrails/alerts.ts';
import { rivalOf } from './rivals.ts';

/* The routes that change the state of an experiment. */

export const ByKey = Type.Object({ key: Type.String({ description: 'Key of the experiment.' }) });

const STARTS: ReadonlySet<ExperimentAction> = new Set(['start', 'resume']);

function lifeRoute(
  action: Exclude<ExperimentAction, 'ship' | 'undo'>,
  summary: string,
  description: string,
): KeyedRoute {
  /** What ends an experiment is never refused. */
  const excluded = (document: ExperimentDocument, context: RequestContext): Failure | undefined =>
    STARTS.has(action) ? excludedStart(document, context) : undefined;
  return defineRoute({
    ...experiments.shared,
    ...writtenBy('editor', action === 'discard' ? 'none' : { id: `experiment.${action}`, of: 'experiment' }),
    versioned: true,
    method: 'POST',
    path: `${experiments.itemPath}/${action}`,
    summary,
    description,
    idempotent: true,
    errors: [...experiments.changeErrors, 'CONFLICT'],
    input: { params: ByKey, headers: IfMatch },
    reply: { description: 'The experiment.', schema: ExperimentShown, example: EXPERIMENT_EXAMPLE },
    action: {
      kind: 'write',
      write: ({ params, headers }, context) =>
        experiments.change(
          { id: params.key, basis: headers },
          context,
          (held) => {
            const impossible = impossibleNow(held, action);
            if (impossible !== undefined) return impossible;
            const next = afterAction(held, action, context.origin.receivedAt);
            const by = context.key.user?.email ?? context.key.id;
            return (
              excluded(next, context) ?? (action === 'resume' ? overridden(next, context.origin.receivedAt, by) : next)
            );
          },
          (written) => excluded(written, context),
        ),
      toAnswer: experiments.shown,
    },
  });
}

/** The failure if the state of an experiment does not allow an action. */
export function impossibleNow(held: ExperimentDocument, action: ExperimentAction): Failure | undefined {
  const possible = actionsOf(held);
  if (possible.includes(action)) return undefined;
  const why =
    action === 'ship' && held.mode === 'aa'
      ? 'The variants of an A/A experiment are equal, so none can be shipped.'
      : `The experiment is in the state \`${held.state}\`, which does not allow \`${action}\`.`;
  const remedy = `It allows ${possible.length === 0 ? 'no action' : possible.join(', ')}.`;
  return failure('CONFLICT', `${why} ${remedy}`, { state: held.state, actions: possible });
}

/** The failure if an experiment that would run cannot: a draft may be older than a change of its flag. */
function excludedStart(document: ExperimentDocument, context: RequestContext): Failure | undefined {
  const { message, details } = faultsOf(document, context) ?? {};
  if (message !== undefined)
    return failure('CONFLICT', `The experiment cannot run as it is defined: ${message}`, details);
  return rivalOf(document, context);
}

export const stopExperiment = lifeRoute(
  'stop',
  'Stop an experiment',
  'The rules of the flag decide for all players. It cannot be started again; ship a variant, or discard it.',
);

export const lifeRoutes = [
  lifeRoute(
    'start',
    'Start an experiment',
    'Players of the audience take part from now on, in phase 1. One experiment of a flag can run or be paused.',
  ),
  lifeRoute(
    'pause',
    'Pause an experiment',
    'Players who got a variant keep it; for all others the rules of the flag decide.',
  ),
  lifeRoute('resume', 'Resume a paused experiment', 'Players take part again. The phase goes on.'),
  stopExperiment,
  lifeRoute('discard', 'Discard an experiment', 'Ends a draft or a stopped experiment: nothing is shipped.'),
];
