import type { Static } from 'typebox';
import { DRAFT, emptyContent, type ExperimentContent } from '../../../actors/flags/experiment/draft.ts';
import { experimentFaults } from '../../../actors/experiments/experiment-faults.ts';
import { fixedFaults } from '../../../actors/experiments/fixed-fields.ts';
import { withShares } from '../../../actors/experiments/guardrail-shares.ts';
import { withPhases } from '../../../actors/experiments/life.ts';
import { EXPERIMENT_LIMITS } from '../../../actors/experiments/limits.ts';
import { failure, type Failure } from '../../../core/kernel/errors.ts';
import {
  EXPERIMENT_STATES,
  type ExperimentDocument,
  type ExperimentState,
  hasEnded,
} from '../../../core/vocabulary/documents/experiments.ts';
import { newSalt } from '../../../streams/config/games.ts';
import { computedFaults } from '../definitions/computed-quota.ts';
import { keyFaults } from '../definitions/definition-fields.ts';
import { definitionRoutes, firstVersion } from '../definitions/definition-routes.ts';
import { remaking } from '../definitions/history/remaking.ts';
import { createSchedules } from '../definitions/schedule/schedule-routes.ts';
import type { State } from '../definitions/definition-list.ts';
import type { WarnedConditions } from '../definitions/name-warnings.ts';
import { findFlag } from '../flags/flag-edits.ts';
import type { RequestContext } from '../route/request-context.ts';
import { invalid, writtenBy } from '../route/route.ts';
import { segmentLookup, withSegmentIds } from '../segments/segment-lookup.ts';
import { contentOf, metricFaults } from './experiment-content.ts';
import {
  EXPERIMENT_BODY_EXAMPLE,
  EXPERIMENT_EXAMPLE,
  ExperimentBody,
  experimentJson,
  ExperimentPatch,
  ExperimentShown,
  ExperimentWhole,
} from './experiment-resource.ts';
import { EXPERIMENT_API_LIMITS } from './limits.ts';
import { rivalOf } from './rivals.ts';

/* The routes that read and write experiments. What changes their state is in life-routes.ts and ship-routes.ts. */

const { experimentsPerEnvironment, experimentKeysPerEnvironment } = EXPERIMENT_API_LIMITS;

const states = Object.fromEntries(
  EXPERIMENT_STATES.map((name): [ExperimentState, State<ExperimentDocument>] => [
    name,
    { description: STATE_WORDS()[name], holds: ({ state }) => state === name },
  ]),
);

function STATE_WORDS(): Record<ExperimentState, string> {
  return {
    draft: 'not started',
    running: 'players take part',
    paused: 'no new players take part',
    stopped: 'over, without a decision',
    shipped: 'its winner is what the flag serves',
    discarded: 'over, nothing was shipped',
  };
}

export const experiments = definitionRoutes({
  kind: 'experiment',
  states,
  tag: 'Experiments',
  path: '/v1/experiments/experiments',
  one: 'experiment',
  many: 'experiments',
  id: { parameter: 'key', field: 'key', description: 'Key of the experiment.' },
  idOf: ({ key }) => key,
  schema: ExperimentShown,
  example: EXPERIMENT_EXAMPLE,
  toJson: experimentJson,
  most: experimentKeysPerEnvironment,
});

const replacing = {
  body: ExperimentWhole,
  change: (body: Static<typeof ExperimentWhole>, context: RequestContext) => (held: ExperimentDocument) =>
    changedBy(held, body, emptyContent(held.key, held.salt), context),
  conflict: rivalOf,
};

export const experimentSchedules = createSchedules<'experiment', typeof ExperimentWhole>(
  {
    kind: 'experiment',
    routes: experiments,
    idIn: ({ key = '' }) => key,
    toJson: experimentJson,
  },
  {
    role: 'editor',
    approvals: { add: 'experiment.schedule.add', cancel: 'experiment.schedule.cancel' },
    by: replacing,
  },
);

export const experimentRoutes = [
  experiments.listRoute({
    description: 'Ordered by key, in every state.',
  }),
  experiments.createRoute({
    // A draft decides nothing.
    ...writtenBy('editor', 'none'),
    description: 'The experiment is a draft: it decides nothing until you start it.',
    body: ExperimentBody,
    example: EXPERIMENT_BODY_EXAMPLE,
    make,
    overQuota,
    warned,
  }),
  experiments.getRoute(),
  experiments.changeRoute({
    ...writtenBy('editor', { id: 'experiment.replace', of: 'experiment', onceActive: true }),
    ...replacing,
    method: 'PUT',
    description: `Fields that you leave out get their defaults; the salt stays. ${whatChanges()}`,
    example: EXPERIMENT_BODY_EXAMPLE,
    errors: ['CONFLICT'],
    warned,
  }),
  experiments.changeRoute({
    ...writtenBy('editor', { id: 'experiment.patch', of: 'experiment', onceActive: true }),
    method: 'PATCH',
    description: `Replaces the fields that you send; objects and lists are replaced, not merged. ${whatChanges()}`,
    body: ExperimentPatch,
    example: { traffic: 50 },
    errors: ['CONFLICT'],
    change: (body, context) => (held) => stateFault(body.state, held) ?? changedBy(held, body, held, context),
    conflict: rivalOf,
    warned,
  }),
  experiments.deleteRoute(
    { ...writtenBy('editor', 'none'), description: 'Only a draft. Discard an experiment that was stopped.' },
    (key, context) => {
      const held = experiments.find(key, context)?.document;
      return held === undefined || held.state === 'draft' ? undefined : notADraft(held);
    },
  ),
  ...experiments.historyRoutes(),
  ...experiments.restoreRoutes({
    ...writtenBy('editor', { id: 'experiment.restore', of: 'experiment', onceActive: true }),
    by: replacing,
    again: remaking({ body: ExperimentBody, make, overQuota }),
    kept: 'State, phases and winner stay as they are.',
  }),
  ...experimentSchedules.routes,
];

