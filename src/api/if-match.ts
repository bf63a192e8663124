import { Type, type Static } from 'typebox';
import { failure, type Failure } from '../kernel/errors.ts';
import { parseVersionTag } from './version-tag.ts';

/** Headers of a change that may name the version it was made for. */
export const IfMatch = Type.Object({
  'If-Match': Type.Optional(
    Type.String({
      format: 'version-tag',
      description:
        'The version this change was made for, bare or as an entity tag; another current one is 412. Without it, or with ' +
        '`*`, the last write wins.',
    }),
  ),
});

export type IfMatch = Static<typeof IfMatch>;

/** PRECONDITION_FAILED when the caller named another version than the current one. */
export function staleFor(headers: IfMatch, version: number): Failure | undefined {
  const wanted = parseVersionTag(headers['If-Match'] ?? '*');
  if (wanted === 'any' || wanted === version) return undefined;
  return failure('PRECONDITION_FAILED', `The current version is ${version}.`, { version });
}
