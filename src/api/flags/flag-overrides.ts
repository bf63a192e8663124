import { Type, type Static } from 'typebox';
import { sameJson } from '../../../actors/flags/check/same-json.ts';
import { valueFaults } from '../../../actors/flags/check/value-faults.ts';
import type { FlagDocument, FlagVariant } from '../../../core/vocabulary/documents/documents.ts';
import { failure, type Failure } from '../../../core/kernel/errors.ts';
import type { Json, JsonText } from '../../../core/kernel/text/json.ts';
import { FLAG_API_LIMITS } from './limits.ts';
import { TEXT_LIMITS } from '../../../core/kernel/text/limits.ts';
import type { CommandBody } from '../../../core/vocabulary/commands/commands.ts';
import type { Addressed, Success } from '../route/action.ts';
import { answer, type Answer } from '../route/answer.ts';
import { anyJson } from '../definitions/definition-fields.ts';
import { PlayerId, textOrNull } from '../input/fields.ts';
import { findFlag } from './flag-edits.ts';
import type { RequestContext } from '../route/request-context.ts';
import { defineRoute, invalid } from '../route/route.ts';

/* The routes that set and remove the override of a flag for one player. */

const ROUTE = {
  path: '/v1/flags/flags/{key}/overrides/{player_id}',
  tag: 'Feature flags',
  auth: { keys: ['server'] },
  limitClass: 'none',
  idempotent: true,
  errors: ['FLAG_NOT_FOUND', 'PLAYER_NOT_FOUND', 'CONFLICT', 'SERVICE_UNAVAILABLE'],
} as const;
const Params = Type.Object({ key: Type.String({ description: "The flag's key." }), player_id: PlayerId });
const EXAMPLE = { flag_key: 'new_shop', player_id: '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11' };

const Body = Type.Object(
  {
    value: Type.Optional(
      anyJson("Value for the player, of the flag's type; for a multivariate flag, the key or value of a variant."),
    ),
    variant_key: Type.Optional(
      Type.String({
        maxLength: TEXT_LIMITS.definitionKeyLength,
        description: 'Key of the variant for the player, instead of `value`.',
      }),
    ),
  },
  { additionalProperties: false, description: 'An override. Send either `value` or `variant_key`.' },
);

type OverrideBody = Static<typeof Body>;

const putOverride = defineRoute({
  ...ROUTE,
  role: 'editor',
  scope: 'define',
  audit: {
    kind: 'flag',
    action: 'override_set',
    key: 'key',
    player: 'player_id',
    shows: ({ body }) => ({ ...Object(body) }),
  },
  approval: { id: 'flag.override.set', of: 'flag' },
  method: 'PUT',
  summary: 'Override a flag for one player',
  description:
    'The override takes precedence over all rules, but not over a disabled flag. Experiment results leave out ' +
    'players with an override.',
  input: { params: Params, body: Body },
  reply: {
    description: 'The override.',
    schema: Type.Object(
      {
        flag_key: Type.String({ description: "The flag's key." }),
        player_id: PlayerId,
        value: anyJson('Value that the flag serves to the player.'),
        variant_key: textOrNull('Key of the variant with this value; null if there is none.'),
      },
      { description: 'An override.' },
    ),
    example: { ...EXAMPLE, value: 'layout_b', variant_key: 'b' },
  },
  example: { variant_key: 'b' },
  action: {
    kind: 'command',
    toCommand({ params, body }, context) {
      const flag = findFlag(params.key, context);
      if (flag === undefined) return failure('FLAG_NOT_FOUND');
      const value = overrideText(body, flag);
      return typeof value === 'string' ? overrideCommand(params, value, context, flag) : value;
    },
    toAnswer: overrideAnswer,
  },
});

