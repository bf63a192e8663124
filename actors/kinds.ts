import type { SegmentSet } from './decision/definitions.ts';
import {
  interventionEnded,
  interventionOffered,
  interventionShown,
  interventionSuppressed,
  interventionTriggered,
} from './campaigns/evolve-campaigns.ts';
import { propertiesChanged, propertiesDropped, propertyFilled } from './computed/evolve-properties.ts';
import {
  playerIn,
  type Context,
  type Decision,
  type Draft,
  type EvolveLimits,
  type Step,
} from './decision/decision.ts';
import { evolvesPlayer } from './decision/evolve-player.ts';
import { tracked } from './events/evolve-events.ts';
import { quarantined } from './events/quarantine.ts';
import { trackEvents } from './events/track.ts';
import { flagExposed, flagOverridden } from './flags/evolve-flags.ts';
import { guardrailTripped, reportGuardrail } from './experiments/report-guardrail.ts';
import { exposeFlag } from './flags/exposure/expose.ts';
import { overrideFlag } from './flags/evaluate/override.ts';
import { flagsServed, serveFlags } from './flags/evaluate/serve.ts';
import {
  eventImported,
  eventsImported,
  historyImported,
  importAdvanced,
  playerImported,
  purchaseImported,
  sessionImported,
} from './import/evolve-import.ts';
import { importHistory } from './import/import-history.ts';
import { absorbPlayer, releaseGuest } from './merge/account-steps.ts';
import {
  guestReleased,
  mergeCancelled,
  mergeFinished,
  mergeSettled,
  playerAbsorbed,
  playerMerged,
  playerUnmerged,
  unmergeBegun,
} from './merge/evolve-merge.ts';
import { eraseAlias } from './merge/erase-alias.ts';
import { mergeStep } from './merge/merge-step.ts';
import { beginMerge, beginUnmerge, cancelMerge, finishMerge, finishUnmerge } from './merge/guest-steps.ts';
import { keyUsed } from './idempotency/evolve-keys.ts';
import { once } from './idempotency/remember.ts';
import { erasePlayer } from './player/erase.ts';
import {
  churnRiskChanged,
  erased,
  lifecycleChanged,
  lifecycleScheduled,
  registered,
  testPlayersCounted,
  updated,
} from './player/evolve-player.ts';
import { countingTestPlayers, patchPlayer } from './player/patch.ts';
import { registerPlayer } from './player/register.ts';
import { decideReceipt } from './purchases/decide-receipt.ts';
import {
  purchaseHeld,
  purchaseRecorded,
  purchaseRefunded,
  purchaseReversed,
  receiptDecided,
} from './purchases/evolve-purchases.ts';
import { recordPurchase } from './purchases/record-purchase.ts';
import { refundPurchase } from './purchases/refund-purchase.ts';
import { listPlayers } from './segments/list-players.ts';
import { playerListed, segmentEntered, segmentExited, segmentsScheduled } from './segments/evolve-segments.ts';
import { endSession } from './sessions/end.ts';
import { closed, flagsReported, opened, sessionRecorded, synced } from './sessions/evolve-sessions.ts';
import { initSession } from './sessions/init.ts';
import { recordSession } from './sessions/record-session.ts';
import { syncSession } from './sessions/sync.ts';
import type { Segment } from './decision/targeting.ts';
import type { CommandBody } from '../core/vocabulary/commands/commands.ts';
import type { IdempotencyClaim } from '../core/vocabulary/commands/idempotency-claim.ts';
import type { DomainFact } from '../core/vocabulary/facts/facts.ts';
import type { Reply } from '../core/vocabulary/commands/replies.ts';
import type { EntityState, PlayerState } from '../core/vocabulary/state/state.ts';

/* Maps every kind of command and fact to its functions. A kind without an entry does not compile. */

export type CommandsByKind = { [C in CommandBody as C['kind']]: C };
export type FactsByKind = { [F in DomainFact as F['kind']]: F };

/** Emits the command's facts to the draft and returns its reply. */
type Decide<C extends CommandBody> = (body: C, step: Step) => Reply;

interface FactKind<F extends DomainFact> {
  /** The state after the fact; see `evolve`. */
  evolve: (state: EntityState | undefined, fact: F, limits: EvolveLimits) => EntityState;
  /** The segments whose conditions the fact may change. */
  segments: (fact: F, set: SegmentSet) => 'all' | readonly Segment[];
}

