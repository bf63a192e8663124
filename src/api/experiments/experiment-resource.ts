import { type Static, Type } from 'typebox';
import { type ExperimentAction, actionsOf } from '../../../actors/experiments/life.ts';
import { EXPERIMENT_LIMITS } from '../../../actors/experiments/limits.ts';
import { formatTimestamp, formatTimestampOrNull } from '../../../core/kernel/text/timestamp.ts';
import { EXPERIMENT_STATES, type ExperimentDocument } from '../../../core/vocabulary/documents/experiments.ts';
import {
  BasedOn,
  CurrentKey,
  keyOf,
  MADE_EXAMPLE,
  madeFields,
  madeJson,
  nameOf,
  orNull,
  ReadOnly,
} from '../definitions/definition-fields.ts';
import { LABEL_FIELDS, LABELS_EXAMPLE, LABELS_SHOWN, labelsJson } from '../definitions/definition-labels.ts';
import { Warnings } from '../definitions/name-warnings.ts';
import { FlagBucketBy } from '../flags/flag-rule-fields.ts';
import { nullable, nullableTimeOut, oneOf, textOrNull, timeOut } from '../input/fields.ts';
import { alertJson, Alerts } from './alert-fields.ts';
import {
  Audience,
  ChosenMetric,
  FlagKey,
  Guardrails,
  Layer,
  Mode,
  Plan,
  Salt,
  Shares,
  Traffic,
} from './experiment-fields.ts';

/* The experiment resource: schemas of its bodies and responses, its JSON text and its examples. */

const Key = keyOf('Key of the experiment. Once it started, the key stays taken.');
const Name = nameOf('Display name. Default: the key.');
const Hypothesis = Type.String({
  maxLength: EXPERIMENT_LIMITS.hypothesisLength,
  description: 'What you expect, and why. Default: empty.',
});

const SENT_BACK = {
  state: ReadOnly,
  actions: ReadOnly,
  phases: ReadOnly,
  alerts: ReadOnly,
  winner: ReadOnly,
  shipped: ReadOnly,
  started_at: ReadOnly,
  stopped_at: ReadOnly,
};

/** The body that creates an experiment. */
export const ExperimentBody = Type.Object(
  {
    key: Key,
    flag_key: FlagKey,
    variants: Shares,
    name: Type.Optional(Name),
    hypothesis: Type.Optional(Hypothesis),
    ...LABEL_FIELDS,
    mode: Type.Optional(Mode),
    audience: orNull(Audience),
    traffic: orNull(Traffic),
    bucket_by: orNull(FlagBucketBy),
    salt: Type.Optional(Salt),
    layer: orNull(Layer),
    primary: orNull(ChosenMetric),
    guardrails: orNull(Guardrails),
    plan: orNull(Plan),
    ...SENT_BACK,
  },
  { additionalProperties: false, description: 'An experiment.' },
);
export type ExperimentBody = Static<typeof ExperimentBody>;

/** The body that replaces an experiment. */
export const ExperimentWhole = Type.Object(
  { ...ExperimentBody.properties, key: CurrentKey, version: BasedOn },
  { additionalProperties: false, description: 'An experiment.' },
);

/** The body that changes fields of an experiment. */
export const ExperimentPatch = Type.Object(
  {
    ...ExperimentWhole.properties,
    flag_key: Type.Optional(FlagKey),
    variants: Type.Optional(Shares),
    name: orNull(Name),
    hypothesis: orNull(Hypothesis),
    mode: Type.Optional(Mode),
  },
  { additionalProperties: false, description: 'Fields to replace. null sets a field to its default.' },
);
export type ExperimentPatch = Static<typeof ExperimentPatch>;

const ACTIONS: readonly ExperimentAction[] = ['start', 'pause', 'resume', 'stop', 'discard', 'ship', 'undo'];

