import type { ProposalDocument } from '../../../core/vocabulary/documents/proposal.ts';
import type { ConfigEntry, ConfigStore } from '../../../streams/config/config-store.ts';
import { isActive } from '../../../core/vocabulary/documents/experiments.ts';
import { gameAddress } from '../../../streams/config/games.ts';
import { failure, type Failure, isFailure } from '../../../core/kernel/errors.ts';
import { APPROVAL_LIMITS } from './limits.ts';
import { readersOfComputed } from '../definitions/computed-quota.ts';
import { reasonIn } from '../input/change-reason.ts';
import { basisIn, staleFor } from '../input/if-match.ts';
import type { Approval, RawInput } from '../route/access.ts';
import type { DocumentWrites, RequestContext } from '../route/request-context.ts';
import type { KeyedRoute } from '../route/route.ts';
import { usersOf } from '../segments/segment-users.ts';

/*
 * Changes by people of what live players get, in games that want a second person for them.
 *
 * Invariants
 * 1. Such a request changes nothing. It is stored, bound to the version that it would change, and made by the person
 *    who approves it.
 * 2. That covers everything that decides what a flag or campaign serves: itself, its overrides, active experiments,
 *    and the segments, lists and computed properties that it uses, or would use by a proposal or a planned change.
 * 3. Every route declares whether it may wait, and what it changes (`approval`).
 */

/** Whether a request must wait. Only requests of people wait, not those of API keys. */
export function mustWait({ key, services: { config } }: Pick<RequestContext, 'key' | 'services'>): boolean {
  if (key.user === undefined || key.environment !== 'live') return false;
  return config.get(gameAddress(key.game))?.document.approval === true;
}

/** Whether a change of a definition by this person would wait, if it were requested now. */
export function wouldWait(
  kind: Approval['of'],
  key: string,
  context: Pick<RequestContext, 'key' | 'services'>,
): boolean {
  return mustWait(context) && servesPlayers(kind, { key }, waitingProposals(context.services, context.key), context);
}

/** The proposals of a game and environment that count: older ones have expired. */
export function waitingProposals(
  { config, clock }: Pick<RequestContext['services'], 'config' | 'clock'>,
  { game, environment }: Pick<RequestContext['key'], 'game' | 'environment'>,
): ConfigEntry<'proposal'>[] {
  const nowMs = clock.wallMs();
  return config.list('proposal', game, environment).filter(({ document }) => nowMs < expiryOf(document, game, config));
}

/** When a proposal expires, epoch milliseconds. */
export function expiryOf(
  { createdAt }: Pick<ProposalDocument, 'createdAt'>,
  game: string,
  config: Pick<ConfigStore, 'get'>,
): number {
  const { approvalDays = APPROVAL_LIMITS.proposalDays } = config.get(gameAddress(game))?.document ?? {};
  return createdAt + approvalDays * 24 * 3_600_000;
}

/** Stores a request as a proposal. @returns a failure that says where it waits; undefined: nothing serves it */
export async function propose(
  route: KeyedRoute,
  { id: change, of: kind, onceActive }: Approval,
  input: RawInput,
  context: RequestContext,
  writes: DocumentWrites,
): Promise<Failure | undefined> {
  const { params = {}, headers = {}, body } = input;
  const { key, services } = context;
  const target = targetOf(kind, params, context);
  if (target === undefined && Object.keys(params).length > 0) {
    return kind === 'flag' ? failure('FLAG_NOT_FOUND') : undefined;
  }
  if (onceActive === true && target?.isActive !== true) return undefined;
  const waiting = waitingProposals(services, key);
  if (!servesPlayers(kind, params, waiting, context)) return undefined;
  if ((await route.isForPeople?.(input, context)) === true) return undefined;
  if (route.streamedBody !== undefined) return LIST_SERVES;
  if (Buffer.byteLength(JSON.stringify({ params, body })) > APPROVAL_LIMITS.proposalBytes) return TOO_LARGE;
  const isVersioned = Object.hasOwn(route.input.headers?.properties ?? {}, 'If-Match');
  const version = isVersioned ? (target?.version ?? null) : null;
  const stale =
    version === null
      ? undefined
      : staleFor(basisIn({ headers, ...(route.basis === undefined ? {} : { body }) }), version);
  if (stale !== undefined) return stale;
  const reason = reasonIn(headers);
  const said = reason === '' ? {} : { reason };
  const request = { change, params, ...(body === undefined ? {} : { body }), version, ...said };
  const same = waiting.find(({ document }) => isRepeat(document, request, key.id));
  if (same !== undefined) return failure('CONFLICT', WAITS, { approval_id: same.document.id });
  const full = fullFor(key.id, waiting);
  if (full !== undefined) return full;
  const brought = await route.bringsBack?.(input, context);
  if (brought !== undefined && isFailure(brought)) return brought;
  const reads = brought === undefined ? [] : namesIn(brought, context);
  return store({ ...request, ...(reads.length === 0 ? {} : { reads }), key: target?.key ?? '' }, context, writes);
}

