import { gameAddress } from '../../../streams/config/games.ts';
import { noteIgnoredName } from '../ignored-fields.ts';
import type { RequestContext } from '../request-context.ts';

/**
 * The attributes that a caller may set: all with a server key, and those that the game's setting `clientAttributes` allows with
 * a client key. The others are ignored and named in X-Ignored-Fields: an error would break shipped clients.
 * @param field the body's field that holds the attributes
 */
export function settableAttributes(
  attributes: Record<string, unknown>,
  field: string,
  { key, services, ignored }: Pick<RequestContext, 'key' | 'services' | 'ignored'>,
): Record<string, unknown> {
  if (key.kind === 'server') return attributes;
  const { clientAttributes = 'all' } = services.config.get(gameAddress(key.game))?.document ?? {};
  if (clientAttributes === 'all') return attributes;
  const listed = new Set(clientAttributes === 'none' ? [] : clientAttributes.listed);
  // From entries: a name __proto__ stays a name.
  return Object.fromEntries(
    Object.entries(attributes).filter(([name]) => {
      if (listed.has(name)) return true;
      noteIgnoredName(`${field}.${name}`, ignored);
      return false;
    }),
  );
}
