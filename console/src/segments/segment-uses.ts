import type { Campaign, Flag } from '../definitions.ts';

/** How many flags and campaigns use a segment. */
export interface SegmentUses {
  flags: number;
  campaigns: number;
}

type UsingFlag = { targeting_rules: readonly Pick<Flag['targeting_rules'][number], 'segment_id'>[] };
type UsingCampaign = Pick<Campaign, 'audience' | 'trigger'>;

/** Counts the flags and campaigns that use each segment. @returns the uses of a segment by its id */
export function countUses(
  flags: readonly UsingFlag[],
  campaigns: readonly UsingCampaign[],
): (segmentId: string) => SegmentUses {
  const byFlags = countEach(flags.map((flag) => flag.targeting_rules.map((rule) => rule.segment_id)));
  const byCampaigns = countEach(
    campaigns.map(({ audience, trigger }) => [audience, trigger.segment_entered, trigger.segment_exited]),
  );
  return (id) => ({ flags: byFlags.get(id) ?? 0, campaigns: byCampaigns.get(id) ?? 0 });
}

/** How many of the lists have each id. */
function countEach(lists: readonly (readonly unknown[])[]): Map<unknown, number> {
  const counts = new Map<unknown, number>();
  for (const list of lists) for (const id of new Set(list)) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}
