import type { JsonText } from '../../src/kernel/json.ts';
import type { FlagReason } from './flag-reason.ts';
import type { ServedFlag } from './player.ts';
import type { FactBase } from './fact-base.ts';

/** What a player gets of a flag was set, or with `null` removed. */
export interface FlagOverridden extends FactBase {
  kind: 'FlagOverridden';
  flagKey: string;
  value: JsonText | null;
}

/**
 * How an exposure got its variant. `served`: it was served last. `earlier`: the event names one that was served before.
 * `named`: the event names one, and nothing is known to have been served. `mismatch`: the event names one that was never
 * served, while another was.
 */
export type Attribution = 'served' | 'earlier' | 'named' | 'mismatch';

/** What flags serve a player changed; decided before the answer that serves it goes out. */
export interface FlagsServed extends FactBase {
  kind: 'FlagsServed';
  externalId: string;
  /** In order of their keys. */
  flags: ServedFlag[];
  /** Keys of those that have served the player a second variant in their period, now for the first time. */
  mixed: string[];
  /** Keys of flags that are no more, forgotten to make room. */
  forgotten: string[];
}

/** A player saw what a flag served: once per period and variant. */
export interface FlagExposed extends FactBase {
  kind: 'FlagExposed';
  flagKey: string;
  flagVersion: number;
  /** Absent in records from before there were periods, as is `attribution`. */
  period?: number;
  attribution?: Attribution;
  variantKey: string | null;
  value: JsonText;
  reason: FlagReason;
  /** With `segment_match`. */
  segmentId?: string;
  externalId: string;
}
