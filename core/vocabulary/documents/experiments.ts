import type { JsonObject, JsonText } from '../../kernel/text/json.ts';
import type { Labelled } from '../labels.ts';
import type { ExperimentField, ExperimentMetricName } from '../metrics/experiment-metrics.ts';
import type { BucketBy, FlagServe } from './flag-serve.ts';
import type { WriteMark } from './write-mark.ts';

/**
 * The life of an experiment. A paused one keeps the variants of its players and takes no new ones. Those that are
 * stopped, shipped or discarded decide nothing: the rules of the flag do.
 */
export const EXPERIMENT_STATES = ['draft', 'running', 'paused', 'stopped', 'shipped', 'discarded'] as const;
export type ExperimentState = (typeof EXPERIMENT_STATES)[number];

/** A variant of the flag; of a boolean flag its value, `false` or `true`. */
export interface ExperimentVariant {
  key: string;
  /** At least 0; the weights may have any sum. */
  weight: number;
}

/** A stretch of an experiment with the same shares of its variants. Results are computed per phase. */
export interface ExperimentPhase {
  /** Counts from 1. */
  phase: number;
  /** Epoch milliseconds. */
  since: number;
  variants: readonly ExperimentVariant[];
}

/** A metric as requests for results name it. It was valid when it was stored. */
export type ChosenMetric = { aggregate: ExperimentMetricName } & {
  [Field in Exclude<ExperimentField, 'day' | 'quantile'>]?: string;
} & { day?: number; quantile?: number; winsorize?: number; cuped?: boolean };

/** What a guardrail does once its metric is certainly worse than the control's by more than the margin. */
export const GUARDRAIL_ACTIONS = ['notify', 'pause', 'roll_back'] as const;
export type GuardrailAction = (typeof GUARDRAIL_ACTIONS)[number];

export interface Guardrail {
  metric: ChosenMetric;
  /** The direction that harms. */
  worse: 'lower' | 'higher';
  /** Relative to the mean of the control, at least 0; 0: any loss. */
  margin: number;
  action: GuardrailAction;
}

/** What a guardrail of an experiment found, and what came of it. */
export interface GuardrailFound extends Pick<Guardrail, 'worse' | 'margin' | 'action'> {
  experiment: string;
  flagKey: string;
  /** Of the experiment, after the action. */
  version: number;
  state: ExperimentState;
  phase: number;
  /** The variant that harms. */
  variant: string;
  /** The metric as a JSON object, as the definition has it. */
  metric: JsonText;
  /** Relative to the control, with bounds that hold at every look; null: not known. */
  lift: number | null;
  low: number | null;
  high: number | null;
}

/** The same in the definition of the experiment. */
export interface GuardrailAlert extends Omit<GuardrailFound, 'experiment' | 'flagKey' | 'metric'> {
  metric: ChosenMetric;
  /** Epoch milliseconds. */
  at: number;
  /** Who resumed the experiment after it, and when. Absent: nobody did. */
  overridden?: { at: number; by: string };
}

/** Which guardrails came when, for their shares of the error rate. */
export interface GuardrailShares {
  /** Guardrails at the start, and those that were added later, with those that are gone. */
  atStart: number;
  added: number;
  /** The numbers of the added ones that are there, from 1, by their names. */
  numbers: Readonly<Record<string, number>>;
}

export interface ExperimentAudience {
  /** `null`: all players. */
  segmentId: string | null;
  /** As in a rule of a flag. Absent: all of them. */
  conditions?: JsonObject;
}

/** A range of a namespace, in percent: `from` up to and without `to`. Ranges of a layer share no player. */
export interface ExperimentLayer {
  key: string;
  from: number;
  to: number;
}

export interface ExperimentPlan {
  /** The accepted chance of a difference where there is none. */
  alpha: number;
  /** The wanted chance to see the smallest effect. */
  power: number;
  /** The smallest relative effect worth seeing; `null`: none is planned. */
  mde: number | null;
  /** Epoch milliseconds; `null`: open. It changes nothing by itself. */
  endsAt: number | null;
}

/** How the flag changed when the winner was shipped. */
export interface Shipping {
  /** The version of the flag that serves the winner. */
  flagVersion: number;
  /** Epoch milliseconds. */
  at: number;
}

/** In a flag: the experiment whose winner it serves, since which version, and what takes that back. */
export type ShippedBy = { experiment: string; variant: string; version: number } &
  /** `audience`: whom its rule serves. */
  (
    | { by: 'rule'; audience: ExperimentAudience }
    /** `before`: what it served by default; `null`: its default value. */
    | { by: 'default'; before: FlagServe | null }
  );

/** An experiment on a flag. Stored under its key. */
export interface ExperimentDocument extends Labelled {
  key: string;
  name: string;
  hypothesis: string;
  flagKey: string;
  /** `aa`: every variant serves the value of the control. */
  mode: 'ab' | 'aa';
  audience: ExperimentAudience;
  /** The share of the audience that takes part, 0 to 100, by the salt and `bucketBy`. */
  traffic: number;
  /** The control first. */
  variants: readonly ExperimentVariant[];
  bucketBy: BucketBy;
  salt: string;
  layer: ExperimentLayer | null;
  /** `null`: none is chosen yet. */
  primary: ChosenMetric | null;
  guardrails: readonly Guardrail[];
  plan: ExperimentPlan;
  state: ExperimentState;
  /** Oldest first; empty: it never started. */
  phases: readonly ExperimentPhase[];
  /** What its guardrails found, oldest first; bounded. Absent: nothing. */
  alerts?: readonly GuardrailAlert[];
  /** Absent: it never started. */
  guardrailShares?: GuardrailShares;
  /** Present while it is shipped. */
  winner: string | null;
  shipping: Shipping | null;
  /** Epoch milliseconds; `null`: not yet. */
  startedAt: number | null;
  stoppedAt: number | null;
  createdAt: number;
  updatedAt: number;
  version: number;
  /** The latest, bounded in number and age. */
  writes?: WriteMark[];
}

/** Whether it decides what players get. */
export function isActive({ state }: Pick<ExperimentDocument, 'state'>): boolean {
  return state === 'running' || state === 'paused';
}

/** Whether it decides nothing any more and cannot be started again. */
export function hasEnded({ state }: Pick<ExperimentDocument, 'state'>): boolean {
  return state === 'shipped' || state === 'discarded';
}
