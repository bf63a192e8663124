import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { call } from '../../frame/api.ts';
import { isAtLeast, usePlace } from '../../frame/session.tsx';
import { isSameJson } from '../../parts/editors/json-text.ts';
import { number } from '../../parts/lists/values.tsx';
import { Fault } from '../../parts/states.tsx';
import type { Document } from '../../parts/drafts/document-values.ts';
import { TEXTS } from '../../texts.ts';
import { meanText } from '../figure-texts.ts';
import { type Power, type PowerQuestions, powerQuestions, powerText } from './power-plan.ts';

const texts = TEXTS.experiment;

/** How many players and days the plan takes, by the metric of the last weeks. It is asked on demand. */
export function PowerPanel({ document }: { document: Document }) {
  const { scope, role } = usePlace();
  const questions = powerQuestions(document, Date.now());
  const ask = useMutation({
    mutationFn: async (asked: PowerQuestions) => {
      const { effect, end } = asked;
      const forEffect = await call(scope, 'GET /v1/experiments/power', { query: effect });
      const untilEnd = end === undefined ? undefined : await call(scope, 'GET /v1/experiments/power', { query: end });
      return { asked, forEffect, untilEnd };
    },
  });
  if (!isAtLeast(role, 'analyst')) return <Text c="dimmed">{texts.needsAnalyst}</Text>;
  const found = ask.data !== undefined && isSameJson(ask.data.asked, questions) ? ask.data : undefined;
  return (
    <Stack gap="xs" mt="sm">
      <Group>
        <Button
          size="xs"
          variant="default"
          disabled={questions === undefined}
          loading={ask.isPending}
          onClick={() => {
            if (questions !== undefined) ask.mutate(questions);
          }}
        >
          {texts.calculate}
        </Button>
        {questions === undefined ? <Text size="sm">{texts.needsMetric}</Text> : null}
      </Group>
      {ask.error === null ? null : <Fault error={ask.error} />}
      {found === undefined ? null : <Found {...found} days={questions?.end?.days} />}
    </Stack>
  );
}

interface FoundProps {
  forEffect: Power;
  untilEnd: Power | undefined;
  /** Until the planned end. */
  days: number | undefined;
}

function Found({ forEffect, untilEnd, days }: FoundProps) {
  const { baseline, window_days: window, reason } = forEffect;
  return (
    <Stack gap={4} role="status" aria-label={texts.calculateTitle}>
      <Text fw={600}>{powerText(forEffect)}</Text>
      {reason === null ? <Text size="sm">{texts.windowAfter(window)}</Text> : null}
      {untilEnd === undefined || days === undefined || reason !== null ? null : (
        <Text>{powerText(untilEnd, days)}</Text>
      )}
      {baseline.mean === null ? null : (
        <Text size="sm" c="dimmed">
          {texts.baseline(meanText(baseline.mean, forEffect.aggregate), number(baseline.players))}
        </Text>
      )}
    </Stack>
  );
}
