import { failure } from '../../core/kernel/errors.ts';
import { computedByAll } from '../properties/concerned-properties.ts';
import { hasStepsForPlayer, nextPlayer } from '../conditions/steps.ts';
import { IMPORT_STATE_LIMITS } from './limits.ts';
import { playerIn, type Context, type Draft, type Step } from '../decision/decision.ts';
import type { Definitions } from '../decision/definitions.ts';
import { importedLifecycle } from '../player/imported-lifecycle.ts';
import { updateLater, updateSegments } from '../segments/update-segments.ts';
import type { ImportedReply, ImportHistory, PlayerHistory } from '../../core/vocabulary/commands/import.ts';
import { unpackEvents } from '../../core/vocabulary/facts/packed-events.ts';
import { mergedIn } from '../decision/merged.ts';
import { NEVER_SEEN, type PlayerView } from '../../core/vocabulary/state/player.ts';
import type { Reply } from '../../core/vocabulary/commands/replies.ts';
import type { PlayerState, MergedState } from '../../core/vocabulary/state/state.ts';
import { importAdvance, importedTo } from './import-ledger.ts';
import { UNKNOWN_TRANSACTION } from '../purchases/refund-purchase.ts';
import { importOthers } from './import-others.ts';
import { linesAfter, someLines } from './some-lines.ts';

/**
 * Imports lines of a file, each once: a ledger remembers the last line of the file in this partition. A command whose
 * predecessor is missing decides nothing, so no line is skipped either.
 *
 * History triggers nothing. Its facts start no campaign and no webhook, and the memberships that follow from it are
 * marked `imported`, for the same reason. A player's events stay packed from the command to its fact.
 */
export function importHistory(body: ImportHistory, step: Step): Reply {
  const { draft, context } = step;
  const before = importedTo(draft, context, body.importId);
  const reply: ImportedReply = {
    kind: 'imported',
    importedTo: before,
    imported: 0,
    repeated: 0,
    earlier: 0,
    rejected: [],
  };
  if (body.after > before) return reply;
  const advance = body.to > before ? importAdvance(draft, context, body.importId, body.to) : undefined;
  if (advance === undefined && body.to > before) return failure('CONFLICT', TOO_MANY_FILES);
  const changed = new Map<string, History>();
  for (const history of body.players) {
    const fresh = linesAfter(history, before);
    noteEarlier(draft, history, history.lines.length - (fresh?.lines.length ?? 0), reply);
    if (fresh !== undefined) importPlayer(fresh, step, reply, changed);
  }
  // Once for each player, though its lines come in several parts.
  for (const [playerId, history] of changed) settle(draft, playerId, history, context, step.definitions);
  reply.rejected.sort((one, other) => one.line - other.line);
  if (advance === undefined) return reply;
  draft.emit(advance);
  reply.importedTo = body.to;
  return reply;
}

const TOO_MANY_FILES =
  'Too many files were imported in the last 30 days. Join files, so that each of them is larger, and import them.';
const ERASED = 'The player was erased. Register the player again before you import its history.';

function mergedInto({ into }: MergedState): string {
  return `The player is merged into ${JSON.stringify(into.externalId)}. Name that one in the file.`;
}

/** A repeat names the same lines as rejected, in case the first reply was lost. */
function noteEarlier(draft: Draft, { playerId, lines }: PlayerHistory, count: number, reply: ImportedReply): void {
  if (count === 0) return;
  const held = draft.get(playerId);
  if (held?.kind === 'erased') reject(reply, lines.slice(0, count), ERASED);
  else reply.earlier += count;
}

function reject(reply: ImportedReply, lines: readonly number[], message: string): void {
  for (const line of lines) reply.rejected.push({ line, message });
}

