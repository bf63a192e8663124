import { Type } from 'typebox';
import { formatTimestamp } from '../../../../core/kernel/text/timestamp.ts';
import { jsonAnswer } from '../../route/answer.ts';
import { oneOf, PlayerId, timeOut } from '../../input/fields.ts';
import { defineRoute, readBy } from '../../route/route.ts';

/* The route that returns the churn risk of a player. */

/** Scores and contributions are held in ten-thousandths, confidences in hundredths. */
const SCORE_SCALE = 10_000;
const CONFIDENCE_SCALE = 100;

export const getChurnRisk = defineRoute({
  method: 'GET',
  path: '/v1/players/players/{id}/churn-risk',
  tag: 'Players',
  summary: "Get a player's churn risk",
  description:
    'A heuristic, not a trained model. It compares sessions and playtime of the last 7 days (UTC) with the 21 days ' +
    'before, and adds the days since the player was last active: score = 0.35 × decline of sessions + 0.25 × decline ' +
    'of playtime + 0.40 × min(1, idle days / 14). If the 28 days have no sessions or no playtime, the weight of that ' +
    'term goes to inactivity. The webhook kind `churn.risk_high` fires once each time the risk becomes high.',
  auth: { keys: ['server'] },
  limitClass: 'none',
  ...readBy('viewer'),
  errors: ['PLAYER_NOT_FOUND'],
  input: { params: Type.Object({ id: PlayerId }) },
  reply: {
    description: 'The current churn risk.',
    schema: Type.Object(
      {
        player_id: PlayerId,
        risk_score: Type.Number({
          minimum: 0,
          maximum: 1,
          description: 'Churn risk from 0 to 1, the sum of the contributions.',
        }),
        risk_level: oneOf(['low', 'medium', 'high'], '`low` below 0.33, `medium` below 0.66, else `high`.'),
        factors: Type.Array(
          Type.Object({
            factor: oneOf(['session_decline', 'playtime_decline', 'inactivity'], 'Name of the factor.'),
            description: Type.String({ description: 'The figures of the factor in words.' }),
            contribution: Type.Number({ description: 'Contribution of the factor to `risk_score`.' }),
          }),
          { description: 'The factors, largest contribution first.' },
        ),
        prediction_date: timeOut('Time of the assessment.'),
        confidence: Type.Number({
          minimum: 0,
          maximum: 0.9,
          description:
            'Confidence from 0 to 0.9. It grows with the days since the player was first seen; 0.9 from 28 days on.',
        }),
      },
      { description: 'Churn risk.' },
    ),
    example: {
      player_id: '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11',
      risk_score: 0.7714,
      risk_level: 'high',
      factors: [
        {
          factor: 'session_decline',
          description: '0 sessions in the last 7 days, against 5 a week before.',
          contribution: 0.35,
        },
        {
          factor: 'playtime_decline',
          description: '0 minutes played in the last 7 days, against 150 a week before.',
          contribution: 0.25,
        },
        { factor: 'inactivity', description: 'Last active 6 days ago.', contribution: 0.1714 },
      ],
      prediction_date: '2026-01-15T10:30:00.000Z',
      confidence: 0.9,
    },
  },
  action: {
    kind: 'query',
    toQuery({ params }) {
      const playerId = params.id.toLowerCase();
      return { kind: 'addressed', playerId: playerId, body: { kind: 'GetChurnRisk', playerId } };
    },
    toAnswer(reply) {
      if (reply.kind !== 'churnRisk') throw new Error(`a churn query was answered with ${reply.kind}`);
      const { score, level, factors, confidence, predictedAt } = reply.risk;
      return jsonAnswer({
        player_id: reply.playerId,
        risk_score: score / SCORE_SCALE,
        risk_level: level,
        factors: factors.map((one) => ({ ...one, contribution: one.contribution / SCORE_SCALE })),
        prediction_date: formatTimestamp(predictedAt),
        confidence: confidence / CONFIDENCE_SCALE,
      });
    },
  },
});
