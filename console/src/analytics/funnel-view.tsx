import { Stack, Table, Text, Title } from '@mantine/core';
import { lasting } from '../parts/charts/units.ts';
import { number } from '../parts/lists/values.tsx';
import { ScrollRegion } from '../parts/scroll-region.tsx';
import { TEXTS } from '../texts.ts';
import { NoRows, shareText } from './no-rows.tsx';
import { Figure, type Point } from './players/figure.tsx';
import type { ResultOf } from './query.ts';
import { keyText, stepName } from './result-table.ts';

const texts = TEXTS.analytics;

/** Players by step, in parts. */
export function Funnel({ result: { funnels }, isSplit }: { result: ResultOf<'funnel'>; isSplit: boolean }) {
  if (funnels.every(({ steps }) => (steps[0]?.players ?? 0) === 0)) return <NoRows />;
  const { columns } = texts;
  return (
    <Stack gap="md">
      {funnels.map(({ key, steps }) => (
        <div key={key}>
          {funnels.length > 1 || key !== '' ? (
            <Title order={3} size="h6" className="break-anywhere">
              {keyText(key, '')}
            </Title>
          ) : null}
          <ScrollRegion label={funnels.length > 1 ? `${texts.kinds.funnel} ${keyText(key, '')}` : texts.kinds.funnel}>
            <Table verticalSpacing={6}>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>{columns.step}</Table.Th>
                  <Table.Th ta="right">{columns.players}</Table.Th>
                  <Table.Th ta="right">{columns.share}</Table.Th>
                  <Table.Th aria-hidden="true" w="34%" />
                  <Table.Th ta="right">{columns.converted}</Table.Th>
                  <Table.Th ta="right">{columns.inside}</Table.Th>
                  <Table.Th ta="right">{columns.dropped}</Table.Th>
                  <Table.Th ta="right">{columns.median}</Table.Th>
                  <Table.Th ta="right">{columns.p90}</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {steps.map((step, place) => {
                  const all = steps[0]?.players ?? 0;
                  const width = (count: number | null) => ({ width: all === 0 ? 0 : `${((count ?? 0) / all) * 100}%` });
                  const of = (outcome: NonNullable<Point['outcome']>, value: number | null) => (
                    <Figure
                      value={value}
                      point={{ step: place + 1, outcome, ...(key === '' && !isSplit ? {} : { key }) }}
                      label={`${stepName(step.event_name, place)}: ${texts.outcomes[outcome]}`}
                    >
                      {figure(value)}
                    </Figure>
                  );
                  return (
                    // oxlint-disable-next-line react/no-array-index-key -- an event may be a step twice
                    <Table.Tr key={place}>
                      <Table.Th scope="row" fw={400} className="break-anywhere">
                        {place + 1}. {stepName(step.event_name, place)}
                      </Table.Th>
                      <Table.Td ta="right">{of('reached', step.players)}</Table.Td>
                      <Table.Td ta="right">{shareText(step.rate)}</Table.Td>
                      <Table.Td aria-hidden="true">
                        <div className="funnel-bar">
                          <span className="funnel-converted" style={width(step.converted ?? step.players)} />
                          <span className="funnel-inside" style={width(step.inside)} />
                          {(step.dropped ?? 0) > 0 ? (
                            <span className="funnel-dropped" style={width(step.dropped)} />
                          ) : null}
                        </div>
                      </Table.Td>
                      <Table.Td ta="right">{of('converted', step.converted)}</Table.Td>
                      <Table.Td ta="right">{of('inside', step.inside)}</Table.Td>
                      <Table.Td ta="right">{of('dropped', step.dropped)}</Table.Td>
                      <Table.Td ta="right">{time(step.seconds_from_previous?.median)}</Table.Td>
                      <Table.Td ta="right">{time(step.seconds_from_previous?.p90)}</Table.Td>
                    </Table.Tr>
                  );
                })}
              </Table.Tbody>
            </Table>
          </ScrollRegion>
        </div>
      ))}
      <Text size="sm" c="dimmed">
        {texts.legend}
      </Text>
    </Stack>
  );
}

const figure = (count: number | null): string => (count === null ? '' : number(count));

const time = (seconds: number | undefined): string => (seconds === undefined ? '' : lasting(seconds));