/** An experiment in a response. */
export const ExperimentShown = Type.Object(
  {
    key: Key,
    name: Name,
    hypothesis: Hypothesis,
    flag_key: FlagKey,
    mode: Mode,
    audience: Audience,
    traffic: Traffic,
    variants: Shares,
    bucket_by: FlagBucketBy,
    salt: Salt,
    layer: nullable(Layer),
    primary: nullable(ChosenMetric),
    guardrails: Guardrails,
    plan: Plan,
    state: oneOf(
      EXPERIMENT_STATES,
      '`running`: players take part; `paused`: players who have a variant keep it, and no new players take part; in all ' +
        'other states the flag serves by its rules.',
    ),
    actions: Type.Array(oneOf(ACTIONS, 'The last part of its path.'), { description: 'What is possible now.' }),
    phases: Type.Array(
      Type.Object(
        {
          phase: Type.Integer({ description: 'Number of the phase, from 1.' }),
          since: timeOut('When it began.'),
          variants: Type.Array(
            Type.Object(
              {
                key: Type.String({ description: 'Key of the variant.' }),
                weight: Type.Number({ description: 'Its weight.' }),
              },
              { description: 'A variant with its weight.' },
            ),
            { description: 'The shares.' },
          ),
        },
        { description: 'A stretch with the same shares.' },
      ),
      {
        description: `The phases, oldest first; at most ${EXPERIMENT_LIMITS.experimentPhases}. Empty before the start.`,
      },
    ),
    alerts: Alerts,
    winner: textOrNull('Key of the variant that was shipped; else null.'),
    shipped: nullable(
      Type.Object(
        {
          flag_version: Type.Integer({ description: 'The version of the flag that serves the winner.' }),
          at: timeOut('When it was shipped.'),
        },
        { description: 'How the winner was shipped; null: it was not.' },
      ),
    ),
    started_at: nullableTimeOut('When it started; null: not yet.'),
    stopped_at: nullableTimeOut('When it was stopped; null: not yet.'),
    warnings: Warnings,
    ...LABELS_SHOWN,
    ...madeFields('experiment'),
  },
  { description: 'An experiment.' },
);

export function experimentJson(document: ExperimentDocument): string {
  return JSON.stringify(experimentFields(document));
}

export function experimentFields(document: ExperimentDocument) {
  const { audience, plan, shipping } = document;
  return {
    key: document.key,
    name: document.name,
    hypothesis: document.hypothesis,
    flag_key: document.flagKey,
    mode: document.mode,
    audience: {
      segment_id: audience.segmentId,
      ...(audience.conditions === undefined ? {} : { conditions: audience.conditions }),
    },
    traffic: document.traffic,
    variants: document.variants,
    bucket_by: document.bucketBy,
    salt: document.salt,
    layer: document.layer,
    primary: document.primary,
    guardrails: document.guardrails,
    plan: { alpha: plan.alpha, power: plan.power, mde: plan.mde, ends_at: formatTimestampOrNull(plan.endsAt) },
    state: document.state,
    actions: actionsOf(document),
    phases: document.phases.map(({ phase, since, variants }) => ({ phase, since: formatTimestamp(since), variants })),
    alerts: (document.alerts ?? []).map(alertJson),
    winner: document.winner,
    shipped: shipping && { flag_version: shipping.flagVersion, at: formatTimestamp(shipping.at) },
    started_at: formatTimestampOrNull(document.startedAt),
    stopped_at: formatTimestampOrNull(document.stoppedAt),
    ...labelsJson(document),
    ...madeJson(document),
  };
}

export const EXPERIMENT_BODY_EXAMPLE = {
  key: 'wide_shop',
  name: 'Wide shop',
  hypothesis: 'A list shows more offers, so more players buy.',
  flag_key: 'shop_layout',
  mode: 'ab' as const,
  audience: { segment_id: null, conditions: { 'attributes.country': 'DE' } },
  traffic: 20,
  variants: [
    { key: 'control', weight: 50 },
    { key: 'wide', weight: 50 },
  ],
  bucket_by: 'player',
  layer: { key: 'shop', from: 0, to: 50 },
  primary: { aggregate: 'conversion' as const, metric: 'item_bought' },
  guardrails: [
    { metric: { aggregate: 'revenue' as const }, worse: 'lower' as const, margin: 0.02, action: 'roll_back' as const },
  ],
  plan: { alpha: 0.05, power: 0.8, mde: 0.05, ends_at: '2026-03-01T00:00:00.000Z' },
};

export const EXPERIMENT_EXAMPLE = {
  ...EXPERIMENT_BODY_EXAMPLE,
  salt: 'Zk3vQ0b1c2d4e5f6',
  state: 'running',
  actions: ['pause', 'stop', 'ship'],
  phases: [{ phase: 1, since: '2026-01-15T10:30:00.000Z', variants: EXPERIMENT_BODY_EXAMPLE.variants }],
  alerts: [],
  winner: null,
  shipped: null,
  started_at: '2026-01-15T10:30:00.000Z',
  stopped_at: null,
  ...LABELS_EXAMPLE,
  ...MADE_EXAMPLE,
};
