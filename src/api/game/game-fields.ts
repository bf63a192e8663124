import { Type } from 'typebox';
import { LIMITS } from '../../kernel/limits.ts';
import type { SeenFlag } from '../../../actors/vocabulary/player.ts';

/** Tag and fields that the game-client endpoints share. */
export const GAME_TAG = 'Game clients';

export const GameSessionId = Type.String({
  minLength: 1,
  maxLength: LIMITS.callerIdLength,
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
        variant: Type.Optional(
          Type.String({
            description:
              'Key of the served variant; left out if there is none. The evaluation endpoints return its value.',
          }),
        ),
      },
      { description: 'A flag.' },
    ),
    description,
  });
}

/** Flag values as JSON text. */
export function flagMapJson(flags: readonly SeenFlag[]): string {
  const entries = flags.map(({ flagKey, enabled, variant }) => {
    const more = variant === null ? '' : `,"variant":${JSON.stringify(variant)}`;
    return `${JSON.stringify(flagKey)}:{"enabled":${enabled}${more}}`;
  });
  return `{${entries.join(',')}}`;
}
