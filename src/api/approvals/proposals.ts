import type { ProposalDocument } from '../../../actors/vocabulary/proposal.ts';
import { gameAddress } from '../../../streams/config/games.ts';
import { failure, type Failure } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { staleFor } from '../if-match.ts';
import type { RequestContext } from '../request-context.ts';
import type { KeyedRoute, RawInput } from '../route.ts';

/*
 * Changes of live flags and campaigns by people, in games that want a second person for them.
 *
 * Invariant: such a request changes nothing. It is stored, bound to the version that it would change, and made by the
 * person who approves it.
 */

const PATHS: Readonly<Record<string, ProposalDocument['kind']>> = {
  '/v1/flags/flags': 'flag',
  '/v1/flags/flags/{key}': 'flag',
  '/v1/flags/flags/{key}/restore': 'flag',
  '/v1/campaigns/campaigns': 'campaign',
  '/v1/campaigns/campaigns/{id}': 'campaign',
};

/** What a route changes, if its changes may wait for a second person. */
export const proposedKind = ({
  method,
  path,
}: Pick<KeyedRoute, 'method' | 'path'>): ProposalDocument['kind'] | undefined =>
  method === 'GET' ? undefined : PATHS[path];

/** Whether a request must wait. Only requests of people wait, not those of API keys. */
export function mustWait({ key, services: { config } }: Pick<RequestContext, 'key' | 'services'>): boolean {
  if (key.user === undefined || key.environment !== 'live') return false;
  return config.get(gameAddress(key.game))?.document.approval === true;
}

/** Stores a request as a proposal. @returns a failure that says where it waits */
export async function propose(
  { method, path }: Pick<KeyedRoute, 'method' | 'path'>,
  kind: ProposalDocument['kind'],
  { params = {}, headers = {}, body }: RawInput,
  { key, services: { config, clock, ids } }: RequestContext,
): Promise<Failure> {
  const { game, environment, user } = key;
  if (Buffer.byteLength(JSON.stringify({ params, body })) > LIMITS.proposalBytes) return TOO_LARGE;
  const waiting = config.list('proposal', game, environment);
  const target = targetOf(kind, params, { key, services: { config } });
  if (target === undefined && Object.keys(params).length > 0) {
    return kind === 'flag' ? failure('FLAG_NOT_FOUND') : failure('NOT_FOUND', 'There is no such campaign.');
  }
  const stale =
    target && staleFor(headers['If-Match'] === undefined ? {} : { 'If-Match': headers['If-Match'] }, target.version);
  if (stale !== undefined) return stale;
  const version = target?.version ?? null;
  const same = waiting.find(({ document }) => isRepeat(document, { method, path, params, body, version }, key.id));
  if (same !== undefined) return failure('CONFLICT', WAITS, { approval_id: same.document.id });
  if (waiting.length >= LIMITS.proposals) return TOO_MANY;
  const createdAt = clock.wallMs();
  const id = ids.uuidv7(createdAt);
  if (method === 'GET') throw new Error('a request that only reads is no proposal');
  const document: ProposalDocument = {
    id,
    method,
    path,
    params,
    ...(body === undefined ? {} : { body }),
    version,
    kind,
    key: target?.key ?? '',
    by: { id: key.id, email: user?.email ?? '' },
    createdAt,
  };
  const written = await config.put({ game, environment, kind: 'proposal', key: id }, document, 0);
  return written.kind === 'written' ? failure('CONFLICT', WAITS, { approval_id: id }) : failure('SERVICE_UNAVAILABLE');
}

/** Whether a request is a repeat of one of the same person that waits, because the answer was lost. */
function isRepeat(
  held: ProposalDocument,
  {
    method,
    path,
    version,
    params,
    body,
  }: Pick<ProposalDocument, 'path' | 'version' | 'params' | 'body'> & { method: string },
  userId: string,
): boolean {
  if (held.by.id !== userId || held.method !== method || held.path !== path || held.version !== version) return false;
  return JSON.stringify([held.params, held.body]) === JSON.stringify([params, body]);
}

/** The flag or campaign that a request names. */
function targetOf(
  kind: ProposalDocument['kind'],
  params: Readonly<Record<string, string>>,
  {
    key: { game, environment },
    services: { config },
  }: { key: RequestContext['key']; services: Pick<RequestContext['services'], 'config'> },
): { key: string; version: number } | undefined {
  const name = params['key'] ?? params['id'];
  if (name === undefined) return undefined;
  const held =
    kind === 'flag'
      ? config.get({ game, environment, kind, key: name })
      : config.list(kind, game, environment).find(({ document }) => document.id === name || document.key === name);
  return held && { key: held.document.key, version: held.document.version };
}

const WAITS =
  'Live changes of this game wait for a second person. Yours is stored: somebody else with the role editor approves it ' +
  'under Approvals.';
const TOO_MANY = failure('CONFLICT', `${LIMITS.proposals} changes wait already. Approve or reject some first.`);
const TOO_LARGE = failure(
  'CONFLICT',
  `The change is too large to wait for approval: the maximum is ${LIMITS.proposalBytes} bytes as JSON. Make smaller changes.`,
);
