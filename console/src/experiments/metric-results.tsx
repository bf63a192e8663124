import { Badge, Button, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type AnswerOf, call } from '../api.ts';
import { Loaded } from '../parts/states.tsx';
import { percent } from '../parts/units.ts';
import { number } from '../parts/values.tsx';
import { usePlace } from '../session.tsx';
import { TEXTS } from '../texts.ts';
import { IntervalBar } from './interval-bar.tsx';
import { ScrollRegion } from '../parts/scroll-region.tsx';

const texts = TEXTS.experiment;

export type Results = AnswerOf<'GET /v1/flags/flags/{key}/results'>;
export type Aggregate = 'conversion' | 'count' | 'sum';

export interface Question {
  key: string;
  metric: string;
  aggregate: Aggregate;
  property: string;
  windowDays: number;
  /** undefined: the current one. */
  period: number | undefined;
}

export function useResults({ key, metric, aggregate, property, windowDays, period }: Question) {
  const { scope } = usePlace();
  const query = {
    metric,
    aggregate,
    property: aggregate === 'sum' ? property : undefined,
    window_days: windowDays,
    period,
  };
  return useQuery({
    queryKey: ['results', scope.game, scope.environment, key, query],
    queryFn: ({ signal }) => call(scope, 'GET /v1/flags/flags/{key}/results', { path: { key }, query, signal }),
    enabled: metric !== '' && (aggregate !== 'sum' || property !== ''),
  });
}

/** The variants by one metric: fixed intervals, and those that hold at any time. */
export function MetricResults({ question, onShip }: { question: Question; onShip?: (variant: string) => void }) {
  const query = useResults(question);
  return (
    <section>
      <Title order={2} size="h5" mb="xs">
        {texts.results(question.metric)}
      </Title>
      <Loaded query={query}>
        {(found) =>
          found.variants.every(({ players }) => players === 0) ? (
            <Text c="dimmed">{texts.noPlayers}</Text>
          ) : (
            <ResultsTable results={found} onShip={onShip} />
          )
        }
      </Loaded>
    </section>
  );
}

function ResultsTable({ results, onShip }: { results: Results; onShip: ((variant: string) => void) | undefined }) {
  const { variants, sequential } = results;
  const most = Math.max(
    0.01,
    ...[...variants, ...sequential.variants].flatMap(({ ci_low: low, ci_high: high }) => [
      Math.abs(low ?? 0),
      Math.abs(high ?? 0),
    ]),
  );
  return (
    <>
      <ScrollRegion label={texts.results(results.metric)}>
        <Table aria-label={texts.results(results.metric)} verticalSpacing={6}>
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
                    {variant.variant_key}{' '}
                    {place === 0 ? (
                      <Badge variant="default" tt="none" size="sm" miw="max-content">
                        {texts.control}
                      </Badge>
                    ) : (
                      <Verdict interval={anytime} />
                    )}
                  </Table.Th>
                  <Table.Td>{number(variant.players)}</Table.Td>
                  <Table.Td>{number(variant.conversions)}</Table.Td>
                  <Table.Td>{meanText(variant.mean, results.aggregate)}</Table.Td>
                  <Table.Td style={{ whiteSpace: 'nowrap' }}>{percentText(variant.lift)}</Table.Td>
                  <Table.Td>
                    <Interval of={variant} most={most} />
                  </Table.Td>
                  <Table.Td>{pText(variant.p_value)}</Table.Td>
                  <Table.Td>{anytime === undefined ? '—' : <Interval of={anytime} most={most} />}</Table.Td>
                  <Table.Td>{pText(anytime?.p_value ?? null)}</Table.Td>
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
      <Text size="sm" c="dimmed">
        {texts.sequentialHelp}
      </Text>
    </>
  );
}

interface Bounds {
  ci_low: number | null;
  ci_high: number | null;
}

function Interval({ of: { ci_low: low, ci_high: high }, most }: { of: Bounds; most: number }) {
  if (low === null || high === null) return <>—</>;
  return (
    <>
      <span style={{ whiteSpace: 'nowrap' }}>
        {percentText(low)} … {percentText(high)}
      </span>
      <IntervalBar low={low} high={high} most={most} />
    </>
  );
}

/** Whether a variant differs from the control, by the interval that holds at any time. */
function Verdict({ interval }: { interval: Bounds | undefined }) {
  const { ci_low: low = null, ci_high: high = null } = interval ?? {};
  const verdict = low !== null && low > 0 ? 'better' : high !== null && high < 0 ? 'worse' : 'unclear';
  return (
    <Badge
      variant="outline"
      tt="none"
      size="sm"
      miw="max-content"
      color={{ better: 'green', worse: 'red', unclear: 'gray' }[verdict]}
    >
      {texts.verdicts[verdict]}
    </Badge>
  );
}

/** Of a conversion the share of players, otherwise a count or a sum for each player. */
function meanText(mean: number | null, aggregate: Results['aggregate']): string {
  if (mean === null) return '—';
  return aggregate === 'conversion' ? percent(mean) : mean.toPrecision(4);
}

function percentText(share: number | null): string {
  if (share === null) return '—';
  return `${share > 0 ? '+' : ''}${(100 * share).toFixed(1)} %`;
}

function pText(p: number | null): string {
  if (p === null) return '—';
  return p < 0.001 ? '< 0.001' : p.toFixed(3);
}