export const COMMANDS: { readonly [K in keyof CommandsByKind]: Decide<CommandsByKind[K]> } = {
  RegisterPlayer: onceOnPlayer(registerPlayer),
  PatchPlayer: onceOf((body, { draft, context }) => {
    const patched = patchPlayer(playerIn(context, draft.get(body.playerId)), body, context);
    return emitAll(draft, countingTestPlayers(draft, patched, context));
  }),
  ErasePlayer: onceOf((body, step) => (body.alias === true ? mergeStep(eraseAlias)(body, step) : erase(body, step))),
  TrackEvents: (body, { draft, context, targeting }) =>
    once(
      draft,
      body.ledgerId ?? body.items[0]?.playerId ?? '',
      body.idempotency,
      context,
      () => trackEvents(draft, body, context, targeting),
      body.ledgerId === undefined ? 'any' : 'tracked',
    ),
  OverrideFlag: onceOnPlayer(overrideFlag),
  ServeFlags: (body, { draft, context, targeting }) =>
    emitAll(draft, serveFlags(playerIn(context, draft.get(body.playerId)), body, targeting(), context, draft.limits)),
  ExposeFlag: (body, { draft, context, targeting }) =>
    emitAll(draft, exposeFlag(playerIn(context, draft.get(body.playerId)), body, targeting, context)),
  RecordSession: onceOf((body, { draft, context, targeting }) => recordSession(draft, body, context, targeting)),
  RecordPurchase: onceOf((body, { draft, context, targeting }) => recordPurchase(draft, body, context, targeting)),
  RefundPurchase: onceOf((body, { draft, context, targeting }) => refundPurchase(draft, body, context, targeting)),
  DecideReceipt: (body, { draft, context, targeting }) => decideReceipt(draft, body, context, targeting),
  InitSession: onceOf((body, { draft, context, definitions, react }) =>
    initSession(draft, body, context, { definitions, react }),
  ),
  SyncSession: onceOf((body, { draft, context, definitions, react }) =>
    syncSession(draft, body, context, { definitions, react }),
  ),
  EndSession: onceOf((body, { draft, context, targeting }) => endSession(draft, body, context, targeting)),
  ClaimIdempotencyKey: (body, { draft, context }) =>
    once(draft, body.ledgerId, body.idempotency, context, () => ({ kind: 'claimed' }), 'claimed'),
  // Reported again until the report is known to be stored.
  ReportGuardrail: (body, step) =>
    once(step.draft, body.ledgerId, body.idempotency, step.context, () => reportGuardrail(body, step), 'claimed'),
  ImportHistory: importHistory,
  ListPlayers: listPlayers,
  BeginMerge: mergeStep(beginMerge),
  AbsorbPlayer: mergeStep(absorbPlayer),
  FinishMerge: mergeStep(finishMerge),
  CancelMerge: mergeStep(cancelMerge),
  BeginUnmerge: mergeStep(beginUnmerge),
  ReleaseGuest: mergeStep(releaseGuest),
  FinishUnmerge: mergeStep(finishUnmerge),
};

const ALL = (): 'all' => 'all';
const NO_SEGMENTS: readonly Segment[] = [];
const NONE = (): readonly Segment[] => NO_SEGMENTS;

