import type { DeviceInfo } from './commands.ts';
import type { SeenFlag } from './player.ts';
import type { FactBase } from './fact-base.ts';

/** An init opened a session. `at` is when. */
export interface SessionOpened extends FactBase {
  kind: 'SessionOpened';
  sessionId: string;
  /** `null`: the init said nothing of it. */
  device: DeviceInfo | null;
  flagKeys: readonly string[] | null;
  /** How long it stays open without another call. */
  ttlMs: number;
  externalId: string;
}

/** A sync: what it added to the session. */
export interface SessionSynced extends FactBase {
  kind: 'SessionSynced';
  sessionId: string;
  eventCount: number;
  achievements: string[];
  interventionsShown: number;
  interventionsClicked: number;
}

/** What the answer to an init or sync tells of flags: decided after everything else that the call led to. */
export interface SessionFlagsTold extends FactBase {
  kind: 'SessionFlagsTold';
  sessionId: string;
  /** Those that differ from what the session was told before; a flag that is no more is not enabled. */
  flags: SeenFlag[];
}

/** A session is over. `at` of an expiry is its due time, however late it was noticed. Complete for ClickHouse. */
export interface SessionClosed extends FactBase {
  kind: 'SessionClosed';
  sessionId: string;
  /** `replaced`: the player opened more sessions than may be open at once, and this was the oldest. */
  reason: 'ended' | 'expired' | 'replaced';
  openedAt: number;
  endedAt: number;
  durationSeconds: number;
  eventCount: number;
  achievements: string[];
  interventionsShown: number;
  interventionsClicked: number;
  externalId: string;
}

/** A session was recorded by a caller, after it was played. */
export interface SessionRecorded extends FactBase {
  kind: 'SessionRecorded';
  sessionId: string;
  /** Of the session id; see `RecordedSession`. */
  digest: string;
  startedAt: number | null;
  endedAt: number | null;
  durationSeconds: number;
  externalId: string;
}
