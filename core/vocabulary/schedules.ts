import type { JsonObject } from '../kernel/text/json.ts';
import type { TargetingKind } from './documents/document-kinds.ts';
import type { Labelled } from './labels.ts';
import type { WriteMark } from './documents/write-mark.ts';

/** The changes of one definition that are made later, and the latest ones that ended. Stored under `scheduleKey`. */
export interface ScheduleDocument extends Labelled {
  of: TargetingKind;
  /** The stored key of the definition. */
  key: string;
  /** When the definition was created: another one with its key has a schedule of its own. */
  definedAt: number;
  /** By time, then by place in the request. */
  changes: readonly ScheduledChange[];
  /** Digest of each field as the latest change that was made here left it. */
  made: Readonly<Record<string, string>>;
  updatedAt: number;
  /** The latest, bounded in number and age. */
  writes?: WriteMark[];
}

export interface ScheduledChange {
  id: string;
  /** The same for all changes of one request. */
  plan: string;
  /** When it is made, epoch milliseconds. */
  at: number;
  does: ScheduledWork;
  /** What it changes, in words: as planned, and once it is made, as it was. */
  difference: readonly string[];
  /** Digest of each field that it replaces, as it was when this was scheduled. */
  seen: Readonly<Record<string, string>>;
  by: { kind: 'user' | 'key'; id: string };
  reason: string;
  /** A second person approved it. */
  approved?: true;
  state: ScheduledState;
  /** The version on which it is being made, and since when. A process that ended meanwhile leaves it. */
  claim?: { version: number; at: number };
  /** When and why it ended; the version that it made, if it is known. */
  ended?: { at: number; version: number | null; why: string };
}

export type ScheduledWork =
  /** A merge patch (RFC 7396) of the definition as callers see it. */
  | { kind: 'patch'; patch: JsonObject }
  /** The percentage of a rule of a flag. */
  | { kind: 'step'; rule: RuleName; percentage: number };

/** A rule, found again by what it says besides its percentage, or else by its name. */
export interface RuleName {
  name: string;
  digest: string;
}

export const SCHEDULED_STATES = ['pending', 'made', 'skipped', 'failed', 'cancelled', 'held'] as const;
export type ScheduledState = (typeof SCHEDULED_STATES)[number];

export const scheduleKey = (kind: TargetingKind, key: string): string => `${kind}.${key}`;
