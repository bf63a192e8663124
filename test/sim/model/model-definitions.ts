import type { ModelCampaigns } from './campaign-history.ts';
import type { ModelFlags } from './flag-history.ts';
import type { ModelSegment } from './model-segments.ts';

/** The definitions of one CONFIG revision, as the model has them. */
export interface ModelDefinitions {
  segments: readonly ModelSegment[];
  flags: ModelFlags;
  campaigns: ModelCampaigns;
  /** After so many facts of campaigns the rest of a command sets off none. */
  campaignFactsPerCommand: number;
}

export const NO_DEFINITIONS: ModelDefinitions = {
  segments: [],
  flags: new Map(),
  campaigns: [],
  campaignFactsPerCommand: 0,
};
