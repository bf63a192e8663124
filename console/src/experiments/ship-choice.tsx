import { Alert, NativeSelect, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { EDIT_EFFECTS } from '../../../core/vocabulary/edit-effects.ts';
import { type Experiment, useFlag } from '../definitions.ts';
import { call } from '../frame/api.ts';
import { usePlace } from '../frame/session.tsx';
import { Difference } from '../parts/difference.tsx';
import { Loaded } from '../parts/states.tsx';
import { TEXTS } from '../texts.ts';

const texts = TEXTS.experiment;

interface ShipChoiceProps {
  experiment: Experiment;
  variant: string;
  onChoose: (variant: string) => void;
}

/** Which variant is shipped, and how the flag changes by it, in the service's words. */
export function ShipChoice({ experiment, variant, onChoose }: ShipChoiceProps) {
  const { key, version, variants, flag_key: flagKey } = experiment;
  const { scope } = usePlace();
  const preview = useQuery({
    queryKey: ['ship preview', scope.game, scope.environment, key, version, variant],
    queryFn: ({ signal }) =>
      call(scope, 'POST /v1/experiments/experiments/{key}/ship/preview', { path: { key }, body: { variant }, signal }),
    enabled: variant !== '',
    gcTime: 0,
    retry: false,
  });
  return (
    <Stack gap="xs">
      <Text>{texts.shipHelp}</Text>
      <NativeSelect
        label={texts.variant}
        value={variant}
        data={variants.map((each) => each.key)}
        onChange={(event) => onChoose(event.currentTarget.value)}
      />
      <Loaded query={preview} rows={2}>
        {({ flag }) => (
          <div>
            <Text fw={600}>{texts.flagChanges(flag.key, flag.version)}</Text>
            <Difference lines={flag.difference} />
            {flag.edit_effect === 'none' ? null : <Text size="sm">{EDIT_EFFECTS[flag.edit_effect]}</Text>}
          </div>
        )}
      </Loaded>
      <FlagOff flagKey={flagKey} />
    </Stack>
  );
}

/** Says that the flag is off, so that no player gets what the experiment decides. */
export function FlagOff({ flagKey }: { flagKey: string }) {
  const { data: flag } = useFlag(flagKey);
  if (flag === undefined || flag.enabled) return null;
  return <Alert color="orange" variant="outline" title={texts.flagOff(flagKey)} />;
}
