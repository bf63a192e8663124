import { campaignSchedules } from './campaigns/campaigns.ts';
import type { Scheduler } from './definitions/schedule/scheduled-kind.ts';
import { experimentSchedules } from './experiments/experiments.ts';
import { flagSchedules } from './flags/flags.ts';
import { segmentSchedules } from './segments/segments.ts';

/** The kinds of definitions that can be changed later. */
export const schedulers: readonly Scheduler[] = [
  flagSchedules,
  segmentSchedules,
  experimentSchedules,
  campaignSchedules,
].map(({ scheduler }) => scheduler);
