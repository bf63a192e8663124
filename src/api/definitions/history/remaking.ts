import type { Static, TObject } from 'typebox';
import type { DefinitionKind } from '../../../../core/vocabulary/documents/document-kinds.ts';
import type { Documents } from '../../../../core/vocabulary/documents/documents.ts';
import { type Failure, isFailure } from '../../../../core/kernel/errors.ts';
import { compile } from '../../../../core/kernel/validation/validation.ts';
import type { MaybePromise } from '../../route/action.ts';
import type { RequestContext } from '../../route/request-context.ts';
import { invalid } from '../../route/route.ts';
import { labelsIn, relabelled } from '../definition-labels.ts';
import type { Remaking } from '../definition-resource.ts';
import { sentFields } from './sent-fields.ts';

interface Creation<K extends DefinitionKind, B extends TObject> {
  /** As for its creation. */
  body: B;
  make: (body: Static<B>, context: RequestContext) => MaybePromise<Documents[K] | Failure>;
  overQuota?: (context: RequestContext, document: Documents[K]) => Failure | undefined;
  /** Gives it the id that it had, if it is not its key. */
  identified?: (document: Documents[K], id: string) => Documents[K];
  notes?: (document: Documents[K]) => string[];
}

/** Makes a definition that was deleted by the request that would create it. */
export function remaking<K extends DefinitionKind, B extends TObject>({
  body: schema,
  make,
  overQuota,
  identified = (document) => document,
  notes = () => [],
}: Creation<K, B>): Remaking<K> {
  const check = compile<TObject, Static<B>>(schema);
  return {
    async make(wire, id, context) {
      const body = sentFields(schema, wire);
      if (!check.accepts(body)) return invalid(check.faultsOf(body));
      const made = await make(body, context);
      return isFailure(made) ? made : identified(relabelled(made, labelsIn(body, {})), id);
    },
    overQuota,
    notes,
  };
}
