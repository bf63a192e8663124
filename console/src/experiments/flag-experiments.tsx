import { Alert, Anchor, Group, Text } from '@mantine/core';
import { Link } from 'wouter';
import { isActive } from '../../../core/vocabulary/documents/experiments.ts';
import { type Experiment, useExperiments } from '../definitions.ts';
import { usePlace } from '../frame/session.tsx';
import { TEXTS } from '../texts.ts';
import { StateBadge } from './state-badge.tsx';

const texts = TEXTS.experiment;

/** Which experiment decides what the players of a flag get, and the others on this flag. */
export function FlagExperiments({ flagKey }: { flagKey: string }) {
  const { data: experiments = [] } = useExperiments();
  const found = experiments.filter(({ flag_key: key }) => key === flagKey);
  const active = found.find(isActive);
  const others = found.filter((each) => each !== active);
  return (
    <>
      {active === undefined ? null : (
        <Alert
          color="blue"
          variant="outline"
          role="status"
          title={texts.decides[active.state === 'paused' ? 'paused' : 'running']}
        >
          <Item experiment={active} />
        </Alert>
      )}
      {others.length === 0 ? null : (
        <Group gap="md">
          <Text size="sm">{texts.others}</Text>
          {others.map((each) => (
            <Item key={each.key} experiment={each} />
          ))}
        </Group>
      )}
    </>
  );
}

function Item({ experiment: { key, name, state } }: { experiment: Experiment }) {
  const { scope } = usePlace();
  return (
    <Group gap={6}>
      <Anchor
        component={Link}
        href={`/${scope.game}/${scope.environment}/experiments/${encodeURIComponent(key)}`}
        underline="always"
      >
        {name}
      </Anchor>
      <StateBadge state={state} />
    </Group>
  );
}
