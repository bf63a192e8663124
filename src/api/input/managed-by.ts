import { Type } from 'typebox';
import type { Labelled } from '../../../core/vocabulary/labels.ts';

/* What manages a definition beside the console and the API, as a header of the writes that it makes. */

const NAME = 'X-Managed-By';
const RELEASED = 'none';

/** The header, which routes that create or change definitions take. */
export const MANAGED_BY = {
  [NAME]: Type.Optional(
    Type.String({
      pattern: '^[!-~]{1,200}$',
      description:
        `Name of what manages the definition from now on, such as \`github.com/acme/games\`; \`${RELEASED}\`: nothing. ` +
        'Up to 200 characters of ASCII without spaces. Without the header it stays as it is.',
    }),
  ),
};

/** A definition with what manages it. @param version the version that the write makes */
export function managed<D extends Labelled>(
  document: D,
  headers: Readonly<Record<string, string>> | undefined,
  version: number,
): D {
  const by = headers?.[NAME];
  if (by === undefined) return document;
  const rest: D = { ...document };
  delete rest.managedBy;
  return by === RELEASED ? rest : { ...rest, managedBy: { by, version } };
}

/** The headers of a write by what manages definitions. */
export const managedByHeader = (by: string): Record<string, string> => ({ [NAME]: by });
