import type { CommandBody, QueryBody } from './commands/commands.ts';
import type { Fact } from './facts/facts.ts';

/**
 * The format of all that is written: messages, records, states and documents. The deployment's document names the
 * format of its data (`src/process/deployment.ts`), and each process states its own in its beat.
 *
 * A program refuses a kind or layout that it does not know: an owner does not lead past such a fact, and a sink waits
 * at it. A version that adds one raises `FORMAT`, and writes the new one only once all beats state that format.
 */
export const FORMAT = 1;

/** The format that introduced each kind of command. */
const COMMANDS: { readonly [K in CommandBody['kind']]: number } = {
  RegisterPlayer: 1,
  PatchPlayer: 1,
  ErasePlayer: 1,
  TrackEvents: 1,
  ClaimIdempotencyKey: 1,
  OverrideFlag: 1,
  ServeFlags: 1,
  ExposeFlag: 1,
  RecordSession: 1,
  RecordPurchase: 1,
  RefundPurchase: 1,
  DecideReceipt: 1,
  InitSession: 1,
  SyncSession: 1,
  EndSession: 1,
  ImportHistory: 1,
  ListPlayers: 1,
  ReportGuardrail: 1,
  BeginMerge: 1,
  AbsorbPlayer: 1,
  FinishMerge: 1,
  CancelMerge: 1,
  BeginUnmerge: 1,
  ReleaseGuest: 1,
  FinishUnmerge: 1,
};

/** The format that introduced each kind of query. */
const QUERIES: { readonly [K in QueryBody['kind']]: number } = {
  GetPlayer: 1,
  GetLifecycle: 1,
  GetChurnRisk: 1,
  GetErasure: 1,
  ExportPlayer: 1,
  EvaluateFlags: 1,
  PreviewSegment: 1,
};

/** The format that introduced each kind of fact. */
const FACTS: { readonly [K in Fact['kind']]: number } = {
  PlayerRegistered: 1,
  PlayerUpdated: 1,
  PlayerErased: 1,
  TestPlayersCounted: 1,
  EventTracked: 1,
  EventQuarantined: 1,
  IdempotencyKeyUsed: 1,
  LifecycleChanged: 1,
  ChurnRiskChanged: 1,
  LifecycleScheduled: 1,
  SegmentEntered: 1,
  SegmentExited: 1,
  SegmentsScheduled: 1,
  FlagOverridden: 1,
  FlagsServed: 1,
  FlagExposed: 1,
  GuardrailTripped: 1,
  SessionOpened: 1,
  SessionSynced: 1,
  SessionFlagsTold: 1,
  SessionClosed: 1,
  SessionRecorded: 1,
  PurchaseRecorded: 1,
  PurchaseHeld: 1,
  ReceiptDecided: 1,
  PurchaseReversed: 1,
  PurchaseRefunded: 1,
  InterventionTriggered: 1,
  InterventionSuppressed: 1,
  InterventionOffered: 1,
  InterventionShown: 1,
  InterventionClicked: 1,
  InterventionDismissed: 1,
  PlayerImported: 1,
  EventImported: 1,
  EventsImported: 1,
  SessionImported: 1,
  PurchaseImported: 1,
  RefundImported: 1,
  HistoryImported: 1,
  ImportAdvanced: 1,
  PropertiesChanged: 1,
  PropertyFilled: 1,
  PropertiesDropped: 1,
  PlayerListed: 1,
  PlayerMerged: 1,
  PlayerAbsorbed: 1,
  MergeFinished: 1,
  MergeCancelled: 1,
  UnmergeBegun: 1,
  GuestReleased: 1,
  PlayerUnmerged: 1,
  MergeSettled: 1,
  EntitySnapshot: 1,
  SnapshotMark: 1,
};

const isIn =
  (kinds: object) =>
  (kind: unknown): boolean =>
    typeof kind === 'string' && Object.hasOwn(kinds, kind);
export const isKnownCommand = isIn(COMMANDS);
export const isKnownQuery = isIn(QUERIES);
export const isKnownFact = isIn(FACTS);
