import { Type, type Static } from 'typebox';
import { failure, type Failure } from '../kernel/errors.ts';
import { parseVersionTag } from './version-tag.ts';

/** Headers of a conditional change. */
export const IfMatch = Type.Object({
  'If-Match': Type.Optional(
    Type.String({
      format: 'version-tag',
      description:
        'Change the resource only if this is its current version, else return 412. A bare version (`3`) or an entity ' +
        'tag (`"3"`). Without the header or with `*`, the last write wins.',
    }),
  ),
});

export type IfMatch = Static<typeof IfMatch>;

/** PRECONDITION_FAILED if the header names a version that is not the current one. */
export function staleFor(headers: IfMatch, version: number): Failure | undefined {
  const wanted = parseVersionTag(headers['If-Match'] ?? '*');
  if (wanted === 'any' || wanted === version) return undefined;
  return failure('PRECONDITION_FAILED', `The current version is ${version}; get the resource and repeat the change.`, {
    version,
  });
}
