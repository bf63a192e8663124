import { Type } from 'typebox';
import type { FlagEvaluation, FlagsReply } from '../../../actors/vocabulary/replies.ts';
import { failure } from '../../kernel/errors.ts';
import type { JsonText } from '../../kernel/json.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { answer } from '../answer.ts';
import { documentText, documentTooLarge } from '../document-text.ts';
import { PlayerId, freeForm } from '../fields.ts';
import { rememberedText } from '../remembered-text.ts';
import { defineRoute, type Success } from '../route.ts';

const tag = 'Feature flags';

const PLAYER_EXAMPLE = '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11';

const Context = Type.Optional(freeForm('What the caller knows of this moment, for the rules of flags to look at.'));

/** What every evaluation tells. */
const EVALUATION = {
  value: Type.Unknown({ description: "The value served: a boolean, or of the flag's type; null when it has none." }),
  variant_key: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'The variant served; null where none is.',
  }),
  reason: Type.Unsafe<string>({
    type: 'string',
    enum: ['default', 'segment_match', 'percentage_rollout', 'flag_disabled', 'player_override'],
    description: 'Why this value is served.',
  }),
  segment_id: Type.Optional(Type.String({ description: 'The segment that matched, with `segment_match`.' })),
  prerequisite_key: Type.Optional(
    Type.String({ description: 'The flag whose value kept this one off, with `flag_disabled`.' }),
  ),
};

/** How long the evaluation took. */
const TIMES = {
  evaluation_time_ms: Type.Integer({ description: 'Time the evaluation took, whole milliseconds.' }),
  evaluation_time_us: Type.Number({ description: 'The same in microseconds.' }),
};

export const evaluateFlag = defineRoute({
  method: 'POST',
  path: '/v1/flags/flags/{key}/evaluate',
  tag,
  summary: 'Evaluate one flag for a player',
  description:
    'Answered from live state: what an event changed counts at once. What is served counts as seen by the player: once ' +
    'per period and variant it becomes an exposure.',
  auth: { keys: ['client', 'server'] },
  players: ({ body }) => ({ playerId: body.player_id }),
  limitClass: 'none',
  onlyAsks: true,
  errors: ['PLAYER_NOT_FOUND', 'FLAG_NOT_FOUND'],
  input: {
    params: Type.Object({ key: Type.String({ description: "The flag's key." }) }),
    body: Type.Object({ player_id: PlayerId, context: Context }),
  },
  reply: {
    statuses: [200],
    description: 'What the flag serves the player.',
    schema: Type.Object(
      { flag_key: Type.String({ description: "The flag's key." }), ...EVALUATION, ...TIMES },
      { description: 'A flag evaluation result.' },
    ),
    example: {
      flag_key: 'new_shop',
      value: 'layout_b',
      variant_key: 'b',
      reason: 'segment_match',
      segment_id: 'seg_019bc0de-1234-7abc-8def-0123456789ab',
      evaluation_time_ms: 0,
      evaluation_time_us: 3.4,
    },
  },
  example: { player_id: PLAYER_EXAMPLE, context: { platform: 'ios', app_version: '2.4.0' } },
  action: {
    kind: 'query',
    toQuery({ params, body }) {
      const context = contextText(body.context);
      if (context === undefined) return documentTooLarge('/context');
      const playerId = body.player_id.toLowerCase();
      return {
        kind: 'addressed',
        entityId: playerId,
        body: { kind: 'EvaluateFlags', playerId, flagKeys: [params.key], context, exposes: true },
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
  summary: 'Evaluate several flags, or all, for a player',
  description:
    'Includes disabled flags; an unknown one is left out and named. A served variant is exposed by an event with the flag as ' +
    '`flag_key` in its properties, and with the variant as `variant_key` if the client shows a cached one.',
  auth: { keys: ['client', 'server'] },
  players: ({ body }) => ({ playerId: body.player_id }),
  limitClass: 'none',
  onlyAsks: true,
  errors: ['PLAYER_NOT_FOUND'],
  input: {
    body: Type.Object({
      player_id: PlayerId,
      flag_keys: Type.Optional(
        Type.Array(Type.String({ maxLength: LIMITS.nameLength }), {
          maxItems: LIMITS.evaluatedFlags,
          description: 'Keys of flags; all when left out.',
        }),
      ),
      context: Context,
    }),
  },
  reply: {
    statuses: [200],
    description: 'What each flag serves the player.',
    schema: Type.Object(
      {
        evaluations: Type.Unsafe<Record<string, unknown>>({
          type: 'object',
          additionalProperties: Type.Object(EVALUATION, { description: 'What one flag serves.' }),
          description: 'By key of the flag.',
        }),
        unknown_flags: Type.Array(Type.String(), { description: 'Keys asked for that name no flag.' }),
        ...TIMES,
      },
      { description: 'Evaluations of several flags.' },
    ),
    example: {
      evaluations: {
        new_shop: { value: 'layout_b', variant_key: 'b', reason: 'percentage_rollout' },
        double_xp: { value: false, variant_key: null, reason: 'default' },
      },
      unknown_flags: [],
      evaluation_time_ms: 0,
      evaluation_time_us: 5.1,
    },
  },
  example: { player_id: PLAYER_EXAMPLE, flag_keys: ['new_shop', 'double_xp'], context: { platform: 'ios' } },
  action: {
    kind: 'query',
    toQuery({ body }) {
      const context = contextText(body.context);
      if (context === undefined) return documentTooLarge('/context');
      const playerId = body.player_id.toLowerCase();
      return {
        kind: 'addressed',
        entityId: playerId,
        body: { kind: 'EvaluateFlags', playerId, flagKeys: body.flag_keys ?? 'all', context, exposes: false },
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

/** The reply to EvaluateFlags. Any other kind is a bug of the owner. */
export function expectFlags(reply: Success): FlagsReply {
  if (reply.kind !== 'flags') throw new Error(`an evaluation was answered with ${reply.kind}`);
  return reply;
}

function contextText(context: Record<string, unknown> | undefined): JsonText | undefined {
  return context === undefined ? '{}' : documentText(context);
}

/** An evaluation behind its flag's key, as the member of an object or as what follows `"flag_key":`. */
const memberText = rememberedText((one) => `${JSON.stringify(one.flagKey)}:{${evaluationFields(one)}}`);
const singleText = rememberedText((one) => `${JSON.stringify(one.flagKey)},${evaluationFields(one)}`);

/** The fields of one evaluation as JSON text; its value is spliced in as it is. */
function evaluationFields({ value, variantKey, reason, segmentId, prerequisiteKey }: FlagEvaluation): string {
  const segment = segmentId === undefined ? '' : `,"segment_id":${JSON.stringify(segmentId)}`;
  const prerequisite = prerequisiteKey === undefined ? '' : `,"prerequisite_key":${JSON.stringify(prerequisiteKey)}`;
  const variant = variantKey === null ? 'null' : JSON.stringify(variantKey);
  return `"value":${value},"variant_key":${variant},"reason":"${reason}"${segment}${prerequisite}`;
}

function timeFields(durationUs: number): string {
  return `"evaluation_time_ms":${Math.round(durationUs / 1000)},"evaluation_time_us":${durationUs}`;
}
