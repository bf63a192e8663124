import { Type } from 'typebox';
import type { FlagEvaluation, FlagsReply } from '../../../../core/vocabulary/commands/replies.ts';
import { failure } from '../../../../core/kernel/errors.ts';
import type { JsonText } from '../../../../core/kernel/text/json.ts';
import { FLAG_API_LIMITS } from '../limits.ts';
import { TEXT_LIMITS } from '../../../../core/kernel/text/limits.ts';
import { answer } from '../../route/answer.ts';
import { documentText, documentTooLarge } from '../../input/document-text.ts';
import { PlayerId, freeForm } from '../../input/fields.ts';
import { rememberedText } from '../../route/remembered-text.ts';
import type { Success } from '../../route/action.ts';
import { defineRoute, forGames } from '../../route/route.ts';
import { PERIOD_FIELD, SERVED_FIELDS, TRIAL, trialJson } from './served-fields.ts';

/* The routes that evaluate flags for a player, on the live state of its owner. */

const tag = 'Feature flags';

const PLAYER_EXAMPLE = '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11';

const Context = Type.Optional(
  freeForm('Evaluation context, for example the platform. Rules read it as `context.<field>`.'),
);

/** The fields of every evaluation. */
const EVALUATION = {
  ...SERVED_FIELDS,
  ...PERIOD_FIELD,
  segment_id: Type.Optional(
    Type.String({ description: 'Id of the matching segment, if the reason is `segment_match`.' }),
  ),
  prerequisite_key: Type.Optional(
    Type.String({ description: 'Key of the unmet prerequisite flag, if it is the cause of `flag_disabled`.' }),
  ),
  experiment: Type.Optional(TRIAL),
};

/** The duration of the evaluation. */
const TIMES = {
  evaluation_time_ms: Type.Integer({ description: 'Duration of the evaluation, whole milliseconds.' }),
  evaluation_time_us: Type.Number({ description: 'Duration of the evaluation, microseconds.' }),
};

export const evaluateFlag = defineRoute({
  method: 'POST',
  path: '/v1/flags/flags/{key}/evaluate',
  tag,
  summary: 'Evaluate one flag for a player',
  description:
    'Evaluates live state, so the effect of an accepted event is visible at once. Records an exposure to the served ' +
    'variant, once per player, period and variant.',
  auth: { keys: ['client', 'server'] },
  players: ({ body }) => ({ playerId: body.player_id }),
  limitClass: 'none',
  // Evaluations count as exposures.
  ...forGames('evaluate'),
  readsOnly: true,
  errors: ['PLAYER_NOT_FOUND', 'FLAG_NOT_FOUND'],
  input: {
    params: Type.Object({ key: Type.String({ description: "The flag's key." }) }),
    body: Type.Object({ player_id: PlayerId, context: Context }),
  },
  reply: {
    description: 'The evaluation.',
    schema: Type.Object(
      { flag_key: Type.String({ description: "The flag's key." }), ...EVALUATION, ...TIMES },
      { description: 'The evaluation of a flag.' },
    ),
    example: {
      flag_key: 'new_shop',
      value: 'layout_b',
      variant_key: 'b',
      reason: 'segment_match',
      period: 2,
      segment_id: 'seg_019bc0de-1234-7abc-8def-0123456789ab',
      evaluation_time_ms: 0,
      evaluation_time_us: 3.4,
    },
  },
  example: { player_id: PLAYER_EXAMPLE, context: { platform: 'ios', app_version: '2.4.0' } },
  action: {
    kind: 'query',
    toQuery({ params, body }, { key: { kind: by } }) {
      const context = contextText(body.context);
      if (context === undefined) return documentTooLarge('/context');
      const playerId = body.player_id.toLowerCase();
      return {
        kind: 'addressed',
        playerId: playerId,
        body: { kind: 'EvaluateFlags', playerId, flagKeys: [params.key], context, exposes: true, by },
      };
    },
    toAnswer(reply) {
      const { evaluations, durationUs } = expectFlags(reply);
      const [evaluation] = evaluations;
      if (evaluation === undefined) return failure('FLAG_NOT_FOUND');
      return answer(`{"flag_key":${singleText(evaluation)},${timeFields(durationUs)}}`);
    },
  },
});

