import { SimpleGrid, Stack, Table, Text } from '@mantine/core';
import { LIFECYCLE_STATE_NAMES, LIFECYCLE_STATES } from '../../../../core/vocabulary/metrics/lifecycle.ts';
import { StackedBars } from '../../parts/charts/stacked-bars.tsx';
import { number } from '../../parts/lists/values.tsx';
import { ScrollRegion } from '../../parts/scroll-region.tsx';
import { TEXTS } from '../../texts.ts';
import { NoRows } from '../no-rows.tsx';
import { Figure } from '../players/figure.tsx';
import type { ResultOf } from '../query.ts';

const texts = TEXTS.analytics;
const PARTS = LIFECYCLE_STATE_NAMES.map((state) => ({ state, ...LIFECYCLE_STATES[state] }));

type Interval = ResultOf<'lifecycle'>['intervals'][number];

/** What players are in each interval: who is active above the line, who no longer is below it. */
export function Lifecycle({ result: { intervals } }: { result: ResultOf<'lifecycle'> }) {
  if (intervals.every((point) => PARTS.every(({ state }) => point[state] === 0))) return <NoRows />;
  const time = ({ day, is_over: isOver }: Interval): string => (isOver ? day : `${day} (${TEXTS.chart.partial})`);
  return (
    <Stack gap="xs">
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
        <StackedBars
          label={texts.kinds.lifecycle}
          parts={PARTS.map(({ title, state }) => ({ name: title, isBelow: state === 'dormant' }))}
          bars={intervals.map((point) => ({
            name: time(point),
            values: PARTS.map(({ state }) => point[state]),
            isPartial: !point.is_over,
          }))}
        />
        <ScrollRegion label={TEXTS.chart.table(texts.kinds.lifecycle)} className="chart-table">
          <Table stickyHeader verticalSpacing={3} horizontalSpacing="xs">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{texts.columns.interval}</Table.Th>
                {PARTS.map(({ state, title, words }) => (
                  <Table.Th key={state} ta="right" title={words}>
                    {title}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {intervals.toReversed().map((point) => (
                <Table.Tr key={point.day}>
                  <Table.Th scope="row" fw={400}>
                    {time(point)}
                  </Table.Th>
                  {PARTS.map(({ state, title }) => (
                    <Table.Td key={state} ta="right">
                      <Figure value={point[state]} point={{ day: point.day, state }} label={`${title}, ${point.day}`}>
                        {number(point[state])}
                      </Figure>
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </ScrollRegion>
      </SimpleGrid>
      <Text size="sm" c="dimmed">
        {texts.freshLater}
      </Text>
    </Stack>
  );
}
