import { ActionIcon } from '@mantine/core';

/** Removes a part of a condition. */
export function Remove({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <ActionIcon size="sm" variant="default" aria-label={label} title={label} onClick={onClick}>
      ×
    </ActionIcon>
  );
}
