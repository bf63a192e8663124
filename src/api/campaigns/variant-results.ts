import { Type } from 'typebox';
import type { CampaignArm, CampaignReport } from '../../../clickhouse-schema/queries/campaign-report.ts';
import type { MessageTest } from '../../../core/vocabulary/message.ts';
import { type Sample, sharesOf } from '../../analysis/comparison.ts';
import { DECISIONS, experimentResults, type VariantResult } from '../../analysis/experiment-results.ts';
import { nullable, numberOrNull } from '../input/fields.ts';
import { TooSmallOrNull } from '../input/too-small.ts';

/* The variants of a campaign compared with the first one, as those of an experiment are. */

const count = (description: string) => Type.Integer({ minimum: 0, description });

const Figure = Type.Object(
  {
    value: numberOrNull('Figure of the variant; null without players.'),
    lift: numberOrNull('(variant − control) / control; null of the control, and if it cannot be computed.'),
    low: numberOrNull('Lower end of the 95 % interval of the lift.'),
    high: numberOrNull('Upper end of the 95 % interval of the lift.'),
    p_value: numberOrNull('p-value of no difference, for one look.'),
    p_adjusted: numberOrNull('The same, adjusted for the number of variants.'),
    decision: Type.Unsafe<(typeof DECISIONS)[number] | null>({
      type: ['string', 'null'],
      enum: [...DECISIONS, null],
      description: 'How the variant differs from the control, valid at every look; null of the control.',
    }),
    too_small: TooSmallOrNull,
  },
  { description: 'A figure of a variant beside the control.' },
);

const figure = (description: string) => Type.Object(Figure.properties, { description });

const Variant = Type.Object(
  {
    variant: Type.String({ description: 'Key of the variant.' }),
    weight: Type.Number({ description: 'Its weight.' }),
    players: count('Players who got this variant, and no other.'),
    inside: count('Players whose window is not over.'),
    shown: count('Players who saw it.'),
    clicked: count('Players who clicked it.'),
    converted: count('Players with the conversion event.'),
    payers: count('Players with a purchase.'),
    revenue: Type.Number({ description: "Revenue in the game's currency, less what was refunded of it." }),
    gross_revenue: Type.Number({ description: 'The same without refunds.' }),
    figures: Type.Object(
      {
        click_rate: figure('Share of players who clicked.'),
        conversion_rate: figure('Share of players who converted; unknown without a conversion event.'),
        payer_rate: figure('Share of players who bought.'),
        revenue_per_player: figure('Revenue per player.'),
      },
      { description: 'Figures beside those of the control.' },
    ),
  },
  { description: 'A variant.' },
);

export const VariantResults = nullable(
  Type.Object(
    {
      control: Type.String({ description: 'Key of the first variant, with which the others are compared.' }),
      since: Type.Integer({ description: 'Version of the campaign from which on messages count.' }),
      sample_ratio: Type.Object(
        {
          p_value: numberOrNull('p-value of the numbers of players, if chance drew them by the weights.'),
          mismatch: Type.Boolean({
            description: 'Whether they differ so much that the comparison is not to be trusted.',
          }),
        },
        { description: 'The numbers of players beside the weights.' },
      ),
      variants: Type.Array(Variant, { description: 'The variants, in the order of the campaign.' }),
    },
    { description: 'The latest test of variants; null: none was made, or the environment is `test`.' },
  ),
);

export function variantResults({ arms, variants }: CampaignReport, tested: MessageTest | undefined, hasEvent: boolean) {
  const [first] = tested?.variants ?? [];
  // Without arms it is the test environment, or there are no rows.
  if (tested === undefined || first === undefined || arms.length === 0) return null;
  const found = tested.variants.map(({ key, weight }) => {
    const arm = variants.find((one) => one.arm === key);
    return { key, weight, arm: arm ?? { ...NO_PLAYERS, arm: key } };
  });
  const compare = (sampleOf: (arm: CampaignArm) => Sample) =>
    experimentResults(
      found.map(({ key, weight, arm }) => {
        const { players } = arm;
        const sample = sampleOf(arm);
        const counts = { arrived: players, arrivedSquares: players, sum: sample.mean * players };
        return { ...sample, variantKey: key, weight, ...counts };
      }),
    );
  const clicks = compare(({ players, clicked }) => sharesOf(players, clicked));
  const conversions = hasEvent ? compare(({ players, converted }) => sharesOf(players, converted)) : undefined;
  const payers = compare((arm) => sharesOf(arm.players, arm.payers));
  const revenue = compare(revenueOf);
  return {
    control: first.key,
    since: tested.since,
    sample_ratio: { p_value: clicks.sampleRatio.pValue, mismatch: clicks.sampleRatio.mismatch },
    variants: found.map(({ key, weight, arm }, place) => ({
      variant: key,
      weight,
      players: arm.players,
      inside: arm.inside,
      shown: arm.shown,
      clicked: arm.clicked,
      converted: arm.converted,
      payers: arm.payers,
      revenue: arm.revenue,
      gross_revenue: arm.grossRevenue,
      figures: {
        click_rate: figureOf(clicks.variants[place]),
        conversion_rate: figureOf(conversions?.variants[place]),
        payer_rate: figureOf(payers.variants[place]),
        revenue_per_player: figureOf(revenue.variants[place]),
      },
    })),
  };
}

function figureOf(result: VariantResult | undefined) {
  const interval = result?.interval ?? null;
  return {
    value: result?.mean ?? null,
    lift: result?.lift ?? null,
    low: interval?.low ?? null,
    high: interval?.high ?? null,
    p_value: interval?.pValue ?? null,
    p_adjusted: interval?.pAdjusted ?? null,
    decision: result?.decision ?? null,
    too_small: interval?.tooSmall ?? null,
  };
}

export function revenueOf({ players, payers, revenue, ...shape }: Omit<CampaignArm, 'arm'>): Sample {
  return {
    players,
    conversions: payers,
    mean: revenue / players,
    variance: shape.revenueDeviation ** 2,
    skewness: shape.revenueSkewness,
    kurtosis: shape.revenueKurtosis,
  };
}

export const NO_PLAYERS: Omit<CampaignArm, 'arm'> = {
  players: 0,
  shown: 0,
  clicked: 0,
  inside: 0,
  converted: 0,
  payers: 0,
  revenue: 0,
  grossRevenue: 0,
  revenueDeviation: Number.NaN,
  revenueSkewness: Number.NaN,
  revenueKurtosis: Number.NaN,
};