export const evaluateFlags = defineRoute({
  method: 'POST',
  path: '/v1/flags/flags/evaluate',
  tag,
  summary: 'Evaluate several or all flags for a player',
  description:
    'Includes disabled flags. Unknown keys are listed in `unknown_flags`. This call records no exposure: track an ' +
    'event with the property `flag_key` when the player sees the variant, and also `variant_key` if the client shows ' +
    'a cached one.',
  auth: { keys: ['client', 'server'] },
  players: ({ body }) => ({ playerId: body.player_id }),
  limitClass: 'none',
  ...forGames('evaluate'),
  readsOnly: true,
  errors: ['PLAYER_NOT_FOUND'],
  input: {
    body: Type.Object({
      player_id: PlayerId,
      flag_keys: Type.Optional(
        Type.Array(Type.String({ maxLength: TEXT_LIMITS.nameLength }), {
          maxItems: FLAG_API_LIMITS.evaluatedFlags,
          description: 'Keys of the flags to evaluate. Default: all flags.',
        }),
      ),
      context: Context,
    }),
  },
  reply: {
    description: 'The evaluations.',
    schema: Type.Object(
      {
        evaluations: Type.Unsafe<Record<string, unknown>>({
          type: 'object',
          additionalProperties: Type.Object(EVALUATION, { description: 'The evaluation of one flag.' }),
          description: 'Evaluations by flag key.',
        }),
        unknown_flags: Type.Array(Type.String(), { description: 'Requested keys that no flag has.' }),
        ...TIMES,
      },
      { description: 'Evaluations of several flags.' },
    ),
    example: {
      evaluations: {
        new_shop: { value: 'layout_b', variant_key: 'b', reason: 'percentage_rollout', period: 2 },
        double_xp: { value: false, variant_key: null, reason: 'default', period: 1 },
      },
      unknown_flags: [],
      evaluation_time_ms: 0,
      evaluation_time_us: 5.1,
    },
  },
  example: { player_id: PLAYER_EXAMPLE, flag_keys: ['new_shop', 'double_xp'], context: { platform: 'ios' } },
  action: {
    kind: 'query',
    toQuery({ body }, { key: { kind: by } }) {
      const context = contextText(body.context);
      if (context === undefined) return documentTooLarge('/context');
      const playerId = body.player_id.toLowerCase();
      return {
        kind: 'addressed',
        playerId: playerId,
        body: { kind: 'EvaluateFlags', playerId, flagKeys: body.flag_keys ?? 'all', context, exposes: false, by },
      };
    },
    toAnswer(reply) {
      const { evaluations, unknownFlags, durationUs } = expectFlags(reply);
      const fields = evaluations.map(memberText).join(',');
      const unknown = unknownFlags.length === 0 ? '[]' : JSON.stringify(unknownFlags);
      return answer(`{"evaluations":{${fields}},"unknown_flags":${unknown},${timeFields(durationUs)}}`);
    },
  },
});

/** Narrows the reply to EvaluateFlags. Any other kind is a bug of the owner. */
export function expectFlags(reply: Success): FlagsReply {
  if (reply.kind !== 'flags') throw new Error(`an evaluation was answered with ${reply.kind}`);
  return reply;
}

function contextText(context: Record<string, unknown> | undefined): JsonText | undefined {
  return context === undefined ? '{}' : documentText(context);
}

/** An evaluation as an object member, and as the text that follows `"flag_key":`. */
const memberText = rememberedText((one: FlagEvaluation) => `${JSON.stringify(one.flagKey)}:{${evaluationFields(one)}}`);
const singleText = rememberedText((one: FlagEvaluation) => `${JSON.stringify(one.flagKey)},${evaluationFields(one)}`);

/** The fields of an evaluation as JSON text. The value is JSON text already. */
function evaluationFields(evaluation: FlagEvaluation): string {
  const { value, variantKey, reason, period, segmentId, prerequisiteKey, trial } = evaluation;
  const segment = segmentId === undefined ? '' : `,"segment_id":${JSON.stringify(segmentId)}`;
  const prerequisite = prerequisiteKey === undefined ? '' : `,"prerequisite_key":${JSON.stringify(prerequisiteKey)}`;
  const variant = variantKey === null ? 'null' : JSON.stringify(variantKey);
  const served = `"value":${value},"variant_key":${variant},"reason":"${reason}","period":${period}`;
  const decidedBy = trial === undefined ? '' : `,"experiment":${JSON.stringify(trialJson(trial))}`;
  return served + segment + prerequisite + decidedBy;
}

function timeFields(durationUs: number): string {
  return `"evaluation_time_ms":${Math.round(durationUs / 1000)},"evaluation_time_us":${durationUs}`;
}
