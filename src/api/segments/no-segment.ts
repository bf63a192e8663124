import { failure, type Failure } from '../../../core/kernel/errors.ts';

/** The failure for a path whose id no segment has. */
export const noSegment = (): Failure =>
  failure('NOT_FOUND', 'The segment does not exist. The path takes the id of a segment (`seg_…`), not its key.');