async function store(
  change: Omit<ProposalDocument, 'id' | 'by' | 'createdAt'>,
  { key, services: { config, clock, ids } }: RequestContext,
  writes: DocumentWrites,
): Promise<Failure> {
  const { game, environment, user } = key;
  const createdAt = clock.wallMs();
  const id = ids.uuidv7(createdAt);
  const document: ProposalDocument = { id, ...change, by: { id: key.id, email: user?.email ?? '' }, createdAt };
  const written = await writes.put({ game, environment, kind: 'proposal', key: id }, document, 0);
  for (const held of config.list('proposal', game, environment)) {
    if (createdAt < expiryOf(held.document, game, config)) continue;
    await writes.delete({ game, environment, kind: 'proposal', key: held.key }, held.revision);
  }
  return written.kind === 'written' ? failure('CONFLICT', WAITS, { approval_id: id }) : failure('SERVICE_UNAVAILABLE');
}

/** Why no further change of a person may wait: each person has a share of the places. */
function fullFor(userId: string, waiting: readonly ConfigEntry<'proposal'>[]): Failure | undefined {
  const own = waiting.filter(({ document }) => document.by.id === userId).length;
  if (own >= APPROVAL_LIMITS.proposalsOfUser) return TOO_MANY_OWN;
  return waiting.length >= APPROVAL_LIMITS.proposals && own > 0 ? TOO_MANY : undefined;
}

/** Whether a change of a definition changes what players get, now or once a change that waits is approved. */
function servesPlayers(
  kind: Approval['of'],
  params: Readonly<Record<string, string>>,
  waiting: readonly ConfigEntry<'proposal'>[],
  context: Pick<RequestContext, 'key' | 'services'>,
): boolean {
  if (kind === 'flag' || kind === 'campaign' || kind === 'experiment') return true;
  const name = params['id'] ?? params['key'] ?? '';
  const users = kind === 'segment' ? usersOf(name, context) : readersOfComputed(name, context);
  if (Object.values(users).flat().length > 0) return true;
  return willRead(kind === 'segment' ? segmentNames(name, context) : [`computed.${name}`], waiting, context);
}

/** By what a request or a planned change may name a segment: its id, and in conditions also its key. */
function segmentNames(id: string, { key: { game, environment }, services }: Pick<RequestContext, 'key' | 'services'>) {
  const document = services.config.get({ game, environment, kind: 'segment', key: id })?.document;
  return [id, document?.key ?? id].map((name) => JSON.stringify(name));
}

/** The segments and computed properties that a definition names. */
function namesIn(definition: object, { key: { game, environment }, services: { config } }: RequestContext): string[] {
  const text = JSON.stringify(definition);
  return [
    ...config
      .list('segment', game, environment)
      .map(({ key }) => key)
      .filter((id) => text.includes(JSON.stringify(id))),
    ...config
      .list('property', game, environment)
      .map(({ key }) => `computed.${key}`)
      .filter((name) => text.includes(name)),
  ];
}

/** Whether a change that waits for a person or for its time names one of these. */
function willRead(
  names: readonly string[],
  waiting: readonly ConfigEntry<'proposal'>[],
  { key: { game, environment }, services: { config } }: Pick<RequestContext, 'key' | 'services'>,
): boolean {
  const planned = config
    .list('schedule', game, environment)
    .flatMap(({ document: { changes } }) => changes.filter(({ state }) => state === 'pending'))
    .map(({ does }) => does);
  const proposed = waiting.map(({ document: { body = null, reads = [] } }) => [body, reads]);
  return [...proposed, ...planned].some((change) => {
    const text = JSON.stringify(change);
    return names.some((name) => text.includes(name));
  });
}

/** Whether a request is a repeat of one of the same person that waits, because the answer was lost. */
function isRepeat(
  held: ProposalDocument,
  { change, version, params, body }: Pick<ProposalDocument, 'change' | 'version' | 'params' | 'body'>,
  userId: string,
): boolean {
  if (held.by.id !== userId || held.change !== change || held.version !== version) return false;
  return JSON.stringify([held.params, held.body]) === JSON.stringify([params, body]);
}

/** The definition that a request names. */
export function targetOf(
  kind: Approval['of'],
  params: Readonly<Record<string, string>>,
  { key: { game, environment }, services: { config } }: Pick<RequestContext, 'key' | 'services'>,
): { key: string; address: string; version: number; isActive: boolean } | undefined {
  const name = params['key'] ?? params['id'];
  if (name === undefined) return undefined;
  const held =
    kind === 'campaign'
      ? config.list(kind, game, environment).find(({ document }) => document.id === name || document.key === name)
      : config.get({ game, environment, kind, key: name });
  if (held === undefined) return undefined;
  const { document } = held;
  const { key, version } = document;
  return { key, address: held.key, version, isActive: 'flagKey' in document && isActive(document) };
}

const WAITS =
  'Live changes of this game wait for a second person. Yours is stored: another person with the role editor approves it ' +
  'under Approvals.';
const TOO_MANY = failure(
  'CONFLICT',
  `${APPROVAL_LIMITS.proposals} changes of this game wait already, the maximum. Approve or reject some first.`,
);
const TOO_MANY_OWN = failure(
  'CONFLICT',
  `${APPROVAL_LIMITS.proposalsOfUser} of your changes wait already, the maximum. Take some back, or have them approved first.`,
);
const LIST_SERVES = failure(
  'CONFLICT',
  'A live flag or campaign uses this list, and live changes of this game wait for a second person. A list cannot wait: ' +
    'load it into another static segment, and propose to use that one instead.',
);
const TOO_LARGE = failure(
  'CONFLICT',
  `The change is too large to wait for approval: the maximum is ${APPROVAL_LIMITS.proposalBytes} bytes as JSON. Make smaller changes.`,
);
