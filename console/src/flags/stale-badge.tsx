import { Badge } from '@mantine/core';
import type { Flag } from '../definitions.ts';
import { TEXTS } from '../texts.ts';

/** Why a flag can probably go. */
export function StaleBadge({ stale }: { stale: Flag['stale'] }) {
  if (stale === undefined || stale === null) return null;
  return (
    <Badge variant="outline" color="orange" tt="none" size="sm">
      {TEXTS.flags.stale[stale.reason]}
    </Badge>
  );
}
