import { timeZoneOf } from '../../../actors/time-zones/time-zone.ts';
import { CliError } from '../cli-error.ts';
import type { ImportChoices } from './files/file-format.ts';
import type { ImportSource } from './files/file-formats.ts';

interface ChosenOptions {
  from: ImportSource;
  purchase?: string[];
  zone?: string;
  join: boolean;
}

/** What the options of an import choose. Throws `CliError` for a zone that is none, or that the product ignores. */
export function importChoices({ from, purchase = [], zone, join }: ChosenOptions): ImportChoices {
  if (zone !== undefined && from !== 'mixpanel') {
    throw new CliError(
      `--zone is for --from mixpanel only; times of ${from} are UTC, or have an offset. Leave it out.`,
    );
  }
  const known = zone === undefined ? undefined : timeZoneOf(zone);
  if (zone !== undefined && known === undefined) {
    throw new CliError('--zone must be a time zone, for example Europe/Berlin.');
  }
  const purchases = purchase.map((text): [string, string | undefined] => {
    const at = text.lastIndexOf('=');
    return at <= 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
  });
  return { purchases: new Map(purchases), zone: known, joins: join };
}
