import { Badge, Card, Group, Stack, Text, Title } from '@mantine/core';
import { number, Time } from '../../parts/lists/values.tsx';
import { TEXTS } from '../../texts.ts';
import { ComparisonTable, Treatment } from '../comparison-table.tsx';
import { sharesText } from '../experiment-document.ts';
import { pWords } from '../figure-texts.ts';
import { notComparedTexts } from '../left-out.ts';
import { metricName } from '../measure.ts';
import type { ExperimentResults } from './verdict.ts';

const texts = TEXTS.experiment;

type Phase = ExperimentResults['phases'][number];

/** The phases, each with its shares, its sample ratio and who is not compared; with its figures if all are shown together. */
export function Phases({ results }: { results: ExperimentResults }) {
  const { phases } = results;
  const isOne = phases.length === 1;
  return (
    <section aria-label={texts.byPhase}>
      <Title order={2} size="h5" mb="xs">
        {isOne ? texts.ratio : texts.byPhase}
      </Title>
      <Stack gap="sm">
        {phases.toReversed().map((phase) => (
          <Card key={phase.phase} withBorder>
            <Head phase={phase} />
            {isOne || results.phase !== null ? null : <Table phase={phase} results={results} />}
            <Treatment of={phase} />
            {leftOutOf(phase).map((line) => (
              <Text key={line} size="sm">
                {line}
              </Text>
            ))}
          </Card>
        ))}
      </Stack>
    </section>
  );
}

function Head({ phase: { phase, since, weights, sample_ratio: ratio } }: { phase: Phase }) {
  const shares = weights.map(({ variant_key: key, weight }) => ({ key, weight }));
  const state = ratio.mismatch ? 'ratioBroken' : ratio.p_value === null ? 'ratioUnknown' : 'ratioFine';
  return (
    <>
      <Group gap="xs">
        <Title order={3} size="h6">
          {texts.phaseTitle(phase, sharesText(shares))}
        </Title>
        <Text size="sm">
          {texts.since} <Time at={since} />
        </Text>
      </Group>
      <Group gap="xs" mb="xs">
        <Badge
          variant="outline"
          tt="none"
          miw="max-content"
          color={{ ratioBroken: 'red', ratioUnknown: 'gray', ratioFine: 'green' }[state]}
        >
          {TEXTS.results.breakdown[state]}
        </Badge>
        <Text size="sm">
          {TEXTS.results[state]} {ratio.p_value === null ? '' : `(${pWords(ratio.p_value)})`}
        </Text>
      </Group>
    </>
  );
}

function Table({ phase, results }: { phase: Phase; results: ExperimentResults }) {
  const { variants, sequential } = phase;
  return (
    <ComparisonTable
      label={texts.togetherOf(metricName(results), phase.phase)}
      variants={variants}
      sequential={sequential}
      aggregate={results.aggregate}
      confidence={results.confidence}
    />
  );
}

function leftOutOf({ held_out_players: heldOut, ...counts }: Phase): string[] {
  return [
    ...notComparedTexts({ ...counts, ineligible_players: 0 }),
    ...(heldOut === 0 ? [] : [texts.heldOut(number(heldOut))]),
  ];
}
