import type { Static, TObject } from 'typebox';
import type { DefinitionKind } from '../../../core/vocabulary/documents/document-kinds.ts';
import { isForPeople } from '../../../core/vocabulary/labels.ts';
import { isFailure } from '../../../core/kernel/errors.ts';
import { isPlainObject } from '../../../core/kernel/validation/plain-object.ts';
import { compile } from '../../../core/kernel/validation/validation.ts';
import type { ConfigEntry } from '../../../streams/config/config-store.ts';
import { basisIn, staleFor } from '../input/if-match.ts';
import type { RawInput } from '../route/access.ts';
import type { RequestContext } from '../route/request-context.ts';
import { labelsIn, relabelled } from './definition-labels.ts';
import type { Changing } from './definition-resource.ts';
import type { Params } from './history/historied.ts';

/* Changes of a definition that no player notices: names, descriptions, owners, tags and notes. */

/** Fields that concern people only. A PUT sets those that it leaves out to their defaults, too. */
const FIELDS: ReadonlySet<string> = new Set(['name', 'description', 'owner', 'tags', 'note', 'ends_at', 'version']);

/** Whether a request has no effect on players. */
export function forPeople<K extends DefinitionKind, B extends TObject>(
  { method, body, change }: Pick<Changing<K, B>, 'method' | 'body' | 'change'>,
  find: (params: Params, context: RequestContext) => ConfigEntry<K> | undefined,
): (input: RawInput, context: RequestContext) => Promise<boolean> {
  const compiled = () => compile<TObject, Static<B>>(body);
  let check: ReturnType<typeof compiled> | undefined;
  return async ({ params = {}, headers = {}, body: sent }, context) => {
    const entry = find(params, context);
    if (entry === undefined || !isPlainObject(sent)) return false;
    if (method === 'PATCH' && Object.keys(sent).every((name) => FIELDS.has(name))) return true;
    // Without a version the change could take back one that is approved before it is made.
    const basis = basisIn({ headers, body: sent });
    const isBased = basis.version !== undefined || /\d/.test(basis['If-Match'] ?? '');
    if (!isBased || staleFor(basis, entry.document.version) !== undefined) return false;
    check ??= compiled();
    if (!check.accepts(sent)) return false;
    const make = await change(sent, context);
    const made = isFailure(make) ? make : make(entry.document, entry);
    return !isFailure(made) && isForPeople(entry.document, relabelled(made, labelsIn(sent, entry.document)));
  };
}
