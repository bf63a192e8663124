import type { CommandBody, QueryBody } from './commands/commands.ts';
import type { Fact } from './facts/facts.ts';

/**
 * Which format of messages and records introduced each kind. A program reads every format up to its own. It writes a
 * kind only once every process of the deployment reads its format (`streams/format-gate.ts`): an owner that does not
 * know a fact must not lead past it, and a sink waits at it. A new field of an existing kind, state or document counts
 * as a kind where an older program would do harm without it: the code that writes it names its format.
 */

/** The format of this program, which its beats state. Programs older than beats with a format have 0. */
export const FORMAT = 6;

/*
 * What each format introduced:
 * 0: everything until 2026-11-22. Programs state no format.
 * 1: beats of processes with their format. Unknown fields of a state are kept, unknown kinds are never skipped.
 * 2: records of DELIVERIES with several deliveries (`DELIVERY_BATCHES`).
 * 3: imported history: `ImportHistory` with its facts, and `imported` of segment facts and of ledgers.
 * 4: computed properties: their facts, `computed` of events and of players, `properties` of ledgers.
 * 5: another layout of `ImportHistory`; imported events in `EventsImported`; ledgers of several files (`imports`).
 * 6: lists of segments: `ListPlayers` with its fact, and `list`, `includes` and `excludes` of segments; previews of
 *    segments.
 */

/** The format that introduced records of several deliveries. */
export const DELIVERY_BATCHES = 2;

/** The format that introduced `list`, `includes` and `excludes` of segments. */
const SEGMENT_LISTS = 6;

/** The format that introduced a kind of command. */
export const COMMAND_FORMATS: { readonly [K in CommandBody['kind']]: number } = {
  RegisterPlayer: 0,
  PatchPlayer: 0,
  ErasePlayer: 0,
  TrackEvents: 0,
  ClaimIdempotencyKey: 0,
  OverrideFlag: 0,
  ServeFlags: 0,
  ExposeFlag: 0,
  RecordSession: 0,
  RecordPurchase: 0,
  InitSession: 0,
  SyncSession: 0,
  EndSession: 0,
  ImportHistory: 5,
  ListPlayers: SEGMENT_LISTS,
};

/** The format that introduced a kind of query. */
export const QUERY_FORMATS: { readonly [K in QueryBody['kind']]: number } = {
  GetPlayer: 0,
  GetLifecycle: 0,
  GetChurnRisk: 0,
  GetErasure: 0,
  ExportPlayer: 0,
  EvaluateFlags: 0,
  PreviewSegment: 5,
};

/** The format that introduced a kind of fact. */
export const FACT_FORMATS: { readonly [K in Fact['kind']]: number } = {
  PlayerRegistered: 0,
  PlayerUpdated: 0,
  PlayerErased: 0,
  EventTracked: 0,
  EventQuarantined: 0,
  IdempotencyKeyUsed: 0,
  LifecycleChanged: 0,
  ChurnRiskChanged: 0,
  LifecycleScheduled: 0,
  SegmentEntered: 0,
  SegmentExited: 0,
  SegmentsScheduled: 0,
  FlagOverridden: 0,
  FlagsServed: 0,
  FlagExposed: 0,
  SessionOpened: 0,
  SessionSynced: 0,
  SessionFlagsTold: 0,
  SessionClosed: 0,
  SessionRecorded: 0,
  PurchaseRecorded: 0,
  PurchaseReversed: 0,
  InterventionTriggered: 0,
  InterventionSuppressed: 0,
  InterventionOffered: 0,
  InterventionShown: 0,
  InterventionClicked: 0,
  PlayerImported: 3,
  EventImported: 3,
  EventsImported: 5,
  SessionImported: 3,
  PurchaseImported: 3,
  HistoryImported: 3,
  ImportAdvanced: 3,
  PropertiesChanged: 4,
  PropertyFilled: 4,
  PropertiesDropped: 4,
  PlayerListed: SEGMENT_LISTS,
  EntitySnapshot: 0,
  SnapshotMark: 0,
};

export const isKnownCommand = (kind: unknown): boolean =>
  typeof kind === 'string' && Object.hasOwn(COMMAND_FORMATS, kind);
export const isKnownQuery = (kind: unknown): boolean => typeof kind === 'string' && Object.hasOwn(QUERY_FORMATS, kind);
export const isKnownFact = (kind: unknown): boolean => typeof kind === 'string' && Object.hasOwn(FACT_FORMATS, kind);
