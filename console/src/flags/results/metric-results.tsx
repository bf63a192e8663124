import { Button, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type AnswerOf, call } from '../../frame/api.ts';
import { Loaded } from '../../parts/states.tsx';
import { usePlace } from '../../frame/session.tsx';
import { TEXTS } from '../../texts.ts';
import { isComplete, type Measure, measureName, metricBody } from '../../experiments/measure.ts';
import { notComparedTexts } from '../../experiments/left-out.ts';
import { ComparisonTable, Treatment } from '../../experiments/comparison-table.tsx';

const texts = TEXTS.results;

export type Results = AnswerOf<'GET /v1/flags/flags/{key}/results'>;
export interface Question {
  key: string;
  /** Name of the events; '' of a metric without. */
  metric: string;
  measure: Measure;
  windowDays: number;
  minAgeDays: number;
  /** undefined: the current one. */
  period: number | undefined;
  /** Of a boolean flag; undefined: as the service chooses. */
  percentage: number | undefined;
}

export function useResults({ key, metric, measure, windowDays, minAgeDays, period, percentage }: Question) {
  const { scope } = usePlace();
  const query = {
    ...metricBody(measure, metric),
    window_days: windowDays,
    min_exposure_age_days: minAgeDays === 0 ? undefined : minAgeDays,
    period,
    percentage,
  };
  return useQuery({
    queryKey: ['results', scope.game, scope.environment, key, query],
    queryFn: ({ signal }) => call(scope, 'GET /v1/flags/flags/{key}/results', { path: { key }, query, signal }),
    enabled: isComplete(measure, metric),
  });
}

/** The variants by one metric: fixed intervals, and those that hold at any time. */
export function MetricResults({ question, onShip }: { question: Question; onShip?: (variant: string) => void }) {
  const query = useResults(question);
  return (
    <section>
      <Title order={2} size="h5" mb="xs">
        {texts.table(measureName(question.measure.aggregate, question.metric))}
      </Title>
      <Loaded query={query}>
        {(found) =>
          found.variants.every(({ players }) => players === 0) ? (
            <Text c="dimmed">{notComparedTexts(found).length > 0 ? texts.noneCompared : texts.noPlayers}</Text>
          ) : (
            <ResultsTable results={found} onShip={onShip} />
          )
        }
      </Loaded>
    </section>
  );
}

function ResultsTable({ results, onShip }: { results: Results; onShip: ((variant: string) => void) | undefined }) {
  const { variants, sequential, aggregate, cap, cuped } = results;
  const shipping = (ship: (variant: string) => void) => ({
    head: texts.ship,
    cell: (variant: string) => (
      <Button size="compact-xs" variant="default" onClick={() => ship(variant)}>
        {texts.shipOf(variant)}
      </Button>
    ),
  });
  return (
    <>
      <ComparisonTable
        label={texts.table(measureName(aggregate, results.metric ?? ''))}
        variants={variants}
        sequential={sequential.variants}
        aggregate={aggregate}
        last={onShip === undefined ? undefined : shipping(onShip)}
      />
      <Treatment of={{ cap, cuped }} />
      <Text size="sm" c="dimmed">
        {texts.sequentialHelp}
      </Text>
    </>
  );
}
