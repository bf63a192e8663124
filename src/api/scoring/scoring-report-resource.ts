import { Type } from 'typebox';
import { nullable, numberOrNull } from '../input/fields.ts';

/* The schema of the report on the scoring models, and its example. */

const count = (description: string) => Type.Integer({ minimum: 0, description });
const number = (description: string) => Type.Number({ description });
const text = (description: string) => Type.String({ description });
const Day = Type.String({ description: "Day in the game's time zone, YYYY-MM-DD." });

const Model = Type.Object(
  {
    name: text('Name of the model.'),
    version: text("First 12 hex characters of the artifact's SHA-256."),
    trained_on: text('What it has learned from, as its manifest says: `synthetic` for the shipped model.'),
    thresholds: Type.Object(
      {
        top_1pct: number('Lowest score of the bucket.'),
        top_5pct: number('Lowest score of the bucket.'),
        top_10pct: number('Lowest score of the bucket.'),
      },
      { description: 'The lowest scores of the buckets.' },
    ),
  },
  { description: 'A model.' },
);
const modelOrNull = (description: string) => nullable({ ...Model, description });

const Volume = Type.Object(
  {
    day: Day,
    model_version: text('Version of the model.'),
    bucket: text('Bucket.'),
    scores: count('Scores.'),
    devices: count('Devices.'),
    mean_score: number('Mean score.'),
  },
  { description: 'The scores of one day, model and bucket.' },
);

const Drift = Type.Object(
  {
    model_version: text('Version of the model.'),
    measure: text('An input of the model, or `score`.'),
    devices: count('Devices of all days; one counts once a day.'),
    psi: number('Population stability index of all days: under 0.1 stable, over 0.25 another population.'),
    edges: Type.Array(Type.Number(), { description: 'Bounds between the bins.' }),
    shares: Type.Array(Type.Number(), { description: 'Share of the devices in each bin, one more than edges.' }),
    reference_shares: Type.Array(Type.Number(), { description: 'The shares that the model was evaluated on.' }),
    days: Type.Array(
      Type.Object(
        { day: Day, devices: count('Devices.'), psi: number('Index of the day.') },
        { description: 'One day.' },
      ),
      { description: 'The days.' },
    ),
  },
  { description: 'How one input is spread, beside what the model learned from.' },
);

const Calibration = Type.Object(
  {
    model_version: text('Version of the model.'),
    bucket: text('Bucket.'),
    devices: count('Devices whose 24 hours are over.'),
    buyers: count('Those that bought within 24 hours.'),
    mean_score: number('Mean score: what the model expected.'),
    conversion_rate: number('Share that bought.'),
    low: number('Lower end of the 95 % interval of the share (Wilson).'),
    high: number('Upper end of it.'),
  },
  { description: 'Whether the scores of a bucket came true.' },
);

const Comparison = Type.Object(
  {
    champion_version: text('Version of the model that answered.'),
    challenger_version: text('Version of the model that was compared.'),
    scores: count('Scores of both.'),
    champion_mean: number('Mean score of the champion.'),
    challenger_mean: number('Mean score of the challenger.'),
    mean_difference: number('Mean absolute difference of the two scores.'),
    same_bucket: count('Scores that fell into the same bucket.'),
    matured: count('Scores whose 24 hours are over, of devices that had not bought before.'),
    champion_brier: numberOrNull('Mean of (score − bought)² of the champion; smaller is better. null without scores.'),
    challenger_brier: numberOrNull('The same of the challenger.'),
  },
  { description: 'Two models on the same requests.' },
);

export const ScoringReportShown = Type.Object(
  {
    days: Type.Integer({ description: 'Days of the report.' }),
    current: modelOrNull('The model that answers in this process; null: none is loaded.'),
    challenger: modelOrNull('The model that scores the same requests without answering; null: none.'),
    scores: Type.Array(Volume, { description: 'Scores by day, model and bucket.' }),
    drift: Type.Array(Drift, { description: 'Drift of each input and of the score, by model.' }),
    calibration: Type.Array(Calibration, {
      description: 'Calibration by model and bucket, from a day after the scores.',
    }),
    comparisons: Type.Array(Comparison, { description: 'Champion and challenger on the same requests.' }),
    latency: Type.Object(
      {
        scores: count('Scores.'),
        p50_ms: numberOrNull('Median from the score to its durable record, milliseconds; null without scores.'),
        p99_ms: numberOrNull('99th percentile of the same.'),
      },
      { description: 'How long responses waited for their record.' },
    ),
  },
  { description: 'How the scoring models do.' },
);

const THRESHOLDS = { top_1pct: 0.34, top_5pct: 0.2, top_10pct: 0.12 };

export const SCORING_REPORT_EXAMPLE = {
  days: 7,
  current: { name: 'first-user-conversion', version: '388c64d4a551', trained_on: 'synthetic', thresholds: THRESHOLDS },
  challenger: null,
  scores: [
    {
      day: '2026-01-15',
      model_version: '388c64d4a551',
      bucket: 'rest',
      scores: 1_200,
      devices: 1_100,
      mean_score: 0.021,
    },
  ],
  drift: [
    {
      model_version: '388c64d4a551',
      measure: 'match_wins',
      devices: 1_100,
      psi: 0.04,
      edges: [1, 3],
      shares: [0.5, 0.3, 0.2],
      reference_shares: [0.45, 0.32, 0.23],
      days: [{ day: '2026-01-15', devices: 1_100, psi: 0.04 }],
    },
  ],
  calibration: [
    {
      model_version: '388c64d4a551',
      bucket: 'top_1pct',
      devices: 40,
      buyers: 14,
      mean_score: 0.41,
      conversion_rate: 0.35,
      low: 0.22,
      high: 0.5,
    },
  ],
  comparisons: [],
  latency: { scores: 1_200, p50_ms: 4, p99_ms: 19 },
};
