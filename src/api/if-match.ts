import { Type, type Static } from 'typebox';
import { failure, type Failure } from '../kernel/errors.ts';

/** Headers of a change that may name the version it was made for. */
export const IfMatch = Type.Object({
  'If-Match': Type.Optional(
    Type.String({
      pattern: '^(?:\\*|(?:W/)?(?:\\d{1,15}|"\\d{1,15}"))$',
      description:
        'The version this change was made for, bare or as an entity tag; another current one is 412. Without it, or with ' +
        '`*`, the last write wins.',
    }),
  ),
});

export type IfMatch = Static<typeof IfMatch>;

/** PRECONDITION_FAILED when the caller named another version than the current one. */
export function staleFor(headers: IfMatch, version: number): Failure | undefined {
  const wanted = headers['If-Match'];
  if (wanted === undefined || wanted === '*' || Number(wanted.replaceAll(/[W/"]/g, '')) === version) return undefined;
  return failure('PRECONDITION_FAILED', `The current version is ${version}.`, { version });
}
