import { Stack, Text } from '@mantine/core';
import { SegmentPlayerCount } from '../parts/players/player-count.tsx';
import { TEXTS } from '../texts.ts';

const texts = TEXTS.playerCount;

interface CountedRule {
  segment_id?: string | null;
  conditions?: unknown;
  percentage?: number;
}

/** Whom each rule of a flag concerns, in words. Rules before it may take some of its players. */
export function RuleCounts({ rules, enabled }: { rules: readonly CountedRule[]; enabled: boolean }) {
  if (rules.length === 0) return <Text fw={600}>{texts.noRules}</Text>;
  return (
    <Stack gap={2}>
      {enabled ? null : <Text>{texts.off}</Text>}
      {rules.map(({ segment_id: segmentId = null, conditions, percentage = 100 }, index) => (
        <SegmentPlayerCount
          // Rules have no ids, and the list stands still while the dialog is open.
          key={index}
          what={texts.rule(index + 1, percentage)}
          segmentId={segmentId}
          conditions={conditions}
        />
      ))}
    </Stack>
  );
}
