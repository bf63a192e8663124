import type { SegmentDocument } from '../../../core/vocabulary/documents/documents.ts';
import { failure, type Failure } from '../../../core/kernel/errors.ts';
import { changeDefinition } from '../definitions/definition-writes.ts';
import type { RequestContext } from '../route/request-context.ts';

/**
 * Removes an erased player from the segments that include or exclude it by name, and from the changes that wait for a
 * second person. Scheduled changes name no players. Its lists go with its state.
 */
export async function forgetPlayer(playerId: string, context: RequestContext): Promise<Failure | undefined> {
  const { game, environment } = context.key;
  // First: made meanwhile, they would name it in a segment again.
  if (!(await forgetProposed(playerId, context))) return NOT_REMOVED;
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

/** @returns whether no proposal names the player any more */
async function forgetProposed(
  playerId: string,
  { key: { game, environment }, services: { config, unauditedWrites: writes } }: RequestContext,
): Promise<boolean> {
  for (const { key, document, revision } of config.list('proposal', game, environment)) {
    const address = { game, environment, kind: 'proposal', key } as const;
    if (document.params['player_id']?.toLowerCase() === playerId) {
      if (!(await writes.delete(address, revision))) return false;
    } else if (
      JSON.stringify(document.body ?? null)
        .toLowerCase()
        .includes(`"${playerId}"`)
    ) {
      const written = await writes.put(address, { ...document, body: withoutId(document.body, playerId) }, revision);
      if (written.kind !== 'written') return false;
    }
  }
  return true;
}

/** The JSON without the player's id in its lists. */
function withoutId(json: unknown, playerId: string): unknown {
  return JSON.parse(JSON.stringify(json), (_, value: unknown) =>
    Array.isArray(value) ? value.filter((one) => !(typeof one === 'string' && one.toLowerCase() === playerId)) : value,
  );
}

const GONE = failure('NOT_FOUND');
const NOT_REMOVED = failure(
  'SERVICE_UNAVAILABLE',
  'The player is erased, but a segment, or a change that waits, still names its id. Send the request again to remove ' +
    'it there.',
);

function without({ includes = [], excludes = [], ...rest }: SegmentDocument, playerId: string): SegmentDocument {
  const [included, excluded] = [includes, excludes].map((ids) => ids.filter((id) => id !== playerId));
  return {
    ...rest,
    ...(included === undefined || included.length === 0 ? {} : { includes: included }),
    ...(excluded === undefined || excluded.length === 0 ? {} : { excludes: excluded }),
  };
}
