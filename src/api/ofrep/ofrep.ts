import { hash } from 'node:crypto';
import { Type } from 'typebox';
import type { FlagsReply } from '../../../actors/vocabulary/replies.ts';
import { failure, type Failure } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import type { TextAnswer } from '../answer.ts';
import { documentText, documentTooLarge } from '../document-text.ts';
import { ofrepFailure, ofrepFailures } from './ofrep-failures.ts';
import { OfrepEvaluation, OFREP_EXAMPLE, ofrepJson } from './ofrep-evaluation.ts';
import { playerIdsOf } from '../players/player-id.ts';
import type { RequestContext } from '../request-context.ts';
import { defineRoute } from '../route.ts';
import { expectFlags } from '../flags/flag-evaluation.ts';

/*
 * The OpenFeature Remote Evaluation Protocol (OFREP), version 0.3: its server providers ask for one flag at a time, its
 * client providers for all of them, again and again with the ETag of the last answer.
 */

const tag = 'OpenFeature';
const auth = { keys: ['client', 'server'] } as const;
const mediaType = 'application/json';

const Body = Type.Object({
  context: Type.Optional(
    Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      maxProperties: LIMITS.documentKeys,
      propertyNames: { type: 'string', minLength: 1, maxLength: LIMITS.nameLength },
      properties: {
        targetingKey: {
          type: 'string',
          maxLength: LIMITS.externalIdLength,
          description: "The player: the service's id of it, or its external_id.",
        },
      },
      description: 'The evaluation context; what stands beside the targetingKey is for the rules of flags to look at.',
    }),
  ),
});

const EXAMPLE = { context: { targetingKey: 'player_12345', platform: 'ios', app_version: '2.4.0' } };

export const ofrepEvaluateFlag = defineRoute({
  method: 'POST',
  path: '/ofrep/v1/evaluate/flags/{key}',
  tag,
  summary: 'Evaluate one flag (OFREP)',
  description: 'What is served counts as seen by the player, as with the single evaluation.',
  auth,
  players: ({ body }) => ({ idOrExternalId: targetOf(body.context) }),
  limitClass: 'none',
  onlyAsks: true,
  errors: ['PLAYER_NOT_FOUND', 'FLAG_NOT_FOUND'],
  failures: ofrepFailures,
  input: { params: Type.Object({ key: Type.String({ description: "The flag's key." }) }), body: Body },
  reply: {
    statuses: [200],
    description: 'What the flag serves the player.',
    mediaType,
    schema: OfrepEvaluation,
    example: OFREP_EXAMPLE,
  },
  example: EXAMPLE,
  action: {
    kind: 'handle',
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
    'Answers 304 while nothing has changed since the answer with the ETag in If-None-Match. An event with a flag as ' +
    '`flag_key` in its properties exposes the variant served.',
  auth,
  players: ({ body }) => ({ idOrExternalId: targetOf(body.context) }),
  limitClass: 'none',
  onlyAsks: true,
  errors: ['PLAYER_NOT_FOUND'],
  failures: ofrepFailures,
  input: {
    headers: Type.Object({
      'If-None-Match': Type.Optional(Type.String({ description: 'ETags of answers the caller holds.' })),
    }),
    body: Body,
  },
  reply: {
    statuses: [200, 304],
    description: 'What each flag serves the player, in order of their keys.',
    mediaType,
    schema: Type.Object(
      { flags: Type.Array(OfrepEvaluation, { description: 'What each flag serves.' }) },
      { description: 'A bulk evaluation.' },
    ),
    example: { flags: [OFREP_EXAMPLE] },
  },
  example: EXAMPLE,
  action: {
    kind: 'handle',
    async handle({ headers, body }, context) {
      const reply = await evaluate(body.context, { flagKeys: 'all', exposes: false }, context);
      if (reply.kind !== 'flags') return reply;
      const inOrder = reply.evaluations.toSorted((a, b) => (a.flagKey < b.flagKey ? -1 : 1));
      const text = `{"flags":[${inOrder.map(ofrepJson).join(',')}]}`;
      const etag = `"${hash('sha256', text, 'base64url')}"`;
      if (matches(headers['If-None-Match'], etag)) return notModified(etag);
      return jsonAnswer(text, { ETag: etag });
    },
  },
});

interface Question {
  flagKeys: readonly string[] | 'all';
  exposes: boolean;
}

/** Asks the owner of the player that the context names. @param flagKey of a single evaluation, for its failures */
async function evaluate(
  evaluationContext: Record<string, unknown> | undefined,
  question: Question,
  { services, origin, key, player }: RequestContext,
  flagKey?: string,
): Promise<FlagsReply | Failure | TextAnswer> {
  const { targetingKey, ...rest } = evaluationContext ?? {};
  if (typeof targetingKey !== 'string' || targetingKey === '') {
    return ofrepFailure(400, 'TARGETING_KEY_MISSING', 'The context holds no targetingKey.', flagKey);
  }
  const context = documentText(rest);
  if (context === undefined) return documentTooLarge('/context');
  // A token's external_id may look like the id of another player.
  for (const playerId of player === undefined ? playerIdsOf(key, targetingKey) : [player.playerId]) {
    const body = { kind: 'EvaluateFlags', playerId, context, ...question } as const;
    const reply = await services.backend.ask(origin, playerId, body);
    if (reply.kind !== 'failure') return expectFlags(reply);
    if (reply.code !== 'PLAYER_NOT_FOUND') return reply;
  }
  return failure('PLAYER_NOT_FOUND', 'The targetingKey names no player.');
}

function targetOf(evaluationContext: Record<string, unknown> | undefined): string {
  const targetingKey = evaluationContext?.['targetingKey'];
  return typeof targetingKey === 'string' ? targetingKey : '';
}

/** Whether the caller holds what an ETag stands for (RFC 9110, section 13.1.2: weak comparison). */
function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((one) => ['*', etag].includes(withoutWeakness(one.trim())));
}

function withoutWeakness(tag: string): string {
  return tag.startsWith('W/') ? tag.slice(2) : tag;
}

function jsonAnswer(body: string, headers: Record<string, string> = {}): TextAnswer {
  return { kind: 'text', contentType: mediaType, body, headers };
}

function notModified(etag: string): TextAnswer {
  return { kind: 'text', status: 304, contentType: undefined, body: '', headers: { ETag: etag } };
}
