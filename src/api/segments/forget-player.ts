import type { SegmentDocument } from '../../../core/vocabulary/documents/documents.ts';
import { failure, type Failure } from '../../../core/kernel/errors.ts';
import { changeDefinition } from '../definitions/definition-writes.ts';
import type { RequestContext } from '../route/request-context.ts';

/** Removes an erased player from the segments that include or exclude it by name. Its lists go with its state. */
export async function forgetPlayer(playerId: string, context: RequestContext): Promise<Failure | undefined> {
  const { game, environment } = context.key;
  const names = ({ includes = [], excludes = [] }: SegmentDocument): boolean =>
    includes.includes(playerId) || excludes.includes(playerId);
  for (const entry of context.services.config.list('segment', game, environment)) {
    if (!names(entry.document)) continue;
    const written = await changeDefinition<'segment'>(
      {
        address: { game, environment, kind: 'segment', key: entry.key },
        basis: {},
        missing: GONE,
        change: (held) => (names(held) ? without(held, playerId) : GONE),
      },
      // The request's Idempotency-Key and its entry in the audit belong to the erasure.
      { ...context, idempotency: undefined, writes: context.services.unauditedWrites },
    );
    if (written.kind === 'failure' && written !== GONE) return NOT_REMOVED;
  }
  return undefined;
}

const GONE = failure('NOT_FOUND');
const NOT_REMOVED = failure(
  'SERVICE_UNAVAILABLE',
  'The player is erased, but a segment still names its id. Send the request again to remove it there.',
);

function without({ includes = [], excludes = [], ...rest }: SegmentDocument, playerId: string): SegmentDocument {
  const [included, excluded] = [includes, excludes].map((ids) => ids.filter((id) => id !== playerId));
  return {
    ...rest,
    ...(included === undefined || included.length === 0 ? {} : { includes: included }),
    ...(excluded === undefined || excluded.length === 0 ? {} : { excludes: excluded }),
  };
}
