import { Type } from 'typebox';
import { PERIOD_FIELD, SERVED_FIELDS } from '../flags/evaluate/served-fields.ts';
import { SESSION_LIMITS } from '../../../actors/sessions/limits.ts';
import { TEXT_LIMITS } from '../../../core/kernel/text/limits.ts';
import { rememberedText } from '../route/remembered-text.ts';
import type { SessionFlag } from '../../../core/vocabulary/commands/replies.ts';

/** Tag and fields that the game-client endpoints share. */
export const GAME_TAG = 'Game clients';

export const GameSessionId = Type.String({
  minLength: 1,
  maxLength: TEXT_LIMITS.callerIdLength,
  description: 'Id of the session, as returned by init.',
});

/** Flag values for game clients, by flag key. @param description which flags they are */
export function flagMap(description: string) {
  return Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    additionalProperties: Type.Object(
      {
        enabled: Type.Boolean({
          description:
            'False if the flag is disabled for the player or serves false or null. True otherwise, also for the ' +
            'control variant.',
        }),
        variant: Type.Optional(Type.String({ description: 'Key of the served variant; left out if there is none.' })),
        value: Type.Optional(
          Type.Unknown({
            description:
              "Served value, of the flag's type. Left out where the values of the answer exceed " +
              `${SESSION_LIMITS.sessionValueChars} characters together: request fewer flags, or evaluate this one.`,
          }),
        ),
        variant_key: SERVED_FIELDS.variant_key,
        reason: SERVED_FIELDS.reason,
        period: Type.Optional(PERIOD_FIELD.period),
      },
      { description: 'A served flag.' },
    ),
    description,
  });
}

/** Flag values as JSON text. */
export function flagMapJson(flags: readonly SessionFlag[]): string {
  return `{${flags.map(memberText).join(',')}}`;
}

const memberText = rememberedText(({ flagKey, enabled, variant, value, reason, period }: SessionFlag) => {
  const key = JSON.stringify(variant);
  const given = variant === null ? '' : `,"variant":${key}`;
  const served = value === undefined ? '' : `,"value":${value}`;
  const when = period === undefined ? '' : `,"period":${period}`;
  return `${JSON.stringify(flagKey)}:{"enabled":${enabled}${given}${served},"variant_key":${key},"reason":"${reason}"${when}}`;
});
