import { Type } from 'typebox';
import { FLAG_LIMITS } from '../../../actors/flags/limits.ts';
import { EXPERIMENT_LIMITS } from '../../../actors/experiments/limits.ts';
import { TEXT_LIMITS } from '../../../core/kernel/text/limits.ts';
import { GUARDRAIL_ACTIONS } from '../../../core/vocabulary/documents/experiments.ts';
import { conditionsOf, keyOf } from '../definitions/definition-fields.ts';
import { METRIC_FIELDS } from '../flags/results/metric-fields.ts';
import { nullable, oneOf, timeOrNull } from '../input/fields.ts';

/* The schemas of the parts of an experiment. */

export const FlagKey = Type.String({
  minLength: 1,
  maxLength: TEXT_LIMITS.definitionKeyLength,
  description: 'Key of the flag whose variants the experiment compares. It cannot change once the experiment started.',
});

export const Mode = oneOf(
  ['ab', 'aa'],
  '`ab` (default): players get the values of their variants. `aa`: all get the value of the control, to check that the ' +
    'comparison finds nothing where there is nothing.',
);

export const Audience = Type.Object(
  {
    segment_id: Type.Optional(
      nullable(
        Type.String({
          maxLength: TEXT_LIMITS.callerIdLength,
          description: 'Id of a segment (`seg_…`): only its players. null (default): all.',
        }),
      ),
    ),
    conditions: Type.Optional(
      conditionsOf('Only players who meet this condition. Fields `context.…` read the context of the request.'),
    ),
  },
  { additionalProperties: false, description: 'Who may take part. Default: all players.' },
);

export const Traffic = Type.Number({
  minimum: 0,
  maximum: 100,
  description:
    'Percentage of the audience that takes part, 0 to 100. Raising it keeps all who take part, and so does lowering it ' +
    'for those who got a variant. Default: 100.',
});

export const Shares = Type.Array(
  Type.Object(
    {
      key: Type.String({
        minLength: 1,
        maxLength: TEXT_LIMITS.definitionKeyLength,
        description: 'Key of a variant of the flag; `false` or `true` of a boolean flag.',
      }),
      weight: Type.Number({
        minimum: 0,
        maximum: FLAG_LIMITS.flagWeight,
        description: 'Share of players, relative to the sum of all weights.',
      }),
    },
    { additionalProperties: false, description: 'A variant with its weight.' },
  ),
  {
    minItems: 2,
    maxItems: FLAG_LIMITS.flagVariants,
    description:
      'The variants to compare, the control first. Other weights while the experiment runs begin a phase for players ' +
      'who are new from then on. A player who has a variant keeps it.',
  },
);

export const Salt = Type.String({
  minLength: 1,
  maxLength: FLAG_LIMITS.ruleSalt,
  description: 'Decides, with what `bucket_by` names, who takes part and which variant each gets. Default: random.',
});

export const Layer = Type.Object(
  {
    key: keyOf('Key of the layer. Experiments with the same one exclude each other.'),
    from: Type.Number({ minimum: 0, maximum: 100, description: 'Start of the range, in percent.' }),
    to: Type.Number({ minimum: 0, maximum: 100, description: 'End of the range, in percent, without it.' }),
  },
  {
    additionalProperties: false,
    description: 'A range of players that no other active experiment of the layer has. null (default): none.',
  },
);

export const ChosenMetric = Type.Object(METRIC_FIELDS, {
  additionalProperties: false,
  description: 'A metric, as `GET /v1/flags/flags/{key}/results` takes it.',
});

export const Guardrails = Type.Array(
  Type.Object(
    {
      metric: ChosenMetric,
      worse: oneOf(['lower', 'higher'], 'The direction that harms.'),
      margin: Type.Optional(
        Type.Number({
          minimum: 0,
          maximum: EXPERIMENT_LIMITS.relativeEffect,
          description: 'How much worse than the control is tolerated, relative to its mean. Default: 0, nothing.',
        }),
      ),
      action: oneOf(
        GUARDRAIL_ACTIONS,
        'What happens once a variant is certainly worse: `notify`, `pause` (no new players take part), or `roll_back` ' +
          '(stop: all players get what the rules of the flag serve).',
      ),
    },
    { additionalProperties: false, description: 'A metric that must not get worse.' },
  ),
  { maxItems: EXPERIMENT_LIMITS.experimentGuardrails, description: 'Metrics that must not get worse. Default: none.' },
);

export const Plan = Type.Object(
  {
    alpha: Type.Optional(
      Type.Number({
        minimum: 0.001,
        maximum: 0.2,
        description: 'Accepted chance of a difference where there is none. Default: 0.05.',
      }),
    ),
    power: Type.Optional(
      Type.Number({ minimum: 0.5, maximum: 0.99, description: 'Chance to see an effect of `mde`. Default: 0.8.' }),
    ),
    mde: Type.Optional(
      nullable(
        Type.Number({
          exclusiveMinimum: 0,
          maximum: EXPERIMENT_LIMITS.relativeEffect,
          description: 'The smallest effect worth seeing, relative to the mean of the control. null (default): none.',
        }),
      ),
    ),
    ends_at: Type.Optional(timeOrNull('When you want to decide. It changes nothing by itself. ISO 8601; null: open.')),
  },
  { additionalProperties: false, description: 'What the experiment is planned for. Default: the defaults below.' },
);