const deleteOverride = defineRoute({
  ...ROUTE,
  role: 'editor',
  scope: 'define',
  audit: {
    kind: 'flag',
    action: 'override_removed',
    key: 'key',
    player: 'player_id',
  },
  approval: { id: 'flag.override.remove', of: 'flag' },
  method: 'DELETE',
  summary: 'Remove the override of a flag for one player',
  description: 'The rules of the flag apply to the player again. If there is no override, the call succeeds too.',
  input: { params: Params },
  reply: {
    description: 'The override is removed.',
    schema: Type.Object(
      {
        flag_key: Type.String({ description: "The flag's key." }),
        player_id: PlayerId,
        removed: Type.Boolean({ description: 'Always true.' }),
      },
      { description: 'A removed override.' },
    ),
    example: { ...EXAMPLE, removed: true },
  },
  action: {
    kind: 'command',
    toCommand({ params }, context) {
      const flag = findFlag(params.key, context);
      return flag === undefined ? failure('FLAG_NOT_FOUND') : overrideCommand(params, null, context, flag);
    },
    toAnswer: overrideAnswer,
  },
});

export const overrideRoutes = [putOverride, deleteOverride];

/** The JSON text of the overriding value, or the fault of the body. */
function overrideText(body: OverrideBody, flag: FlagDocument): JsonText | Failure {
  const { value, variant_key: variantKey } = body;
  if ((value === undefined) === (variantKey === undefined)) {
    return invalid([{ path: '', message: 'must have either `value` or `variant_key`' }]);
  }
  return value === undefined ? variantText(variantKey, flag) : valueText(value, flag);
}

function variantText(variantKey: string | undefined, { variants }: FlagDocument): JsonText | Failure {
  const variant = variants.find(({ key }) => key === variantKey);
  if (variant === undefined)
    return invalid([{ path: '/variant_key', message: 'must be the key of a variant of the flag' }]);
  return bounded(variant.value, '/variant_key');
}

function valueText(value: Json, { flagType, variants }: FlagDocument): JsonText | Failure {
  const named = flagType === 'multivariate' ? variants.find(({ key }) => key === value) : undefined;
  if (named !== undefined) return bounded(named.value, '/value');
  const faults = valueFaults('/value', value, flagType, false);
  return faults.length > 0 ? invalid(faults) : bounded(value, '/value');
}

function bounded(value: Json, path: string): JsonText | Failure {
  const text = JSON.stringify(value);
  if (Buffer.byteLength(text) <= FLAG_API_LIMITS.overrideBytes) return text;
  return invalid([{ path, message: `must be at most ${FLAG_API_LIMITS.overrideBytes} bytes as JSON` }]);
}

interface OverrideCommand extends Addressed<CommandBody> {
  flag: FlagDocument;
}

/** @param value JSON text of the value; null removes the override */
function overrideCommand(
  params: Static<typeof Params>,
  value: JsonText | null,
  { idempotency }: RequestContext,
  flag: FlagDocument,
): OverrideCommand {
  const playerId = params.player_id.toLowerCase();
  const claim = idempotency === undefined ? {} : { idempotency };
  return {
    kind: 'addressed',
    playerId,
    body: { kind: 'OverrideFlag', playerId, flagKey: flag.key, value, ...claim },
    flag,
  };
}

function overrideAnswer(reply: Success, _context: RequestContext, { playerId, flag }: OverrideCommand): Answer {
  if (reply.kind !== 'overridden') throw new Error(`an override was answered with ${reply.kind}`);
  const { key: flagKey, variants } = flag;
  const named = `"flag_key":${JSON.stringify(flagKey)},"player_id":"${playerId}"`;
  const { replayed = false } = reply;
  if (reply.value === null) return answer(`{${named},"removed":true}`, { replayed });
  const variantKey = JSON.stringify(variantOf(reply.value, variants)?.key ?? null);
  return answer(`{${named},"value":${reply.value},"variant_key":${variantKey}}`, { replayed });
}

export function variantOf(value: JsonText, variants: readonly FlagVariant[]): FlagVariant | undefined {
  return variants.find((variant) => sameJson(JSON.stringify(variant.value), value));
}
