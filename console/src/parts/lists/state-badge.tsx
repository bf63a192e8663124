import { Badge } from '@mantine/core';

/** The sign and the colour of a state. */
export interface StateLook {
  sign: string;
  color: string;
}

/** The state of a thing, never by colour alone. */
export function StateBadge({ look: { sign, color }, label }: { look: StateLook; label: string }) {
  return (
    <Badge variant="outline" color={color} tt="none" miw="max-content">
      <span aria-hidden="true">{sign}</span> {label}
    </Badge>
  );
}
