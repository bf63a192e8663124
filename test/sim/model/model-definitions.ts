import type { ModelCampaigns } from './campaign-history.ts';
import type { ModelFlags } from './flags/flag-set.ts';
import type { ModelSegment } from './model-segments.ts';

/** The definitions of one CONFIG revision in the model's form. */
export interface ModelDefinitions {
  segments: readonly ModelSegment[];
  flags: ModelFlags;
  campaigns: ModelCampaigns;
  /** The maximum number of campaign facts of one command. After that the command triggers no more campaigns. */
  campaignFactsPerCommand: number;
  /** Of the record: events of a record belong to computed properties by it. */
  sequence: number;
}

export const NO_DEFINITIONS: ModelDefinitions = {
  segments: [],
  flags: new Map(),
  campaigns: [],
  campaignFactsPerCommand: 0,
  sequence: 0,
};
