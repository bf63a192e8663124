import { digestOf } from '../../src/kernel/digest.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import { hasStepsForPlayer, nextPlayer } from '../conditions/steps.ts';
import { playerIn, type Context, type Draft, type Step } from '../decision.ts';
import type { Definitions } from '../definitions.ts';
import { mergeAttributes } from '../player/attributes.ts';
import { importedLifecycle } from '../player/imported-lifecycle.ts';
import { updateLater, updateSegments } from '../segments/update-segments.ts';
import type { ImportedReply, ImportHistory, ImportItem } from '../vocabulary/import.ts';
import type { PlayerView } from '../vocabulary/player.ts';
import { viewOf, type PlayerState } from '../vocabulary/state.ts';

/**
 * Imports lines of a file, each once: the ledger of the file remembers the last line of this partition. A command whose
 * predecessor is missing decides nothing, so no line is skipped either.
 *
 * History triggers nothing. Its facts start no campaign and no webhook, and the memberships that follow from it are
 * marked `imported`, for the same reason.
 */
export function importHistory(body: ImportHistory, step: Step): ImportedReply {
  const { draft, context } = step;
  const ledger = draft.get(body.ledgerId);
  const before = ledger?.kind === 'ledger' ? (ledger.importedTo ?? 0) : 0;
  const reply: ImportedReply = { kind: 'imported', importedTo: before, imported: 0, repeated: 0, rejected: [] };
  if (body.after > before) return reply;
  const fresh = body.items.filter(({ line }) => line > before);
  // A repeat names the same lines as rejected, in case the first reply was lost.
  for (const item of body.items) if (item.line <= before) noteRepeat(draft, item, reply);
  for (const items of byPlayer(fresh)) importPlayer(items, step, reply);
  reply.rejected.sort((one, other) => one.line - other.line);
  const last = fresh.at(-1);
  if (last === undefined) return reply;
  const { game, environment, at } = context;
  draft.emit({ kind: 'ImportAdvanced', entityId: body.ledgerId, game, environment, at, line: last.line });
  reply.importedTo = last.line;
  return reply;
}

function noteRepeat(draft: Draft, { line, playerId }: ImportItem, reply: ImportedReply): void {
  if (draft.get(playerId)?.kind === 'erased') reply.rejected.push({ line, message: ERASED });
  else reply.repeated += 1;
}

const ERASED = 'The player was erased. Register the player again before you import its history.';

/** The items of each player, players in the order of their first line. */
function byPlayer(items: readonly ImportItem[]): Iterable<ImportItem[]> {
  const players = new Map<string, ImportItem[]>();
  for (const item of items) {
    const own = players.get(item.playerId);
    if (own === undefined) players.set(item.playerId, [item]);
    else own.push(item);
  }
  return players.values();
}

function importPlayer(items: readonly ImportItem[], { draft, context, definitions }: Step, reply: ImportedReply): void {
  const [first] = items;
  if (first === undefined) return;
  const { playerId } = first;
  const held = draft.get(playerId);
  const known = playerIn(context, held);
  if (held !== undefined && known === undefined) {
    const message = held.kind === 'erased' ? ERASED : 'The id belongs to another player.';
    reply.rejected.push(...items.map(({ line }) => ({ line, message })));
    return;
  }
  if (known === undefined) emitPlayer(draft, newPlayer(first), context);
  let firstSeenAt = known?.firstSeenAt ?? first.at;
  let lastSeenAt = known?.lastSeenAt ?? first.at;
  for (const item of items) {
    const refused = importItem(draft, item, context);
    if (refused === REPEATED) {
      reply.repeated += 1;
      continue;
    }
    if (refused !== undefined) {
      reply.rejected.push({ line: item.line, message: refused });
      continue;
    }
    reply.imported += 1;
    firstSeenAt = Math.min(firstSeenAt, item.player?.firstSeenAt ?? item.at);
    lastSeenAt = Math.max(lastSeenAt, item.at);
  }
  settle(draft, playerId, { firstSeenAt, lastSeenAt, isNew: known === undefined }, context, definitions);
}

/** A purchase whose transaction the player has. */
const REPEATED = Symbol('repeated');

