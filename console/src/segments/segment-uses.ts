import { segmentNamesIn } from '../../../actors/conditions/segments/segment-names.ts';
import type { Json } from '../../../core/kernel/text/json.ts';
import type { Campaign, Flag } from '../definitions.ts';

/** How many flags and campaigns use a segment. */
export interface SegmentUses {
  flags: number;
  campaigns: number;
}

type UsingFlag = { targeting_rules: readonly Pick<Flag['targeting_rules'][number], 'segment_id' | 'conditions'>[] };
type UsingCampaign = Pick<Campaign, 'audience' | 'trigger'>;

/** Counts the flags and campaigns that use each segment. @returns the uses of a segment by its id */
export function countUses(
  flags: readonly UsingFlag[],
  campaigns: readonly UsingCampaign[],
): (segmentId: string) => SegmentUses {
  const byFlags = countEach(
    flags.map((flag) => flag.targeting_rules.flatMap((rule) => [rule.segment_id, ...namesIn(rule.conditions)])),
  );
  const byCampaigns = countEach(
    campaigns.map(({ audience, trigger }) => [
      audience,
      trigger.segment_entered,
      trigger.segment_exited,
      ...namesIn(trigger.conditions),
    ]),
  );
  return (id) => ({ flags: byFlags.get(id) ?? 0, campaigns: byCampaigns.get(id) ?? 0 });
}

/** The segments that a condition names. */
function namesIn(conditions: object | undefined): string[] {
  const json: Json = JSON.parse(JSON.stringify(conditions ?? null));
  return segmentNamesIn(json).map(({ name }) => name);
}

/** How many of the lists have each id. */
function countEach(lists: readonly (readonly unknown[])[]): Map<unknown, number> {
  const counts = new Map<unknown, number>();
  for (const list of lists) for (const id of new Set(list)) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}
