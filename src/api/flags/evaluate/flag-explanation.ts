import { metered } from '../../../../actors/conditions/steps.ts';
import type { FlagStep } from '../../../../actors/flags/evaluate/explained-steps.ts';
import { explainFlag } from '../../../../actors/flags/evaluate/explain-flag.ts';
import { servedOf } from '../../../../actors/flags/evaluate/served-of.ts';
import type { Flag, Served } from '../../../../actors/decision/targeting.ts';
import type { FlagEvaluation } from '../../../../core/vocabulary/commands/replies.ts';
import type { PlayerState } from '../../../../core/vocabulary/state/state.ts';
import { Type } from 'typebox';
import { FLAG_API_LIMITS } from '../limits.ts';
import { FLAG_LIMITS } from '../../../../actors/flags/limits.ts';
import { TEXT_LIMITS } from '../../../../core/kernel/text/limits.ts';
import type { JsonObject } from '../../../../core/kernel/text/json.ts';
import { answer } from '../../route/answer.ts';
import { documentText, documentTooLarge } from '../../input/document-text.ts';
import { definitionLookup, currentTargeting, stateOf, subjectOf } from '../../explain/current-targeting.ts';
import { freeForm, integerOrNull, numberOrNull, oneOf, PlayerId, textOrNull } from '../../input/fields.ts';
import { ExplainedTests, testsJson } from '../../explain/explained-tests.ts';
import { defineRoute, invalid, readBy } from '../../route/route.ts';
import { createTurns } from '../../route/turns.ts';
import { SERVED_FIELDS } from './served-fields.ts';

/* The route that says why a player gets a variant, without recording anything. */

const text = (description: string) => Type.Optional(Type.String({ description }));

const Step = Type.Object(
  {
    step: oneOf(
      ['enabled', 'prerequisite', 'override', 'experiment', 'rule', 'variant', 'default'],
      'What was looked at. The last step decided, except for steps that were not reached.',
    ),
    passed: Type.Optional(
      Type.Boolean({ description: '`enabled` and `prerequisite`: whether the evaluation goes on.' }),
    ),
    flag_key: text('`prerequisite`: key of the other flag.'),
    required: Type.Optional(
      Type.Unknown({ description: '`prerequisite`: value that it must serve, if one is required.' }),
    ),
    required_variant: text('`prerequisite`: key of the variant that it must serve, if one is required.'),
    served: Type.Optional(
      Type.Unknown({ description: '`prerequisite`: value that it serves; null also without such a flag.' }),
    ),
    served_variant: Type.Optional(textOrNull('`prerequisite`: key of the variant that it serves; null: none.')),
    reason: Type.Optional(textOrNull('`prerequisite`: why it serves it; null: there is no such flag.')),
    overridden: Type.Optional(
      Type.Boolean({ description: '`override`: whether the player has one; it then decides.' }),
    ),
    value: Type.Optional(Type.Unknown({ description: '`override` and `default`: the value.' })),
    rule: Type.Optional(Type.Integer({ description: '`rule`: its place in `targeting_rules`, from 0.' })),
    name: text('`rule`: its name.'),
    experiment: text('`experiment`: its key.'),
    phase: Type.Optional(
      integerOrNull('`experiment`: the phase in which the player was assigned, or would be; null: there is none.'),
    ),
    outcome: Type.Optional(
      oneOf(
        [
          'served',
          'outside_schedule',
          'kept',
          'drawn',
          'held_out',
          'dropped',
          'paused',
          'not_in_segment',
          'conditions_not_met',
          'no_bucketing_value',
          'outside_layer',
          'outside_percentage',
          'no_variant',
          'not_reached',
        ],
        '`rule` and `experiment`: what came of it. `no_bucketing_value`: the player has no device or attribute to be put ' +
          'into buckets by. `kept`: the player has its variant already. `held_out` (by the holdout of the game) and ' +
          '`dropped` (the experiment has lost the variant): the rules decide.',
      ),
    ),
    segment_id: Type.Optional(textOrNull('`rule` and `experiment`: id of its segment.')),
    percentage: Type.Optional(
      Type.Number({ description: '`rule` and `experiment`: percentage of players that it includes.' }),
    ),
    bucket: Type.Optional(
      numberOrNull(
        'The player’s fixed place, 0 to below 100. `rule` and `experiment`: it includes places below its percentage; ' +
          'null without a bucketing value. `variant`: the weights divide the range in the order of the variants; null: not drawn.',
      ),
    ),
    tests: Type.Optional(ExplainedTests),
    variant_key: Type.Optional(textOrNull('`variant`: key of the variant at this place, or of the one that is kept.')),
  },
  { description: 'A step of the evaluation.' },
);

