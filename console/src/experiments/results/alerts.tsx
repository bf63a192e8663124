import { Alert, List, Text } from '@mantine/core';
import type { Experiment } from '../../definitions.ts';
import { Time } from '../../parts/lists/values.tsx';
import { TEXTS } from '../../texts.ts';
import { percentText } from '../figure-texts.ts';
import { metricName } from '../measure.ts';

const texts = TEXTS.experiment;

/** What guardrails found and did by themselves, the latest first. */
export function Alerts({ experiment: { alerts } }: { experiment: Experiment }) {
  if (alerts.length === 0) return null;
  return (
    <Alert color="red" variant="outline" title={`! ${texts.alerts}`}>
      <List size="sm">
        {alerts.toReversed().map(({ at, phase, metric, variant_key: variant, lift, action, version }) => (
          <List.Item key={`${version} ${variant} ${metricName(metric)}`}>
            <Time at={at} /> {texts.alert(variant, metricName(metric), percentText(lift), phase)}{' '}
            <Text span fw={600} size="sm">
              {texts.did[action]}
            </Text>
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}
