import { Type } from 'typebox';
import type { FlagReason } from '../../../actors/vocabulary/flag-reason.ts';
import type { FlagEvaluation } from '../../../actors/vocabulary/replies.ts';
import { rememberedText } from '../remembered-text.ts';

/** What a flag serves, as OpenFeature's clients read it. */
export const OfrepEvaluation = Type.Object(
  {
    key: Type.String({ description: "The flag's key." }),
    value: Type.Unknown({ description: 'The value served, always present; null when the flag has none.' }),
    reason: Type.Unsafe<string>({
      type: 'string',
      enum: ['STATIC', 'TARGETING_MATCH', 'SPLIT', 'DISABLED'],
      description: "OpenFeature's word for why; the exact reason stands in the metadata.",
    }),
    variant: Type.Optional(Type.String({ description: 'The variant served; left out where none is.' })),
    metadata: Type.Object(
      {
        reason: Type.String({ description: 'The exact reason, as the other evaluation endpoints tell it.' }),
        segment_id: Type.Optional(Type.String({ description: 'The segment that matched.' })),
        prerequisite_key: Type.Optional(Type.String({ description: 'The flag whose value kept this one off.' })),
      },
      { description: 'More about the evaluation.' },
    ),
  },
  { description: 'A flag evaluation of OFREP.' },
);

export const OFREP_EXAMPLE = {
  key: 'new_shop',
  value: 'layout_b',
  reason: 'TARGETING_MATCH',
  variant: 'b',
  metadata: { reason: 'segment_match', segment_id: 'seg_019bc0de-1234-7abc-8def-0123456789ab' },
};

const REASONS: Readonly<Record<FlagReason, string>> = {
  default: 'STATIC',
  segment_match: 'TARGETING_MATCH',
  player_override: 'TARGETING_MATCH',
  percentage_rollout: 'SPLIT',
  flag_disabled: 'DISABLED',
};

/** One evaluation as JSON text; its value is spliced in as it is. */
export const ofrepJson = rememberedText(ofrepText);

function ofrepText({ flagKey, value, variantKey, reason, segmentId, prerequisiteKey }: FlagEvaluation): string {
  const variant = variantKey === null ? '' : `"variant":${JSON.stringify(variantKey)},`;
  const segment = segmentId === undefined ? '' : `,"segment_id":${JSON.stringify(segmentId)}`;
  const prerequisite = prerequisiteKey === undefined ? '' : `,"prerequisite_key":${JSON.stringify(prerequisiteKey)}`;
  return (
    `{"key":${JSON.stringify(flagKey)},"value":${value},"reason":"${REASONS[reason]}",${variant}` +
    `"metadata":{"reason":"${reason}"${segment}${prerequisite}}}`
  );
}