export const explainFlags = defineRoute({
  method: 'POST',
  path: '/v1/flags/flags/explain',
  tag: 'Feature flags',
  summary: 'Explain what flags serve a player',
  description:
    'Evaluates live state like the other evaluations, but records nothing: no exposure, no served variant. With ' +
    '`flag_keys` the answer also has each step of the evaluation. `last_served` is what the player really got last, ' +
    'which may differ from what the flag serves now.',
  auth: { keys: ['server'] },
  limitClass: 'events',
  // Explanations show values of attributes, which every role sees at the player.
  ...readBy('viewer'),
  readsOnly: true,
  errors: ['PLAYER_NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  input: {
    body: Type.Object(
      {
        player_id: PlayerId,
        flag_keys: Type.Optional(
          Type.Array(Type.String({ maxLength: TEXT_LIMITS.definitionKeyLength }), {
            minItems: 1,
            maxItems: FLAG_API_LIMITS.explainedFlags,
            description: 'Keys of the flags to explain step by step. Default: all flags, without steps.',
          }),
        ),
        context: Type.Optional(freeForm('Evaluation context that rules read as `context.<field>`.')),
      },
      { additionalProperties: false, description: 'What to explain.' },
    ),
  },
  example: { player_id: '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11', flag_keys: ['new_shop'], context: { platform: 'ios' } },
  reply: {
    description: 'The explanations.',
    schema: Type.Object(
      {
        flags: Type.Array(
          Type.Object(
            {
              flag_key: Type.String({ description: 'Key of the flag.' }),
              version: Type.Integer({ description: 'Version of the flag that was evaluated.' }),
              ...SERVED_FIELDS,
              segment_id: text('Id of the matching segment, if the reason is `segment_match`.'),
              prerequisite_key: text('Key of the unmet prerequisite flag.'),
              last_served: Type.Union(
                [
                  Type.Object(
                    {
                      version: Type.Integer({ description: 'Version of the flag that first served it.' }),
                      ...SERVED_FIELDS,
                      mixed: Type.Boolean({ description: 'Whether the player got two variants in this period.' }),
                    },
                    { description: 'What was served.' },
                  ),
                  Type.Null({ description: 'Nothing was served yet, or the player is in the test environment.' }),
                ],
                { description: 'What the player got last. A value too long to be stored is null.' },
              ),
              exposures: Type.Array(
                Type.Object(
                  {
                    variant_key: textOrNull('Key of the variant; `true` or `false` for a boolean flag.'),
                    version: Type.Integer({ description: 'Version of the flag.' }),
                  },
                  { description: 'An exposure.' },
                ),
                { description: 'Variants to which the player was exposed, oldest first.' },
              ),
              steps: Type.Optional(Type.Array(Step, { description: 'The steps, in order. With `flag_keys` only.' })),
            },
            { description: 'The explanation of one flag.' },
          ),
          { description: 'One entry per flag.' },
        ),
        unknown_flags: Type.Array(Type.String(), { description: 'Requested keys that no flag has.' }),
      },
      { description: 'Explanations.' },
    ),
    example: {
      flags: [
        {
          flag_key: 'new_shop',
          version: 3,
          value: 'layout_b',
          variant_key: 'b',
          reason: 'percentage_rollout',
          last_served: { version: 3, value: 'layout_b', variant_key: 'b', reason: 'percentage_rollout', mixed: false },
          exposures: [{ variant_key: 'b', version: 3 }],
          steps: [
            { step: 'enabled', passed: true },
            { step: 'override', overridden: false },
            {
              step: 'rule',
              rule: 0,
              name: '',
              outcome: 'served',
              segment_id: null,
              percentage: 50,
              bucket: 12.3,
              tests: [],
            },
            { step: 'variant', bucket: 71.4, variant_key: 'b' },
          ],
        },
      ],
      unknown_flags: [],
    },
  },
  action: {
    kind: 'service',
    async call({ body }, context) {
      if (body.context !== undefined && documentText(body.context) === undefined) return documentTooLarge('/context');
      const requestContext: JsonObject | undefined =
        body.context === undefined ? undefined : JSON.parse(JSON.stringify(body.context));
      const found = await stateOf(body.player_id.toLowerCase(), context);
      if (found.kind === 'failure') return found;
      const targeting = await currentTargeting(context);
      const subject = subjectOf(found.player, context.services.clock.wallMs(), requestContext);
      const keys = body.flag_keys === undefined ? [...targeting.flags.keys()] : [...new Set(body.flag_keys)];
      const turns = createTurns(context.services.clock);
      const shown: string[] = [];
      let valueChars = 0;
      const flags = keys.flatMap((key) => targeting.flags.get(key) ?? []);
      const served: Served = new Map();
      // In one meter, as an owner evaluates them: one for each would let a request take seconds of this thread.
      const evaluations = metered(() => flags.map((flag) => flag.evaluate(subject, targeting, served)));
      for (const [index, flag] of flags.entries()) {
        await turns.pause();
        const steps =
          body.flag_keys === undefined
            ? undefined
            : metered(() => explainFlag(flag, subject, targeting, definitionLookup(context)));
        const item = explanationJson(flag, subject.player, evaluations[index], steps);
        valueChars += item.length;
        if (valueChars > FLAG_LIMITS.evaluatedChars) return TOO_LARGE;
        shown.push(item);
      }
      const unknown = keys.filter((key) => !targeting.flags.has(key));
      return answer(`{"flags":[${shown.join(',')}],"unknown_flags":${JSON.stringify(unknown)}}`);
    },
  },
});

