import { timeZoneOf } from '../../../actors/time-zones/time-zone.ts';
import { gameAddress } from '../../../streams/config/games.ts';
import { noteIgnoredName } from '../input/ignored-fields.ts';
import type { RequestContext } from '../route/request-context.ts';

/**
 * The attributes that a caller may set: all of them with a server key, those in the game's setting `clientAttributes`
 * with a client key. Others are ignored and listed in X-Ignored-Fields; an error would break shipped clients. So is a
 * `timezone` that is none: it is stored, but quiet hours cannot use it.
 * @param field name of the body field with the attributes
 */
export function settableAttributes(
  attributes: Record<string, unknown>,
  field: string,
  { key, services, ignored }: Pick<RequestContext, 'key' | 'services' | 'ignored'>,
): Record<string, unknown> {
  if (isNoZone(attributes['timezone'])) noteIgnoredName(`${field}.timezone`, ignored);
  if (key.kind === 'server') return attributes;
  const { clientAttributes = 'all' } = services.config.get(gameAddress(key.game))?.document ?? {};
  if (clientAttributes === 'all') return attributes;
  const listed = new Set(clientAttributes === 'none' ? [] : clientAttributes.listed);
  // Object.fromEntries keeps an attribute named __proto__ as an own property.
  return Object.fromEntries(
    Object.entries(attributes).filter(([name]) => {
      if (listed.has(name)) return true;
      noteIgnoredName(`${field}.${name}`, ignored);
      return false;
    }),
  );
}

/** null removes the attribute. */
function isNoZone(zone: unknown): boolean {
  if (zone === undefined || zone === null) return false;
  return typeof zone !== 'string' || timeZoneOf(zone) === undefined;
}
