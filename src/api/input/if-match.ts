import { Type, type Static } from 'typebox';
import { failure, type Failure } from '../../../core/kernel/errors.ts';
import { isPlainObject } from '../../../core/kernel/validation/plain-object.ts';
import { parseVersionTag } from '../../../core/kernel/validation/version-tag.ts';

/** Headers of a conditional change. */
export const IfMatch = Type.Object({
  'If-Match': Type.Optional(
    Type.String({
      format: 'version-tag',
      description:
        'Change the resource only if this is its current version, else return 412. A bare version (`3`) or an entity ' +
        'tag (`"3"`). With `*` the last write wins; without the header too, but a PUT then needs `version` in the body.',
    }),
  ),
});

export type IfMatch = Static<typeof IfMatch>;

/** The version on which a change is based: in the header, in the body (`version`), or in neither. */
export type Basis = IfMatch & { version?: number | undefined };

/** The version on which a request is based. */
export function basisIn({ headers, body }: { headers?: Record<string, string>; body?: unknown }): Basis {
  const version = isPlainObject(body) && typeof body['version'] === 'number' ? body['version'] : undefined;
  return { ...headers, version };
}

/** Whether a request says on which version it is based; `If-Match: *` says that it is any. */
export function hasBasis(request: { headers?: Record<string, string>; body?: unknown }): boolean {
  const basis = basisIn(request);
  return basis['If-Match'] !== undefined || basis.version !== undefined;
}

/** PRECONDITION_FAILED if the change is based on a version that is not the current one. */
export function staleFor(basis: Basis, version: number): Failure | undefined {
  const wanted = parseVersionTag(basis['If-Match'] ?? '*');
  const isCurrent = wanted === 'any' || wanted === version;
  if (isCurrent && (basis.version ?? version) === version) return undefined;
  return failure('PRECONDITION_FAILED', `The current version is ${version}; get the resource and repeat the change.`, {
    version,
  });
}
