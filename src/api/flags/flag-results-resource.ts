import { Type } from 'typebox';
import type { FlagPeriod } from '../../../actors/vocabulary/documents.ts';
import { ALPHA, type ExperimentResults, type VariantResult } from '../../analysis/experiment-results.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { formatTimestamp } from '../../kernel/timestamp.ts';
import { timeOut } from '../fields.ts';

/** A number that may not be known. @param description what it is */
function figure(description: string) {
  return Type.Unsafe<number | null>({ type: ['number', 'null'], description });
}

const variantKey = Type.String({ description: 'The variant; of a boolean flag `false` or `true`.' });

const Variant = Type.Object(
  {
    variant_key: variantKey,
    players: Type.Integer({ description: 'Players exposed to this variant who met no other.' }),
    conversions: Type.Integer({ description: 'Those with at least one event of the metric.' }),
    sum: figure('Of the metric over all its players; for conversions their number.'),
    mean: figure('Of the metric per player; for conversions their share. null without players.'),
    lift: figure('(mean − control) / |control|. null for the control, and where the control has a mean of 0.'),
    ci_low: figure(
      'Lower end of the 95 % confidence interval of the lift, valid for one look at a time set beforehand.',
    ),
    ci_high: figure('Its upper end.'),
    p_value: figure('Two-sided, of the lift being 0. null where the figures do not suffice for a test.'),
  },
  { description: 'One variant; the first is the control.' },
);

/** Results of an experiment. */
export const FlagResults = Type.Object(
  {
    flag_key: Type.String({ description: 'The flag.' }),
    flag_version: Type.Integer({ description: 'The latest version of the flag in this period.' }),
    period: Type.Integer({ description: 'The period of these results.' }),
    periods: Type.Array(
      Type.Object(
        {
          period: Type.Integer({ description: 'Counts from 1.' }),
          version: Type.Integer({ description: 'The version of the flag that began it.' }),
          started_at: timeOut('When that version was written.'),
        },
        { description: 'A period: no edit within it changed who gets what.' },
      ),
      { description: `The latest ${LIMITS.flagPeriods} periods of the flag, oldest first.` },
    ),
    metric: Type.String({ description: 'Name of the events measured.' }),
    aggregate: Type.String({ description: '`conversion`, `count` or `sum`.' }),
    window_days: Type.Integer({ description: 'Days after a first exposure in which events count.' }),
    variants: Type.Array(Variant, { description: 'The variants in the order of the definition.' }),
    sequential: Type.Object(
      {
        method: Type.String({ description: 'Always `asymptotic_confidence_sequence`.' }),
        confidence: Type.Number({
          description: 'That every one of these intervals, over all looks, holds the true lift.',
        }),
        variants: Type.Array(
          Type.Object(
            {
              variant_key: variantKey,
              ci_low: figure('Lower end of the interval of the lift.'),
              ci_high: figure('Its upper end.'),
              p_value: figure('Two-sided, of the lift being 0.'),
            },
            { description: 'One variant.' },
          ),
          { description: 'The variants in the same order.' },
        ),
      },
      { description: 'The same comparison, valid however often one looks and whenever one stops.' },
    ),
    sample_ratio: Type.Object(
      {
        p_value: figure('Of the χ² test of players against weights; null where no ratio is expected.'),
        mismatch: Type.Boolean({
          description: 'p < 0.001: the split is broken or players go missing; trust nothing else here.',
        }),
      },
      { description: 'Whether players arrived in the ratio of the weights.' },
    ),
    excluded_players: Type.Integer({
      description:
        'Exposed players left out of all variants: served or shown two in this period, or exposed to another in an earlier one.',
    }),
    mismatched_players: Type.Integer({
      description:
        'Exposed players with an event whose `variant_key` was not the variant served last. Players to whom the flag never ' +
        'served that variant are excluded.',
    }),
  },
  { description: 'What an experiment showed.' },
);

export const FLAG_RESULTS_EXAMPLE = {
  flag_key: 'shop_layout',
  flag_version: 3,
  period: 2,
  periods: [
    { period: 1, version: 1, started_at: '2026-01-05T09:00:00.000Z' },
    { period: 2, version: 2, started_at: '2026-01-12T09:00:00.000Z' },
  ],
  metric: 'purchase_completed',
  aggregate: 'conversion',
  window_days: 7,
  variants: [
    {
      variant_key: 'control',
      players: 1000,
      conversions: 100,
      sum: 100,
      mean: 0.1,
      lift: null,
      ci_low: null,
      ci_high: null,
      p_value: null,
    },
    {
      variant_key: 'wide',
      players: 1000,
      conversions: 120,
      sum: 120,
      mean: 0.12,
      lift: 0.2,
      ci_low: -0.1009,
      ci_high: 0.5009,
      p_value: 0.1926,
    },
  ],
  sequential: {
    method: 'asymptotic_confidence_sequence',
    confidence: 0.95,
    variants: [
      { variant_key: 'control', ci_low: null, ci_high: null, p_value: null },
      { variant_key: 'wide', ci_low: -0.2793, ci_high: 0.6793, p_value: 1 },
    ],
  },
  sample_ratio: { p_value: 1, mismatch: false },
  excluded_players: 0,
  mismatched_players: 0,
};

/** The question of a result, and its counts of players. */
export interface ResultsRequest {
  flagKey: string;
  flagVersion: number;
  period: number;
  periods: readonly FlagPeriod[];
  metric: string;
  aggregate: string;
  windowDays: number;
  excludedPlayers: number;
  mismatchedPlayers: number;
}

/** Results as JSON text. */
export function resultsJson(asked: ResultsRequest, { variants, sampleRatio }: ExperimentResults): string {
  return JSON.stringify({
    flag_key: asked.flagKey,
    flag_version: asked.flagVersion,
    period: asked.period,
    periods: asked.periods.map(periodJson),
    metric: asked.metric,
    aggregate: asked.aggregate,
    window_days: asked.windowDays,
    variants: variants.map(variantJson),
    sequential: {
      method: 'asymptotic_confidence_sequence',
      confidence: 1 - ALPHA,
      variants: variants.map((variant) => ({ variant_key: variant.variantKey, ...intervalJson(variant.sequential) })),
    },
    sample_ratio: { p_value: sampleRatio.pValue, mismatch: sampleRatio.mismatch },
    excluded_players: asked.excludedPlayers,
    mismatched_players: asked.mismatchedPlayers,
  });
}

function periodJson({ period, version, since }: FlagPeriod) {
  return { period, version, started_at: formatTimestamp(since) };
}

function variantJson({ variantKey: key, players, conversions, sum, mean, lift, interval }: VariantResult) {
  return { variant_key: key, players, conversions, sum, mean, lift, ...intervalJson(interval) };
}

function intervalJson(interval: VariantResult['interval']) {
  return {
    ci_low: interval?.low ?? null,
    ci_high: interval?.high ?? null,
    p_value: interval?.pValue ?? null,
  };
}
