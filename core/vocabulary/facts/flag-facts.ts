import type { JsonText } from '../../kernel/text/json.ts';
import type { GuardrailFound } from '../documents/experiments.ts';
import type { Draw, FlagReason } from './flag-reason.ts';
import type { ServedFlag } from '../state/player.ts';
import type { FactBase } from './fact-base.ts';

/** A player's value of a flag was set; `null`: removed. */
export interface FlagOverridden extends FactBase {
  kind: 'FlagOverridden';
  externalId: string;
  flagKey: string;
  value: JsonText | null;
}

/**
 * The source of an exposure's variant. `served`: the last one served. `earlier`: named by the event and served before.
 * `named`: named by the event, with no record of a served one. `mismatch`: named by the event, but only others were
 * served. `local`: evaluated by a server in its own process.
 */
export type Attribution = 'served' | 'earlier' | 'named' | 'mismatch' | 'local';

/** The flag results served to a player changed. Committed before the reply that serves them is sent. */
export interface FlagsServed extends FactBase {
  kind: 'FlagsServed';
  externalId: string;
  /** In order of their keys. */
  flags: ServedFlag[];
  /** Keys of the flags that served the player a second variant within their period for the first time. */
  mixed: string[];
  /** Keys of deleted flags, dropped to free space. */
  forgotten: string[];
}

/** A player saw the result of a flag: once per period and variant. */
export interface FlagExposed extends FactBase, Draw {
  kind: 'FlagExposed';
  flagKey: string;
  flagVersion: number;
  period: number;
  attribution: Attribution;
  variantKey: string | null;
  value: JsonText;
  reason: FlagReason;
  /** With `segment_match`. */
  segmentId?: string;
  externalId: string;
}

/** A variant of an experiment harms what a guardrail watches: once per guardrail and phase. `entityId` is a ledger. */
export interface GuardrailTripped extends FactBase, GuardrailFound {
  kind: 'GuardrailTripped';
}
