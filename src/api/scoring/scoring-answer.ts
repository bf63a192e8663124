import { Type } from 'typebox';
import { BUCKETS } from '../../scoring/buckets.ts';
import { oneOf } from '../input/fields.ts';

/* The schema and the example of scoring responses. */

const cutoff = (percentile: number) =>
  Type.Number({ description: `Lowest score of the bucket: percentile ${percentile} of the model's holdout set.` });

/** The response of scoring, including its own envelope. */
export const ScoreAnswer = Type.Object(
  {
    success: Type.Literal(true, { description: 'Always true.' }),
    data: Type.Object(
      {
        device_id: Type.String({ description: 'The device id as sent.' }),
        score: Type.Number({
          minimum: 0,
          maximum: 1,
          description: 'Probability from 0 to 1 that the player pays within the first day.',
        }),
        bucket: oneOf(BUCKETS, 'Highest bucket whose threshold the score reaches.'),
        model_version: Type.String({ description: "First 12 characters of the model artifact's SHA-256." }),
        thresholds_used: Type.Object(
          { top_1pct: cutoff(99), top_5pct: cutoff(95), top_10pct: cutoff(90) },
          { description: 'Thresholds of the model. They change when the model is retrained.' },
        ),
        scored_at: Type.String({
          format: 'date-time',
          description: 'When the score was computed. ISO 8601, UTC, milliseconds.',
        }),
      },
      { description: 'The score.' },
    ),
    error: Type.Null({ description: 'Always null.' }),
    meta: Type.Null({ description: 'Always null.' }),
  },
  { description: 'A score.' },
);

export const SCORE_ANSWER_EXAMPLE = {
  success: true,
  data: {
    device_id: 'device_abc',
    score: 0.34047481417655945,
    bucket: 'top_1pct',
    model_version: '388c64d4a551',
    thresholds_used: { top_1pct: 0.34047481417655945, top_5pct: 0.11695859581232071, top_10pct: 0.05993980914354324 },
    scored_at: '2026-01-15T10:30:00.512Z',
  },
  error: null,
  meta: null,
};