function whatChanges(): string {
  return (
    'Once it started, `flag_key`, `mode`, `bucket_by`, `salt`, the key of the layer and the control are fixed (409). ' +
    'Other weights begin a phase; other traffic, another audience or range of the layer do not. Once it is over, only ' +
    'texts, metrics and the plan can change.'
  );
}

function make(body: ExperimentBody, context: RequestContext): ExperimentDocument | Failure {
  const { key } = body;
  const malformed = metricFaults(body);
  if (malformed.length > 0) return invalid(malformed);
  const empty = emptyContent(key, newSalt(context.services.ids));
  const document: ExperimentDocument = {
    key,
    ...contentIn(body, empty, empty, context),
    ...DRAFT,
    ...firstVersion(context),
  };
  return faultsOf(document, context) ?? document;
}

/** Why a patch is refused that changes the state: ignored, it would look as if the experiment were paused. */
const stateFault = (sent: unknown, { state }: ExperimentDocument): Failure | undefined =>
  sent === undefined || sent === state ? undefined : NOT_BY_PATCH;

const NOT_BY_PATCH = invalid([
  {
    path: '/state',
    message:
      'cannot be changed by a patch; use `POST …/start`, `…/pause`, `…/resume`, `…/stop`, `…/ship`, `…/undo` or `…/discard`',
  },
]);

/** The edited experiment, or why it cannot be. @param kept the content of what the body leaves out */
function changedBy(
  held: ExperimentDocument,
  body: ExperimentPatch,
  kept: ExperimentContent,
  context: RequestContext,
): ExperimentDocument | Failure {
  const malformed = [...keyFaults(body.key, held.key), ...metricFaults(body)];
  if (malformed.length > 0) return invalid(malformed);
  const edited = { ...held, ...contentIn(body, kept, emptyContent(held.key, held.salt), context) };
  const [fixed] = fixedFaults(held, edited);
  if (fixed !== undefined) {
    const message = `\`${fixed.path.slice(1)}\` ${fixed.message}.`;
    return failure('CONFLICT', message, { state: held.state, fields: fixedFaults(held, edited) });
  }
  const document = withShares(held, withPhases(held, edited, context.origin.receivedAt));
  return faultsOf(document, context, held) ?? phasesFault(document) ?? rivalOf(document, context) ?? document;
}

/** What a body sets, with segments by their ids in conditions. */
function contentIn(
  body: ExperimentPatch,
  kept: ExperimentContent,
  empty: ExperimentContent,
  context: RequestContext,
): ExperimentContent {
  const content = contentOf(body, kept, empty);
  const { segmentId, conditions } = content.audience;
  if (conditions === undefined) return content;
  return { ...content, audience: { segmentId, conditions: withSegmentIds(conditions, context) } };
}

function phasesFault({ phases }: ExperimentDocument): Failure | undefined {
  const most = EXPERIMENT_LIMITS.experimentPhases;
  if (phases.length <= most) return undefined;
  return failure('CONFLICT', `The experiment has ${most} phases, the maximum; stop it and create another one.`);
}

/**
 * The faults of an experiment that its schema cannot express.
 * @param held the current one, whose faults the changed one may keep
 */
export function faultsOf(
  document: ExperimentDocument,
  context: RequestContext,
  held?: ExperimentDocument,
): Failure | undefined {
  const around = { ...segmentLookup(context), flag: (key: string) => findFlag(key, context) };
  const faults = experimentFaults(document, around, held);
  if (faults.length > 0) return invalid(faults);
  const { key, audience } = document;
  const conditions = hasEnded(document) ? [] : [audience.conditions ?? null];
  const computed = computedFaults({ kind: 'experiment', key, conditions }, '/audience/conditions', context);
  return computed.length === 0 ? undefined : invalid(computed);
}

/** Experiments that ended keep their keys, so the number of keys has its own bound. */
function overQuota(context: RequestContext): Failure | undefined {
  const all = experiments.all(context);
  if (all.length >= experimentKeysPerEnvironment) {
    return failure(
      'CONFLICT',
      `The environment has used ${experimentKeysPerEnvironment} experiment keys, the maximum; those that ended count too.`,
    );
  }
  if (all.filter(({ document }) => !hasEnded(document)).length < experimentsPerEnvironment) return undefined;
  return failure(
    'CONFLICT',
    `The environment has ${experimentsPerEnvironment} experiments that did not end, the maximum; ship, discard or ` +
      'delete one first.',
  );
}

function notADraft({ state }: ExperimentDocument): Failure {
  const remedy = state === 'running' || state === 'paused' ? 'stop it, then discard it' : 'it stays for its results';
  return failure('CONFLICT', `The experiment is ${state}, and only a draft can be deleted; ${remedy}.`, { state });
}

function warned({ body: { audience } }: { body: Pick<ExperimentPatch, 'audience'> }): WarnedConditions[] {
  const conditions = audience?.conditions;
  return conditions === undefined ? [] : [{ conditions, path: '/audience/conditions' }];
}