/** Emits the facts of one line, or returns why not. */
function importItem(draft: Draft, item: ImportItem, context: Context): string | typeof REPEATED | undefined {
  const state = playerIn(context, draft.get(item.playerId));
  if (state === undefined) throw new Error(`player ${item.playerId} is gone from its own draft`);
  const { game, environment } = context;
  const { at, event, session, purchase, player } = item;
  const base = { entityId: item.playerId, game, environment, at, externalId: state.externalId } as const;
  if (purchase !== undefined) {
    const { transactionId } = purchase;
    const digest = transactionId === null ? null : digestOf(transactionId);
    const isKnown = digest !== null && state.recordedPurchases.some((earlier) => earlier.digest === digest);
    if (isKnown) return REPEATED;
    if (state.totalRevenue + purchase.amount > LIMITS.totalRevenue) {
      return "The player's total_revenue would exceed its maximum.";
    }
    draft.emit({ kind: 'PurchaseImported', ...base, ...purchase, digest });
  }
  if (session !== undefined) {
    const digest = digestOf(session.sessionId);
    // The event of a known session is imported all the same: only the session counts once.
    if (!state.recordedSessions.some((earlier) => earlier.digest === digest)) {
      draft.emit({ kind: 'SessionImported', ...base, ...session, digest });
    }
  }
  if (player !== undefined) {
    const view = withProfile(state, item);
    if (view === undefined) return "The player's attributes would be too large.";
    emitPlayer(draft, view, context);
  }
  if (event !== undefined) {
    const { isPayer, country } = playerIn(context, draft.get(item.playerId)) ?? state;
    draft.emit({ kind: 'EventImported', ...base, ...event, isPayer, country });
  }
  return undefined;
}

function newPlayer({ playerId: id, externalId, at }: ImportItem): PlayerView {
  return {
    id,
    externalId,
    deviceId: null,
    email: null,
    lifecycleStage: 'new',
    sessionCount: 0,
    totalRevenue: 0,
    isPayer: false,
    firstSeenAt: at,
    lastSeenAt: at,
    attributes: '{}',
  };
}

/** The player with what it lacks. What is known already is newer and stays. */
function withProfile(state: PlayerState, { player }: ImportItem): PlayerView | undefined {
  const { deviceId = null, email = null, attributes: imported = '{}' } = player ?? {};
  const attributes = mergeAttributes(imported, state.attributes);
  if (attributes === undefined) return undefined;
  return { ...viewOf(state), deviceId: state.deviceId ?? deviceId, email: state.email ?? email, attributes };
}

function emitPlayer(draft: Draft, player: PlayerView, { game, environment, at }: Context): void {
  draft.emit({ kind: 'PlayerImported', entityId: player.id, game, environment, at, player });
}

interface History {
  firstSeenAt: number;
  lastSeenAt: number;
  isNew: boolean;
}

/** Brings the player's lifecycle and memberships up to date with its history. */
function settle(draft: Draft, playerId: string, history: History, context: Context, definitions: Definitions): void {
  const { game, environment, at } = context;
  const state = playerIn(context, draft.get(playerId));
  if (state === undefined) return;
  const { firstSeenAt, lastSeenAt, isNew } = history;
  if (isNew || firstSeenAt !== state.firstSeenAt || lastSeenAt !== state.lastSeenAt || state.lifecycleStage === 'new') {
    const moved = { ...state, firstSeenAt, lastSeenAt };
    const isLatest = isNew || lastSeenAt > state.lastSeenAt;
    const lifecycle = importedLifecycle(moved, isLatest, definitions.settings(game).lifecycle, at, draft.limits);
    draft.emit({
      kind: 'HistoryImported',
      entityId: playerId,
      game,
      environment,
      at,
      firstSeenAt,
      lastSeenAt,
      ...lifecycle,
    });
  }
  const segments = definitions.segments(game, environment);
  const after = playerIn(context, draft.get(playerId));
  if (segments.all.length === 0 || after === undefined) return;
  // What one command cannot evaluate follows at once by the player's timer, with the effects of a timed change.
  const isTooMuch = draft.facts.length >= LIMITS.segmentFactsPerCommand || !hasStepsForPlayer();
  nextPlayer();
  const facts = isTooMuch ? updateLater(after, at) : updateSegments(after, segments, 'all', at, draft.limits);
  for (const fact of facts) {
    const isMembership = fact.kind === 'SegmentEntered' || fact.kind === 'SegmentExited';
    draft.emit(isMembership ? { ...fact, imported: true } : fact);
  }
}