export const FACTS: { readonly [K in keyof FactsByKind]: FactKind<FactsByKind[K]> } = {
  PlayerRegistered: { evolve: registered, segments: ALL },
  PlayerUpdated: { evolve: evolvesPlayer(updated), segments: ALL },
  PlayerErased: { evolve: erased, segments: NONE },
  TestPlayersCounted: { evolve: testPlayersCounted, segments: NONE },
  EventTracked: { evolve: evolvesPlayer(tracked), segments: ({ eventName }, set) => set.touchedBy(eventName) },
  EventQuarantined: { evolve: evolvesPlayer(quarantined), segments: NONE },
  IdempotencyKeyUsed: { evolve: keyUsed, segments: NONE },
  LifecycleChanged: { evolve: evolvesPlayer(lifecycleChanged), segments: ALL },
  ChurnRiskChanged: { evolve: evolvesPlayer(churnRiskChanged), segments: NONE },
  LifecycleScheduled: { evolve: evolvesPlayer(lifecycleScheduled), segments: NONE },
  SegmentEntered: { evolve: evolvesPlayer(segmentEntered), segments: NONE },
  SegmentExited: { evolve: evolvesPlayer(segmentExited), segments: NONE },
  SegmentsScheduled: { evolve: evolvesPlayer(segmentsScheduled), segments: NONE },
  FlagOverridden: { evolve: evolvesPlayer(flagOverridden), segments: NONE },
  FlagsServed: { evolve: evolvesPlayer(flagsServed), segments: NONE },
  FlagExposed: { evolve: evolvesPlayer(flagExposed), segments: NONE },
  GuardrailTripped: { evolve: guardrailTripped, segments: NONE },
  SessionOpened: { evolve: evolvesPlayer(opened), segments: ALL },
  // Its events are separate facts, and no condition depends on the time of day of the player's last activity.
  SessionSynced: { evolve: evolvesPlayer(synced), segments: NONE },
  SessionFlagsTold: { evolve: evolvesPlayer(flagsReported), segments: NONE },
  SessionClosed: { evolve: evolvesPlayer(closed), segments: ALL },
  SessionRecorded: { evolve: evolvesPlayer(sessionRecorded), segments: ALL },
  PurchaseRecorded: { evolve: evolvesPlayer(purchaseRecorded), segments: ALL },
  PurchaseHeld: { evolve: evolvesPlayer(purchaseHeld), segments: ALL },
  ReceiptDecided: { evolve: evolvesPlayer(receiptDecided), segments: ALL },
  PurchaseReversed: { evolve: evolvesPlayer(purchaseReversed), segments: ALL },
  PurchaseRefunded: { evolve: evolvesPlayer(purchaseRefunded), segments: ALL },
  InterventionTriggered: { evolve: evolvesPlayer(interventionTriggered), segments: NONE },
  InterventionSuppressed: { evolve: evolvesPlayer(interventionSuppressed), segments: NONE },
  InterventionOffered: { evolve: evolvesPlayer(interventionOffered), segments: NONE },
  InterventionShown: { evolve: evolvesPlayer(interventionShown), segments: NONE },
  InterventionClicked: { evolve: evolvesPlayer(interventionEnded), segments: NONE },
  InterventionDismissed: { evolve: evolvesPlayer(interventionEnded), segments: NONE },
  // The command itself evaluates the segments of imported players, so that memberships trigger nothing.
  PlayerImported: { evolve: playerImported, segments: NONE },
  EventImported: { evolve: evolvesPlayer(eventImported), segments: NONE },
  EventsImported: { evolve: evolvesPlayer(eventsImported), segments: NONE },
  SessionImported: { evolve: evolvesPlayer(sessionImported), segments: NONE },
  PurchaseImported: { evolve: evolvesPlayer(purchaseImported), segments: NONE },
  RefundImported: { evolve: evolvesPlayer(purchaseRefunded), segments: NONE },
  HistoryImported: { evolve: evolvesPlayer(historyImported), segments: NONE },
  ImportAdvanced: { evolve: importAdvanced, segments: NONE },
  PropertiesChanged: { evolve: propertiesChanged, segments: NONE },
  PropertyFilled: { evolve: evolvesPlayer(propertyFilled), segments: ALL },
  PropertiesDropped: { evolve: evolvesPlayer(propertiesDropped), segments: NONE },
  PlayerMerged: { evolve: evolvesPlayer(playerMerged), segments: NONE },
  PlayerAbsorbed: { evolve: evolvesPlayer(playerAbsorbed), segments: ALL },
  MergeFinished: { evolve: mergeFinished, segments: NONE },
  MergeCancelled: { evolve: mergeCancelled, segments: ALL },
  UnmergeBegun: { evolve: unmergeBegun, segments: NONE },
  GuestReleased: { evolve: guestReleased, segments: ALL },
  PlayerUnmerged: { evolve: playerUnmerged, segments: ALL },
  MergeSettled: { evolve: mergeSettled, segments: NONE },
  PlayerListed: {
    evolve: evolvesPlayer(playerListed),
    segments: ({ segmentId }, set) => set.withReaders(segmentId),
  },
};

function erase(body: CommandsByKind['ErasePlayer'], { draft, context }: Step): Reply {
  return emitAll(draft, countingTestPlayers(draft, erasePlayer(draft.get(body.playerId), body, context), context));
}

interface PlayerCommand {
  playerId: string;
  idempotency?: IdempotencyClaim;
}

/** Decides once per Idempotency-Key, which is stored in the player. */
function onceOf<C extends PlayerCommand>(decide: (body: C, step: Step) => Reply) {
  return (body: C, step: Step): Reply =>
    once(step.draft, body.playerId, body.idempotency, step.context, () => decide(body, step));
}

/** The same for a pure decision about the player. */
function onceOnPlayer<C extends PlayerCommand>(
  decide: (player: PlayerState | undefined, body: C, context: Context) => Decision,
) {
  return onceOf<C>((body, { draft, context }) =>
    emitAll(draft, decide(playerIn(context, draft.get(body.playerId)), body, context)),
  );
}

function emitAll(draft: Draft, decision: Decision): Reply {
  for (const fact of decision.facts) draft.emit(fact);
  return decision.reply;
}
