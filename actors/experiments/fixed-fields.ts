import { isDeepStrictEqual } from 'node:util';
import type { FieldFault } from '../../core/kernel/errors.ts';
import { type ExperimentDocument, isActive } from '../../core/vocabulary/documents/experiments.ts';
import { type FixedPath, fixedPaths } from './fixed-paths.ts';

/** What a change must leave as it is. */
const VALUES: Readonly<Record<FixedPath, (document: ExperimentDocument) => unknown>> = {
  '/flag_key': ({ flagKey }) => flagKey,
  '/mode': ({ mode }) => mode,
  '/bucket_by': ({ bucketBy }) => bucketBy,
  '/salt': ({ salt }) => salt,
  '/layer/key': ({ layer }) => layer?.key ?? null,
  '/variants/0/key': ({ variants }) => variants[0]?.key,
  '/audience': ({ audience: { segmentId, conditions = {} } }) => ({ segmentId, conditions }),
  '/traffic': ({ traffic }) => traffic,
  '/variants': ({ variants }) => variants,
  '/layer': ({ layer }) => layer,
};

/** The fields of a change that cannot change any more in the state of the experiment. */
export function fixedFaults(held: ExperimentDocument, next: ExperimentDocument): FieldFault[] {
  const message = isActive(held)
    ? 'cannot change once the experiment has started; stop it and create another one'
    : `cannot change: the experiment is ${held.state}`;
  return fixedPaths(held.state)
    .filter((path) => !isDeepStrictEqual(VALUES[path](held), VALUES[path](next)))
    .map((path) => ({ path, message }));
}
