import { TOO_SMALL } from '../../analysis/comparison.ts';
import { textOrNull } from './fields.ts';

const REASONS = Object.entries(TOO_SMALL).map(([key, words]) => `\`${key}\` (${words})`);

/** Why a comparison has no figures. */
export const TooSmallOrNull = textOrNull(
  `Why the interval is null, and but for \`control_mean\` the p-value too: ${REASONS.join(', ')}. ` +
    'null: both are known, or there is nothing to compare.',
);
