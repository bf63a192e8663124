import { Stack } from '@mantine/core';
import { TEXTS } from '../../texts.ts';
import { useFailures } from '../optimistic.ts';
import { Fault } from '../states.tsx';

/** The changes that were shown at once and taken back, with the service's reasons. */
export function Undone() {
  const [failures, dismiss] = useFailures();
  if (failures.length === 0) return null;
  return (
    <Stack gap="xs" mb="md" className="undone">
      {failures.map((failure, place) => (
        <Fault
          key={`${place} ${failure.name}`}
          title={TEXTS.confirm.undone(failure.name)}
          error={failure.error}
          onClose={() => dismiss(failure)}
        />
      ))}
    </Stack>
  );
}
