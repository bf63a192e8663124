import { FLAG_API_LIMITS } from '../../../../src/api/flags/limits.ts';
import type { AnswerOf } from '../../frame/api.ts';
import { DAY_MS, percent } from '../../parts/charts/units.ts';
import { type Document, partOf } from '../../parts/drafts/document-values.ts';
import { isObject } from '../../parts/editors/json-text.ts';
import { number } from '../../parts/lists/values.tsx';
import { TEXTS } from '../../texts.ts';
import { variantsIn } from '../experiment-document.ts';
import { isComplete, measureOf, metricBody } from '../measure.ts';

/* What is asked of the power of a plan, and the answer in words. */

const texts = TEXTS.experiment;

export type Power = AnswerOf<'GET /v1/experiments/power'>;
export type PowerQuery = Readonly<Record<string, string | number | boolean | undefined>>;

export interface PowerQuestions {
  /** Players and days for the smallest effect, or the service's default of it. */
  effect: PowerQuery;
  /** The smallest effect until the planned end; undefined: none is ahead, or too far for results. */
  end: (PowerQuery & { days: number }) | undefined;
}

/** @returns undefined while there is no primary metric with all that it needs */
export function powerQuestions(document: Document, nowMs: number): PowerQuestions | undefined {
  const { primary, traffic } = document;
  if (!isObject(primary)) return undefined;
  const { measure, event } = measureOf(primary);
  if (!isComplete(measure, event)) return undefined;
  const { alpha, power, mde, ends_at: endsAt } = partOf(document, 'plan');
  const asNumber = (value: unknown): number | undefined => (typeof value === 'number' && value > 0 ? value : undefined);
  const variants = variantsIn(document).filter(({ weight }) => weight > 0).length;
  const common: PowerQuery = {
    ...metricBody(measure, event),
    alpha: asNumber(alpha),
    power: asNumber(power),
    variants: Math.max(2, variants),
    traffic: asNumber(traffic),
  };
  const days = typeof endsAt === 'string' ? Math.floor((Date.parse(endsAt) - nowMs) / DAY_MS) : 0;
  return {
    effect: { ...common, mde: asNumber(mde) },
    end: days >= 1 && days <= FLAG_API_LIMITS.resultsSpanDays ? { ...common, days } : undefined,
  };
}

/** What a plan needs, in words. @param days what was asked for; undefined: an effect was */
export function powerText(answer: Power, days?: number): string {
  const { reason, mde, players, days: needed, power } = answer;
  if (reason !== null || mde === null || players === null) {
    return Object.entries(texts.noPlan).find(([name]) => name === reason)?.[1] ?? texts.noPlan.no_such_effect;
  }
  if (days !== undefined) return texts.sees(days, percent(mde));
  const lasting = needed === null ? texts.neverComes : texts.inDays(needed);
  return texts.needs(percent(mde), percent(power, 0), number(players), lasting);
}
