import { ATTRIBUTE_LIMITS } from '../../../../actors/player/limits.ts';
import type { ImportedEvent } from '../../../../core/vocabulary/commands/import.ts';
import { devicePlatform, deviceText } from '../../../api/game/device-text.ts';
import type { Fields } from './line-fields.ts';

/* What lines say of the device on which something happened, by the product that exported them. */

/** What products call the fields of a device. */
export interface DeviceFields {
  platform: string;
  appVersion: string;
  build?: string;
  country?: string;
}

/** What PostHog's libraries add to the properties. */
export const POSTHOG_DEVICE = {
  platform: '$os',
  appVersion: '$app_version',
  build: '$app_build',
  country: '$geoip_country_code',
} as const;

export const AMPLITUDE_DEVICE = { platform: 'platform', appVersion: 'version_name', country: 'country' } as const;

/** Its `build` is what others call the version of the game. */
export const GAME_ANALYTICS_DEVICE = { platform: 'platform', appVersion: 'build', country: 'country_code' } as const;

export const NATIVE_DEVICE = {
  platform: 'platform',
  appVersion: 'app_version',
  build: 'build',
  country: 'country',
} as const;

type Said = Pick<ImportedEvent, 'playedWith' | 'country'>;

/**
 * What a line says of the device. A value that no init could have sent is left out: an event or a session counts
 * without its device.
 */
export function deviceOf(fields: Fields, names: DeviceFields): Said {
  const platform = devicePlatform(fields[names.platform]);
  const [appVersion, build, country] = [names.appVersion, names.build, names.country].map((name) =>
    name === undefined ? undefined : deviceText(fields[name]),
  );
  const playedWith = {
    ...(platform === undefined ? {} : { platform }),
    ...(appVersion === undefined ? {} : { appVersion }),
    ...(build === undefined ? {} : { build }),
  };
  const isCountry = country !== undefined && country.length <= ATTRIBUTE_LIMITS.countryLength;
  return { ...(isEmpty(playedWith) ? {} : { playedWith }), ...(isCountry ? { country } : {}) };
}

const isEmpty = (object: object): boolean => Object.keys(object).length === 0;
