import { Button, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type AnswerOf, call } from '../frame/api.ts';
import { ScrollRegion } from '../parts/scroll-region.tsx';
import { Loaded } from '../parts/states.tsx';
import { usePlace } from '../frame/session.tsx';
import { TEXTS } from '../texts.ts';
import { isComplete, type Measure, measureName, metricBody } from './measure.ts';
import { percent } from '../parts/charts/units.ts';
import { notComparedTexts } from './left-out.ts';
import { ControlBadge, FigureCells, mostOf, Verdict } from './figures.tsx';

const texts = TEXTS.experiment;

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
        {texts.results(measureName(question.measure.aggregate, question.metric))}
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
  const { variants, sequential, cap, cuped } = results;
  const name = measureName(results.aggregate, results.metric ?? '');
  const most = mostOf([...variants, ...sequential.variants]);
  return (
    <>
      <ScrollRegion label={texts.results(name)}>
        <Table aria-label={texts.results(name)} verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              {Object.entries(texts.columns).map(([id, label]) => (
                <Table.Th key={id}>{label}</Table.Th>
              ))}
              {onShip === undefined ? null : <Table.Th>{texts.ship}</Table.Th>}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {variants.map((variant, place) => {
              const anytime = sequential.variants.find(({ variant_key: key }) => key === variant.variant_key);
              return (
                <Table.Tr key={variant.variant_key}>
                  <Table.Th scope="row">
                    {variant.variant_key} {place === 0 ? <ControlBadge /> : <Verdict anytime={anytime} />}
                  </Table.Th>
                  <FigureCells variant={variant} anytime={anytime} aggregate={results.aggregate} most={most} />
                  {onShip === undefined ? null : (
                    <Table.Td>
                      <Button size="compact-xs" variant="default" onClick={() => onShip(variant.variant_key)}>
                        {texts.shipOf(variant.variant_key)}
                      </Button>
                    </Table.Td>
                  )}
                </Table.Tr>
              );
            })}
          </Table.Tbody>
        </Table>
      </ScrollRegion>
      {cap === null ? null : <Text size="sm">{texts.capped(cap.toPrecision(4))}</Text>}
      {cuped === null ? null : <Text size="sm">{texts.cuped(percent(cuped.variance_reduction ?? 0))}</Text>}
      <Text size="sm" c="dimmed">
        {texts.sequentialHelp}
      </Text>
    </>
  );
}
