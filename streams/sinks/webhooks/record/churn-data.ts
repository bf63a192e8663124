import type { ChurnRiskChanged } from '../../../../core/vocabulary/facts/facts.ts';
import type { JsonText } from '../../../../core/kernel/text/json.ts';

/** Units of the stored integers: ten-thousandths for scores and contributions, hundredths for confidences. */
const SCORE_SCALE = 10_000;
const CONFIDENCE_SCALE = 100;

/** `data` of churn.risk_high: the API's churn risk (contract: Churn risk) and the player's `external_id`. */
export function churnData({ entityId, externalId, risk }: ChurnRiskChanged): JsonText {
  return JSON.stringify({
    player_id: entityId,
    external_id: externalId,
    risk_score: risk.score / SCORE_SCALE,
    risk_level: risk.level,
    factors: risk.factors.map(({ factor, description, contribution }) => ({
      factor,
      description,
      contribution: contribution / SCORE_SCALE,
    })),
    prediction_date: new Date(risk.predictedAt).toISOString(),
    confidence: risk.confidence / CONFIDENCE_SCALE,
  });
}