const TOO_LARGE = invalid([
  {
    path: '/flag_keys',
    message: `selects flags whose explanations exceed ${FLAG_LIMITS.evaluatedChars} characters in total; request fewer flags`,
  },
]);

function explanationJson(
  { key, document }: Flag,
  player: PlayerState,
  evaluation: FlagEvaluation | undefined,
  steps: FlagStep[] | undefined,
): string {
  if (evaluation === undefined) throw new Error(`the flag ${key} was not evaluated`);
  const { segmentId, prerequisiteKey } = evaluation;
  return JSON.stringify({
    flag_key: key,
    version: document.version,
    ...servedJson(evaluation),
    ...(segmentId === undefined ? {} : { segment_id: segmentId }),
    ...(prerequisiteKey === undefined ? {} : { prerequisite_key: prerequisiteKey }),
    last_served: lastServed(player, key),
    exposures: player.exposures
      .filter(({ flagKey }) => flagKey === key)
      .map(({ variantKey, flagVersion }) => ({ variant_key: variantKey, version: flagVersion })),
    ...(steps === undefined ? {} : { steps: steps.map(stepJson) }),
  });
}

function servedJson({
  value,
  variantKey,
  reason,
}: Pick<FlagEvaluation, 'variantKey' | 'reason'> & { value: string | null }) {
  return { value: parsed(value), variant_key: variantKey, reason };
}

function lastServed(player: PlayerState, key: string) {
  const served = servedOf(player, key);
  return served === undefined ? null : { version: served.flagVersion, ...servedJson(served), mixed: served.mixed };
}

function parsed(text: string | null): unknown {
  return text === null ? null : JSON.parse(text);
}

function stepJson(step: FlagStep): object {
  switch (step.step) {
    case 'enabled':
      return step;
    case 'prerequisite': {
      const { flagKey, required, requiredVariant, served, servedVariant, reason, passed } = step;
      const needed = required === null ? { required_variant: requiredVariant } : { required: parsed(required) };
      const found = { served: parsed(served), served_variant: servedVariant };
      return { step: step.step, flag_key: flagKey, ...needed, ...found, reason, passed };
    }
    case 'override':
      return step.value === null
        ? { step: step.step, overridden: false }
        : { step: step.step, overridden: true, value: parsed(step.value) };
    case 'experiment': {
      const { experiment, outcome, phase, segmentId, percentage, bucket, tests } = step;
      const found = { segment_id: segmentId, percentage, bucket, tests: testsJson(tests) };
      return { step: step.step, experiment, outcome, phase, ...found };
    }
    case 'rule': {
      const { index, name, outcome, segmentId, percentage, bucket, tests } = step;
      return {
        step: step.step,
        rule: index,
        name,
        outcome,
        segment_id: segmentId,
        percentage,
        bucket,
        tests: testsJson(tests),
      };
    }
    case 'variant':
      return { step: step.step, bucket: step.bucket, variant_key: step.variantKey };
    case 'default':
      return { step: step.step, value: parsed(step.value) };
  }
}
