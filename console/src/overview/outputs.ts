import type { AnswerOf } from '../frame/api.ts';
import { number } from '../parts/lists/values.tsx';
import { TEXTS } from '../texts.ts';

/* Outputs and checks of the service in words. */

const texts = TEXTS.overview;

type Freshness = AnswerOf<'GET /v1/ops/freshness'>;

/** Outputs that are further behind need attention. */
export const LATE_SECONDS = 60;

/** How far an output is behind; null: it has sent nothing yet. */
export function lagOf(
  { fresh_as_of: asOf }: Freshness['outputs'][number],
  { measured_at: measuredAt }: Freshness,
): number | null {
  return asOf === null ? null : Math.max(0, (Date.parse(measuredAt) - Date.parse(asOf)) / 1000);
}

export function seconds(value: number | null): string {
  return value === null ? '–' : texts.seconds(value >= 10 ? number(Math.round(value)) : value.toFixed(2));
}

/** A name of the API in words. */
export function labelOf(name: string): string {
  return Object.entries(texts.names).find(([known]) => known === name)?.[1] ?? words(name);
}

export const words = (name: string): string => name.replaceAll('_', ' ');
