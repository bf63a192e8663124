import { hash } from 'node:crypto';
import { Type } from 'typebox';
import type { FlagsReply } from '../../../core/vocabulary/commands/replies.ts';
import { failure, type Failure } from '../../../core/kernel/errors.ts';
import { TEXT_LIMITS } from '../../../core/kernel/text/limits.ts';
import type { TextAnswer } from '../route/answer.ts';
import { documentText, documentTooLarge } from '../input/document-text.ts';
import { IfNoneMatch, isHeld, notModified } from '../input/if-none-match.ts';
import { ofrepFailure, ofrepFailures } from './ofrep-failures.ts';
import { OfrepEvaluation, OFREP_EXAMPLE, ofrepJson } from './ofrep-evaluation.ts';
import { playerIdsOf } from '../players/player-id.ts';
import type { RequestContext } from '../route/request-context.ts';
import { defineRoute, forGames } from '../route/route.ts';
import { expectFlags } from '../flags/evaluate/flag-evaluation.ts';

/*
 * The OpenFeature Remote Evaluation Protocol (OFREP), version 0.3. Server providers evaluate one flag at a time; client
 * providers poll all flags with the ETag of the last response.
 */

const tag = 'OpenFeature';
const auth = { keys: ['client', 'server'] } as const;
const mediaType = 'application/json';

const Body = Type.Object({
  context: Type.Optional(
    Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      maxProperties: TEXT_LIMITS.documentKeys,
      propertyNames: { type: 'string', minLength: 1, maxLength: TEXT_LIMITS.nameLength },
      properties: {
        targetingKey: {
          type: 'string',
          maxLength: TEXT_LIMITS.externalIdLength,
          format: 'external-id',
          description:
            'The player: its player_id or external_id. A player that is not registered is evaluated as a new one ' +
            'without attributes, and stays unregistered.',
        },
      },
      description: 'Evaluation context. Rules read its fields besides `targetingKey` as `context.<field>`.',
    }),
  ),
});

const EXAMPLE = { context: { targetingKey: 'player_12345', platform: 'ios', app_version: '2.4.0' } };

export const ofrepEvaluateFlag = defineRoute({
  method: 'POST',
  path: '/ofrep/v1/evaluate/flags/{key}',
  tag,
  summary: 'Evaluate one flag (OFREP)',
  description: 'Records an exposure to the served variant, like `POST /v1/flags/flags/{key}/evaluate`.',
  auth,
  players: ({ body }) => ({ idOrExternalId: targetOf(body.context) }),
  limitClass: 'none',
  ...forGames('evaluate'),
  readsOnly: true,
  errors: ['FLAG_NOT_FOUND'],
  failures: ofrepFailures,
  input: { params: Type.Object({ key: Type.String({ description: "The flag's key." }) }), body: Body },
  reply: {
    description: 'The evaluation.',
    mediaType,
    schema: OfrepEvaluation,
    example: OFREP_EXAMPLE,
  },
  example: EXAMPLE,
  action: {
    kind: 'several',
    async handle({ params, body }, context) {
      const reply = await evaluate(body.context, { flagKeys: [params.key], exposes: true }, context, params.key);
      if (reply.kind !== 'flags') return reply;
      const [evaluation] = reply.evaluations;
      return evaluation === undefined ? failure('FLAG_NOT_FOUND') : jsonAnswer(ofrepJson(evaluation));
    },
  },
});

export const ofrepEvaluateFlags = defineRoute({
  method: 'POST',
  path: '/ofrep/v1/evaluate/flags',
  tag,
  summary: 'Evaluate all flags (OFREP)',
  description:
    'Returns 304 if `If-None-Match` lists the ETag of the response. This call records no exposure: track an ' +
    'event with the property `flag_key` when the player sees the variant.',
  auth,
  players: ({ body }) => ({ idOrExternalId: targetOf(body.context) }),
  limitClass: 'none',
  ...forGames('evaluate'),
  readsOnly: true,
  errors: [],
  failures: ofrepFailures,
  input: {
    headers: IfNoneMatch,
    body: Body,
  },
  reply: {
    statuses: [200, 304],
    description: 'The evaluations, ordered by flag key.',
    mediaType,
    schema: Type.Object(
      { flags: Type.Array(OfrepEvaluation, { description: 'The evaluations, ordered by flag key.' }) },
      { description: 'A bulk evaluation.' },
    ),
    example: { flags: [OFREP_EXAMPLE] },
  },
  example: EXAMPLE,
  action: {
    kind: 'several',
    async handle({ headers, body }, context) {
      const reply = await evaluate(body.context, { flagKeys: 'all', exposes: false }, context);
      if (reply.kind !== 'flags') return reply;
      const inOrder = reply.evaluations.toSorted((a, b) => (a.flagKey < b.flagKey ? -1 : 1));
      const text = `{"flags":[${inOrder.map(ofrepJson).join(',')}]}`;
      const etag = `"${hash('sha256', text, 'base64url')}"`;
      if (isHeld(headers['If-None-Match'], etag)) return notModified(etag);
      return jsonAnswer(text, { ETag: etag });
    },
  },
});

interface Question {
  flagKeys: readonly string[] | 'all';
  exposes: boolean;
}

/**
 * Evaluates flags for the player in the context.
 * @param flagKey key of a single evaluation, for its failures
 */
async function evaluate(
  evaluationContext: Record<string, unknown> | undefined,
  question: Question,
  { services, origin, key, player }: RequestContext,
  flagKey?: string,
): Promise<FlagsReply | Failure | TextAnswer> {
  const { targetingKey, ...rest } = evaluationContext ?? {};
  if (typeof targetingKey !== 'string' || targetingKey === '') {
    return ofrepFailure(
      400,
      'TARGETING_KEY_MISSING',
      '`context.targetingKey` is required: send a player_id or an external_id.',
      flagKey,
    );
  }
  const context = documentText(rest);
  if (context === undefined) return documentTooLarge('/context');
  // With a player token, the player is known; its external_id may look like the id of another player.
  const ask = async (playerId: string, unregistered: { externalId?: string } = {}) => {
    const body = { kind: 'EvaluateFlags', playerId, context, by: key.kind, ...question, ...unregistered } as const;
    const reply = await services.backend.query(origin, playerId, body);
    return reply.kind === 'failure' ? reply : expectFlags(reply);
  };
  const [first = '', byExternalId = first] = player === undefined ? playerIdsOf(key, targetingKey) : [player.playerId];
  if (first !== byExternalId) {
    const reply = await ask(first);
    if (reply.kind !== 'failure' || reply.code !== 'PLAYER_NOT_FOUND') return reply;
  }
  // Clients that get an error keep the values of the player before.
  return ask(byExternalId, { externalId: targetingKey });
}

function targetOf(evaluationContext: Record<string, unknown> | undefined): string {
  const targetingKey = evaluationContext?.['targetingKey'];
  return typeof targetingKey === 'string' ? targetingKey : '';
}

function jsonAnswer(body: string, headers: Record<string, string> = {}): TextAnswer {
  return { kind: 'text', contentType: mediaType, body, headers };
}
