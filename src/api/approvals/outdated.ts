import type { ProposalDocument } from '../../../core/vocabulary/documents/proposal.ts';
import { failure, type Failure } from '../../../core/kernel/errors.ts';
import type { JsonObject } from '../../../core/kernel/text/json.ts';
import { differenceIn } from '../definitions/history/differences.ts';
import { documentIn, madeVersions } from '../definitions/history/historied.ts';
import { DEFINITION_LIMITS } from '../definitions/limits.ts';
import type { Approval } from '../route/access.ts';
import type { RequestContext } from '../route/request-context.ts';
import { targetOf } from './proposals.ts';

/* Proposals whose definition changed since. */

type InGame = Pick<RequestContext, 'key' | 'services'>;

export function isOutdated(
  { version, params }: Pick<ProposalDocument, 'version' | 'params'>,
  kind: Approval['of'],
  context: InGame,
): boolean {
  return version !== null && targetOf(kind, params, context)?.version !== version;
}

/** Says what changed since, as far as the history can be read. */
export async function outdatedFailure(
  { version: based, params }: ProposalDocument,
  kind: Approval['of'],
  context: InGame,
): Promise<Failure> {
  const target = targetOf(kind, params, context);
  if (target === undefined) return failure('CONFLICT', GONE);
  const { version } = target;
  const [before, now] = await Promise.all(
    [based ?? version, version].map((number) => documentOf(kind, target, number, context)),
  );
  const changed = before === undefined || now === undefined ? null : differenceIn(before, now, context);
  const words = changed === null || changed.length === 0 ? '' : ` (${changed.join('; ')})`;
  return failure(
    'CONFLICT',
    `It was proposed for version ${based}, and ${version} is the current one${words}. Its author can rebase it, or ` +
      'propose it again.',
    { version, based_on: based, changed },
  );
}

/** A version in the history; undefined: it is not there, or not yet. */
async function documentOf(
  kind: Approval['of'],
  { address: key, version: current }: { address: string; version: number },
  version: number,
  { key: { game, environment }, services }: InGame,
): Promise<JsonObject | undefined> {
  const query = { game, environment, kind, key, version, limit: DEFINITION_LIMITS.rowsOfVersion };
  const found = await services.analytics.lookups.definitionVersions(query);
  const [row] = found.kind === 'unavailable' ? [] : madeVersions(found.value, current);
  return row && documentIn(row);
}

const GONE = 'The definition was deleted since this was proposed. Reject the change.';
