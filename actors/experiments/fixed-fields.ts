import { isDeepStrictEqual } from 'node:util';
import type { FieldFault } from '../../core/kernel/errors.ts';
import { type ExperimentDocument, isActive } from '../../core/vocabulary/documents/experiments.ts';

/** What a change must leave as it is, by the name on the wire. */
type Fixed = readonly (readonly [path: string, of: (document: ExperimentDocument) => unknown])[];

/** What decides which variant a player gets, and what the results compare. */
const ONCE_STARTED: Fixed = [
  ['/flag_key', ({ flagKey }) => flagKey],
  ['/mode', ({ mode }) => mode],
  ['/bucket_by', ({ bucketBy }) => bucketBy],
  ['/salt', ({ salt }) => salt],
  ['/layer/key', ({ layer }) => layer?.key ?? null],
  ['/variants/0/key', ({ variants }) => variants[0]?.key],
];

const ONCE_OVER: Fixed = [
  ...ONCE_STARTED,
  ['/audience', ({ audience: { segmentId, conditions = {} } }) => ({ segmentId, conditions })],
  ['/traffic', ({ traffic }) => traffic],
  ['/variants', ({ variants }) => variants],
  ['/layer', ({ layer }) => layer],
];

/** The fields of a change that cannot change any more in the state of the experiment. */
export function fixedFaults(held: ExperimentDocument, next: ExperimentDocument): FieldFault[] {
  if (held.state === 'draft') return [];
  const fixed = isActive(held) ? ONCE_STARTED : ONCE_OVER;
  const message = isActive(held)
    ? 'cannot change once the experiment has started; stop it and create another one'
    : `cannot change: the experiment is ${held.state}`;
  return fixed.filter(([, of]) => !isDeepStrictEqual(of(held), of(next))).map(([path]) => ({ path, message }));
}
