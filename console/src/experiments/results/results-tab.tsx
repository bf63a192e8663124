import { Alert, Box, Card, Group, List, NativeSelect, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'wouter';
import { hasEnded, isActive } from '../../../../core/vocabulary/documents/experiments.ts';
import type { Experiment } from '../../definitions.ts';
import { call } from '../../frame/api.ts';
import { usePlace } from '../../frame/session.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { TEXTS } from '../../texts.ts';
import { ComparisonTable } from '../comparison-table.tsx';
import { isOverdue } from '../experiment-document.ts';
import { DaysInput, MetricFields, WINDOW_DAYS } from '../measure-fields.tsx';
import { metricName } from '../measure.ts';
import { Alerts } from './alerts.tsx';
import { Arrivals } from './arrivals.tsx';
import { chosenIn, measuresOf, type ResultsChoice, withChoice } from './choice.ts';
import { GuardrailTable } from './guardrail-table.tsx';
import { Phases } from './phases.tsx';
import { type ExperimentResults, verdictOf } from './verdict.ts';

const texts = TEXTS.experiment;
const REFRESH_MS = 30_000;

/** What an experiment found. The verdict comes first; what is measured is in the address. */
export function ResultsTab({ experiment }: { experiment: Experiment }) {
  if (experiment.started_at === null) {
    const isOver = hasEnded(experiment);
    return <Empty title={texts.notStarted}>{isOver ? texts.neverStarted : texts.notStartedHelp}</Empty>;
  }
  return <Asked experiment={experiment} />;
}

function Asked({ experiment }: { experiment: Experiment }) {
  const { scope } = usePlace();
  const { key, version } = experiment;
  const [params, setParams] = useSearchParams();
  const choice = chosenIn(params, experiment);
  const { query: asked } = choice;
  const results = useQuery({
    queryKey: ['results of an experiment', scope.game, scope.environment, key, version, asked],
    queryFn: ({ signal }) =>
      call(scope, 'GET /v1/experiments/experiments/{key}/results', { path: { key }, query: asked ?? {}, signal }),
    enabled: asked !== undefined,
    refetchInterval: isActive(experiment) ? REFRESH_MS : false,
  });
  return (
    <Stack>
      <Alerts experiment={experiment} />
      {asked === undefined ? null : (
        <Loaded query={results}>{(found) => <Said results={found} experiment={experiment} />}</Loaded>
      )}
      <Choice
        experiment={experiment}
        choice={choice}
        onChoose={(next) => setParams((before) => withChoice(before, next), { replace: true })}
      />
      {asked === undefined ? (
        <Empty title={texts.chooseMetric}>{experiment.primary === null ? texts.chooseMetricHelp : null}</Empty>
      ) : results.data === undefined || results.data.reason !== null ? null : (
        <Figures results={results.data} />
      )}
    </Stack>
  );
}

/** The verdict, or why there is none. */
function Said({ results, experiment }: { results: ExperimentResults; experiment: Experiment }) {
  const { scope } = usePlace();
  if (results.reason !== null) {
    const isTest = scope.environment === 'test';
    const help = isTest ? texts.nobodyTest : isActive(experiment) ? texts.nobodyHelp : null;
    return <Empty title={isActive(experiment) || isTest ? texts.nobody : texts.nobodyEver}>{help}</Empty>;
  }
  const { kind, title, lines } = verdictOf(results, {
    isOver: !isActive(experiment),
    isOverdue: isOverdue(experiment, Date.now()),
  });
  return (
    <Alert
      color={{ fault: 'red', found: 'green', open: 'gray' }[kind]}
      variant="outline"
      role="status"
      title={`${{ fault: '!', found: '✓', open: '…' }[kind]} ${title}`}
    >
      <List size="sm">
        {lines.map((line) => (
          <List.Item key={line}>{line}</List.Item>
        ))}
      </List>
    </Alert>
  );
}

interface ChoiceProps {
  experiment: Experiment;
  choice: ResultsChoice;
  onChoose: (next: Partial<ResultsChoice>) => void;
}

/** What is measured, of whom. */
function Choice({ experiment, choice, onChoose }: ChoiceProps) {
  const { measure, metric, windowDays, minAgeDays, phase } = choice;
  const measures = measuresOf(experiment);
  return (
    <Card withBorder>
      <Group align="flex-end">
        <NativeSelect
          label={texts.measure}
          value={measure}
          data={[...measures.map(({ id, label }) => ({ value: id, label })), { value: 'other', label: texts.another }]}
          onChange={(event) => onChoose({ measure: event.currentTarget.value })}
        />
        <DaysInput
          label={texts.window}
          value={windowDays}
          least={1}
          usual={WINDOW_DAYS}
          onChange={(days) => onChoose({ windowDays: Number(days) })}
        />
        <DaysInput
          label={texts.minAge}
          value={minAgeDays}
          least={0}
          usual={0}
          onChange={(days) => onChoose({ minAgeDays: Number(days) })}
        />
        {experiment.phases.length < 2 ? null : (
          <NativeSelect
            label={texts.phase}
            value={phase === undefined ? '' : String(phase)}
            data={[
              { value: '', label: texts.allPhases },
              ...experiment.phases.map((each) => ({ value: String(each.phase), label: texts.phaseOf(each.phase) })),
            ]}
            onChange={({ currentTarget: { value } }) => onChoose({ phase: value === '' ? undefined : Number(value) })}
          />
        )}
      </Group>
      {measure === 'other' ? (
        <Box mt="xs">
          <MetricFields metric={metric} onChange={(next) => onChoose({ metric: next })} />
        </Box>
      ) : null}
    </Card>
  );
}

function Figures({ results }: { results: ExperimentResults }) {
  const { variants, sequential, aggregate, confidence, phase, phases, compared_in: compared } = results;
  const name = metricName(results);
  const partly = compared.filter((each) => each.phases.length > 0 && each.phases.length < phases.length);
  return (
    <>
      <section>
        <ComparisonTable
          label={phase === null ? texts.together(name) : texts.togetherOf(name, phase)}
          variants={variants}
          sequential={sequential}
          aggregate={aggregate}
          confidence={confidence}
        />
        {phase === null && phases.length > 1 ? (
          <Text size="sm">
            {texts.pooledHelp}{' '}
            {partly.map((each) => texts.comparedIn(each.variant_key, texts.phaseNumbers(each.phases))).join(' ')}
          </Text>
        ) : null}
        <Text size="sm" c="dimmed">
          {TEXTS.results.sequentialHelp}
        </Text>
      </section>
      <GuardrailTable results={results} />
      <Phases results={results} />
      <Arrivals results={results} />
    </>
  );
}
