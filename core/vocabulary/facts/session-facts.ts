import type { DeviceInfo, PlayedWith } from '../state/device.ts';
import type { SeenFlag } from '../state/player.ts';
import type { FactBase } from './fact-base.ts';

/** An init opened a session. `at` is the time. */
export interface SessionOpened extends FactBase {
  kind: 'SessionOpened';
  sessionId: string;
  /** `null`: the init has no device. */
  device: DeviceInfo | null;
  flagKeys: readonly string[] | null;
  /** The session expires this long after its latest call. */
  ttlMs: number;
  externalId: string;
}

/** The changes of a sync to its session. */
export interface SessionSynced extends FactBase {
  kind: 'SessionSynced';
  sessionId: string;
  eventCount: number;
  achievements: string[];
  interventionsShown: number;
  interventionsClicked: number;
}

/** The flag changes in the reply to an init or sync, decided after all other consequences of the call. */
export interface SessionFlagsReported extends FactBase {
  kind: 'SessionFlagsTold';
  sessionId: string;
  /** Flags whose results differ from those the session has received. A removed flag is not enabled. */
  flags: SeenFlag[];
}

/** The country of a player as it is stored with a session: that of the time at which the fact was decided. */
export interface PlayedFrom {
  /** Absent: unknown. */
  country?: string;
}

/** A session ended. `at` of an expiry is its due time, even if it ran late. Complete for ClickHouse. */
export interface SessionClosed extends FactBase, PlayedWith, PlayedFrom {
  kind: 'SessionClosed';
  sessionId: string;
  /** `replaced`: the player exceeded the maximum of open sessions, and this was the oldest. */
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

/** A caller recorded a session after it was played. Its device is the one that the player's latest init named. */
export interface SessionRecorded extends FactBase, PlayedWith, PlayedFrom {
  kind: 'SessionRecorded';
  sessionId: string;
  /** Digest of the session id; see `RecordedSession`. */
  digest: string;
  startedAt: number | null;
  endedAt: number | null;
  durationSeconds: number;
  externalId: string;
}
