import { Type } from 'typebox';
import type { FlagReason } from '../../../core/vocabulary/facts/flag-reason.ts';
import type { FlagEvaluation } from '../../../core/vocabulary/commands/replies.ts';
import { PERIOD_FIELD } from '../flags/evaluate/served-fields.ts';
import { rememberedText } from '../route/remembered-text.ts';
import { oneOf } from '../input/fields.ts';

/* Evaluations in the format of OFREP. */

/** A flag evaluation in the format of OFREP. */
export const OfrepEvaluation = Type.Object(
  {
    key: Type.String({ description: "The flag's key." }),
    value: Type.Optional(
      Type.Unknown({
        description:
          'Served value. Left out if the flag is disabled or has no value: SDKs then answer the code default.',
      }),
    ),
    reason: oneOf(
      ['STATIC', 'TARGETING_MATCH', 'SPLIT', 'DISABLED'],
      "OpenFeature's reason. `metadata.reason` has the exact one.",
    ),
    variant: Type.Optional(Type.String({ description: 'Key of the served variant; left out if there is none.' })),
    metadata: Type.Object(
      {
        reason: Type.String({ description: 'Exact reason, as in the other evaluation endpoints.' }),
        ...PERIOD_FIELD,
        segment_id: Type.Optional(Type.String({ description: 'Id of the matching segment.' })),
        prerequisite_key: Type.Optional(Type.String({ description: 'Key of the unmet prerequisite flag.' })),
      },
      { description: 'Details of the evaluation.' },
    ),
  },
  { description: 'A flag evaluation of OFREP.' },
);

export const OFREP_EXAMPLE = {
  key: 'new_shop',
  value: 'layout_b',
  reason: 'TARGETING_MATCH',
  variant: 'b',
  metadata: { reason: 'segment_match', period: 2, segment_id: 'seg_019bc0de-1234-7abc-8def-0123456789ab' },
};

const REASONS: Readonly<Record<FlagReason, string>> = {
  default: 'STATIC',
  segment_match: 'TARGETING_MATCH',
  player_override: 'TARGETING_MATCH',
  percentage_rollout: 'SPLIT',
  flag_disabled: 'DISABLED',
};

/** An evaluation as JSON text. The value is JSON text already. */
export const ofrepJson = rememberedText(ofrepText);

function ofrepText(evaluation: FlagEvaluation): string {
  const { flagKey, value, variantKey, reason, period, segmentId, prerequisiteKey } = evaluation;
  const variant = variantKey === null ? '' : `"variant":${JSON.stringify(variantKey)},`;
  const segment = segmentId === undefined ? '' : `,"segment_id":${JSON.stringify(segmentId)}`;
  const prerequisite = prerequisiteKey === undefined ? '' : `,"prerequisite_key":${JSON.stringify(prerequisiteKey)}`;
  const served = reason === 'flag_disabled' || value === 'null' ? '' : `"value":${value},`;
  return (
    `{"key":${JSON.stringify(flagKey)},${served}"reason":"${REASONS[reason]}",${variant}` +
    `"metadata":{"reason":"${reason}","period":${period}${segment}${prerequisite}}}`
  );
}
