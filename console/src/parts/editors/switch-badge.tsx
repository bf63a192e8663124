import { Badge } from '@mantine/core';
import { TEXTS } from '../../texts.ts';

/** Whether a flag or a segment is on. */
export function SwitchBadge({ enabled }: { enabled: boolean }) {
  return (
    <Badge variant="outline" color={enabled ? 'green' : 'gray'} tt="none">
      {enabled ? TEXTS.flags.on : TEXTS.flags.off}
    </Badge>
  );
}