/** @param changed what the player's lines so far change of its lifecycle; completed by these lines */
function importPlayer(
  history: PlayerHistory,
  { draft, context }: Step,
  reply: ImportedReply,
  changed: Map<string, History>,
): void {
  const { playerId, lines } = history;
  const held = draft.get(playerId);
  const known = playerIn(context, held);
  if (held !== undefined && known === undefined) {
    const merged = mergedIn(context, held);
    const other = merged === undefined ? 'The id belongs to another player.' : mergedInto(merged);
    reject(reply, lines, held.kind === 'erased' ? ERASED : other);
    return;
  }
  if (known === undefined && history.others.filter(({ refund }) => refund !== undefined).length === lines.length) {
    reject(reply, lines, UNKNOWN_TRANSACTION);
    return;
  }
  const { game, environment, at } = context;
  const base = { entityId: playerId, game, environment, at } as const;
  if (known === undefined) draft.emit({ kind: 'PlayerImported', ...base, player: newPlayer(history, at) });
  const { refused, repeated, payerFrom } = importOthers(draft, history, context);
  for (const [place, message] of refused) reply.rejected.push({ line: lines[place] ?? 0, message });
  reply.repeated += repeated.size;
  const isLeftOut = (place: number): boolean => refused.has(place) || repeated.has(place);
  const isWhole = refused.size + repeated.size === 0;
  const taken = isWhole ? history : someLines(history, (place) => !isLeftOut(place));
  if (taken !== undefined) {
    reply.imported += taken.lines.length;
    if (taken.events !== undefined) {
      const state = playerOf(draft, playerId);
      const { externalId } = state;
      const { country = state.country, ...events } = taken.events;
      const leftOut = isWhole ? 0 : [...refused.keys(), ...repeated].filter((place) => place < payerFrom).length;
      const { packed, tallies } = events;
      const names = tallies.map(([name]) => name);
      const computed = computedByAll(draft, state, names, () => unpackEvents(packed), at);
      const made = computed === undefined ? {} : { computed };
      const payer = { payerFrom: payerFrom - leftOut };
      draft.emit({ kind: 'EventsImported', ...base, externalId, country, ...events, ...payer, ...made });
    }
  }
  if (taken === undefined && known !== undefined) return;
  const state = playerOf(draft, playerId);
  const earlier = changed.get(playerId);
  changed.set(playerId, {
    firstSeenAt: Math.min(earlier?.firstSeenAt ?? state.firstSeenAt, taken?.firstAt ?? Infinity),
    lastSeenAt: Math.max(earlier?.lastSeenAt ?? state.lastSeenAt, taken?.lastAt ?? -Infinity),
    isNew: known === undefined || earlier?.isNew === true,
    hasPlayed: state.activity !== known?.activity || earlier?.hasPlayed === true,
  });
}

function playerOf(draft: Draft, playerId: string): PlayerState {
  const state = draft.get(playerId);
  if (state?.kind !== 'player') throw new Error(`player ${playerId} is gone from its own draft`);
  return state;
}

function newPlayer({ playerId: id, externalId, firstAt, lastAt }: PlayerHistory, importedAt: number): PlayerView {
  return {
    id,
    externalId,
    deviceId: null,
    email: null,
    lifecycleStage: 'new',
    sessionCount: 0,
    totalRevenue: 0,
    isPayer: false,
    isTestPlayer: false,
    firstSeenAt: firstAt === Infinity ? importedAt : firstAt,
    lastSeenAt: lastAt === -Infinity ? NEVER_SEEN : firstAt,
    attributes: '{}',
  };
}

interface History {
  firstSeenAt: number;
  lastSeenAt: number;
  isNew: boolean;
  /** Whether there are sessions on days that the churn risk counts: it may change earlier than was known. */
  hasPlayed: boolean;
}

/** Brings the player's lifecycle and memberships up to date with its history. */
function settle(draft: Draft, playerId: string, history: History, context: Context, definitions: Definitions): void {
  const { game, environment, at } = context;
  const state = playerOf(draft, playerId);
  const { firstSeenAt, lastSeenAt, isNew, hasPlayed } = history;
  const hasMoved = firstSeenAt !== state.firstSeenAt || lastSeenAt !== state.lastSeenAt;
  // The stage of a player whose last activity is unknown does not change by time: not by an import that says nothing.
  const mayAge = state.lifecycleStage === 'new' && lastSeenAt !== NEVER_SEEN;
  if (isNew || hasPlayed || hasMoved || mayAge) {
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
  if (segments.all.length === 0) return;
  // What one command cannot evaluate follows at once by the player's timer, with the effects of a timed change.
  const isTooMuch = draft.facts.length >= IMPORT_STATE_LIMITS.segmentFactsPerCommand || !hasStepsForPlayer();
  nextPlayer();
  const after = playerOf(draft, playerId);
  const facts = isTooMuch ? updateLater(after, at) : updateSegments(after, segments, 'all', at, draft.limits);
  for (const fact of facts) {
    const isMembership = fact.kind === 'SegmentEntered' || fact.kind === 'SegmentExited';
    draft.emit(isMembership ? { ...fact, imported: true } : fact);
  }
}
