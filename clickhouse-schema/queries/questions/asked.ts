import type { LifecycleState } from '../../../core/vocabulary/metrics/lifecycle.ts';
import type {
  BreakdownQuestion,
  FunnelQuestion,
  LifecycleQuestion,
  LtvQuestion,
  Part,
  PathsQuestion,
  RetentionQuestion,
  Question,
  Scope,
  StickinessQuestion,
  TrendQuestion,
} from './question.ts';

/* What is asked of the rows: the figures of a question, or the players behind one of them. */

/** Players of a step: who reached it; or those of them who went on, who did not in time, who still may. */
export const FUNNEL_OUTCOMES = ['reached', 'converted', 'dropped', 'inside'] as const;
export type FunnelOutcome = (typeof FUNNEL_OUTCOMES)[number];

/** A question, and the figure of its answer. */
export type Behind =
  | {
      kind: 'measured';
      question: TrendQuestion | BreakdownQuestion;
      /** The part of the figure whose players are asked for. */
      part: Part;
      /** The interval of a trend, the range of a breakdown. */
      range: Pick<Scope, 'fromMs' | 'toMs'>;
      key: string;
    }
  /** @param after the intervals after the cohort's; undefined: all of the cohort */
  | { kind: 'retention'; question: RetentionQuestion; day: string; after: number | undefined; key: string }
  | { kind: 'ltv'; question: LtvQuestion; day: string; payers: boolean; key: string }
  | { kind: 'funnel'; question: FunnelQuestion; step: number; outcome: FunnelOutcome; key: string }
  /** '' where nothing was near enough. */
  | { kind: 'paths'; question: PathsQuestion; first: string; second: string }
  | { kind: 'lifecycle'; question: LifecycleQuestion; day: string; state: LifecycleState }
  | { kind: 'stickiness'; question: StickinessQuestion; day: string; days: number };

/** The players behind a figure, by id. */
export interface PlayersQuestion extends Scope {
  kind: 'players';
  of: Behind;
  /** The page after a player, or the ids of all up to `limit`. */
  shows: 'page' | 'ids';
  afterPlayerId: string;
  limit: number;
}

export type Asked = Question | PlayersQuestion;

/** The question whose figures are asked for, or their players. */
export const figuresOf = (asked: Asked): Question => (asked.kind === 'players' ? asked.of.question : asked);
