import { Type } from 'typebox';
import { LIMITS } from '../../kernel/limits.ts';
import type { SeenFlag } from '../../../actors/vocabulary/player.ts';

/** What the game-client endpoints share. */
export const GAME_TAG = 'Game clients';

export const GameSessionId = Type.String({
  minLength: 1,
  maxLength: LIMITS.callerIdLength,
  description: 'The session, as init answered it.',
});

/** What a client is told of flags, by key. @param description which flags they are */
export function flagMap(description: string) {
  return Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    additionalProperties: Type.Object(
      {
        enabled: Type.Boolean({
          description: 'Whether the flag is on for the player and serves neither false nor null.',
        }),
        variant: Type.Optional(Type.String({ description: 'The variant served, where one is.' })),
      },
      { description: 'One flag.' },
    ),
    description,
  });
}

/** The same as JSON text. */
export function flagMapJson(flags: readonly SeenFlag[]): string {
  const entries = flags.map(({ flagKey, enabled, variant }) => {
    const more = variant === null ? '' : `,"variant":${JSON.stringify(variant)}`;
    return `${JSON.stringify(flagKey)}:{"enabled":${enabled}${more}}`;
  });
  return `{${entries.join(',')}}`;
}
