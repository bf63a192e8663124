import { Group, Stack, Table, Text } from '@mantine/core';
import { useMemo } from 'react';
import { AnnotatedChart } from '../annotations/annotated-chart.tsx';
import { percent } from '../parts/charts/units.ts';
import { BuiltTo } from '../parts/built-to.tsx';
import { ScrollRegion } from '../parts/scroll-region.tsx';
import { money, number } from '../parts/lists/values.tsx';
import { useZone } from '../frame/session.tsx';
import { dayText, minuteText } from '../parts/zoned-time.ts';
import { TEXTS } from '../texts.ts';
import { Lifecycle } from './activity/lifecycle-view.tsx';
import { Stickiness } from './activity/stickiness-view.tsx';
import { CohortTable } from './cohort-table.tsx';
import { Funnel } from './funnel-view.tsx';
import { NoRows, shareText } from './no-rows.tsx';
import { Figure, usePick } from './players/figure.tsx';
import type { Result, ResultOf } from './query.ts';
import { keyText } from './result-table.ts';

const texts = TEXTS.analytics;

/** A result as its kind is read best, below a word on its days if they are behind. */
export function ResultView({ result, isSplit, answeredAt }: { result: Result; isSplit: boolean; answeredAt: number }) {
  return (
    <Stack gap="xs">
      <BuiltTo builtTo={result.built_to} answeredAt={answeredAt} />
      <Figures result={result} isSplit={isSplit} />
    </Stack>
  );
}

function Figures({ result, isSplit }: { result: Result; isSplit: boolean }) {
  switch (result.kind) {
    case 'trend':
      return <Trend result={result} />;
    case 'breakdown':
      return <Breakdown result={result} />;
    case 'retention':
      return <Retention result={result} />;
    case 'ltv':
      return <Ltv result={result} />;
    case 'funnel':
      return <Funnel result={result} isSplit={isSplit} />;
    case 'paths':
      return <Paths result={result} />;
    case 'lifecycle':
      return <Lifecycle result={result} />;
    case 'stickiness':
      return <Stickiness result={result} />;
  }
}

/** How figures of a unit are written; without a figure, a dash. */
function formatOf(unit: ResultOf<'trend'>['unit']): (value: number) => string {
  return unit === 'money' ? money : unit === 'share' ? percent : number;
}

function Trend({ result }: { result: ResultOf<'trend'> }) {
  const { series, title: label, unit, interval, partial_from: partialFrom } = result;
  const at = useMemo(() => (series[0]?.points ?? []).map((point) => Date.parse(point.at)), [series]);
  const lines = useMemo(
    () =>
      series.flatMap(({ key, points, previous }) => {
        const name = keyText(key, label);
        const line = { name, values: points.map(({ value }) => value) };
        return previous === null
          ? [line]
          : [line, { name: texts.before(name), values: points.map((_, place) => previous[place]?.value ?? null) }];
      }),
    [series, label],
  );
  const pick = usePick();
  const zone = useZone();
  /** What each line is of: a series, or the period before it. */
  const ofLines = series.flatMap((each) =>
    each.previous === null
      ? [{ key: each.key, points: each.points }]
      : [
          { key: each.key, points: each.points },
          { key: each.key, points: each.previous },
        ],
  );
  const show = (line: number, place: number): void => {
    const { key = null, points = [] } = ofLines[line] ?? {};
    const at = points[place]?.at;
    if (at === undefined) return;
    pick?.({
      point: { at, ...(key === null ? {} : { key }) },
      label: `${lines[line]?.name ?? ''}, ${(interval === 'hour' ? minuteText : dayText)(zone, Date.parse(at))}`,
    });
  };
  if (lines.every(({ values }) => values.every((value) => value === 0 || value === null))) return <NoRows />;
  return (
    <AnnotatedChart
      label={label}
      at={at}
      series={lines}
      by={interval === 'hour' ? 'hour' : 'day'}
      partialFrom={partialFrom === null ? null : Date.parse(partialFrom)}
      format={formatOf(unit)}
      onPick={pick === undefined ? undefined : show}
    />
  );
}

function Breakdown({ result: { rows, total, keys, title, unit } }: { result: ResultOf<'breakdown'> }) {
  const most = Math.max(0, ...rows.map(({ value }) => value ?? 0));
  const format = formatOf(unit);
  if (rows.length === 0) return <NoRows />;
  return (
    <Stack gap="xs">
      <Text size="sm">{total === null ? texts.keys(number(keys)) : texts.total(format(total), number(keys))}</Text>
      <ScrollRegion label={texts.kinds.breakdown}>
        <Table verticalSpacing={4}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{texts.columns.value}</Table.Th>
              <Table.Th ta="right">{title}</Table.Th>
              <Table.Th ta="right">{texts.columns.share}</Table.Th>
              <Table.Th aria-hidden="true" w="40%" />
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map(({ key, value }) => (
              <Table.Tr key={key}>
                <Table.Th scope="row" fw={400} className="break-anywhere">
                  {keyText(key, '')}
                </Table.Th>
                <Table.Td ta="right">
                  <Figure value={value} point={{ key }} label={`${title}, ${keyText(key, '')}`}>
                    {value === null ? '–' : format(value)}
                  </Figure>
                </Table.Td>
                <Table.Td ta="right">{shareText(total === null || total === 0 ? null : (value ?? 0) / total)}</Table.Td>
                <Table.Td aria-hidden="true">
                  <Bar share={most === 0 ? 0 : (value ?? 0) / most} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollRegion>
    </Stack>
  );
}

function Bar({ share }: { share: number }) {
  return <div className="bar" style={{ width: `${Math.max(0, Math.min(1, share)) * 100}%` }} />;
}

function Retention({ result: { cohorts, interval } }: { result: ResultOf<'retention'> }) {
  if (cohorts.length === 0) return <NoRows />;
  const days = cohorts[0]?.retained ?? [];
  const summary = days.map((_, place) => {
    const old = cohorts.filter(({ retained }) => retained[place]?.players !== null);
    const players = old.reduce((sum, each) => sum + each.players, 0);
    const active = old.reduce((sum, { retained }) => sum + (retained[place]?.players ?? 0), 0);
    return shareText(players === 0 ? null : active / players);
  });
  return (
    <Stack gap="xs">
      <CohortTable
        label={texts.heat}
        summary={summary}
        // On day 0 everybody is there: it would take the colour from all other days.
        most={Math.max(
          0,
          ...cohorts.flatMap(({ retained }) => retained.map(({ after, rate }) => (after === 0 ? 0 : (rate ?? 0)))),
        )}
        cohorts={cohorts.map(({ key, day, players, retained }) => ({
          key,
          day,
          players,
          picked: { point: { day, ...(key === null ? {} : { key }) }, label: day },
          cells: retained.map((cell) => ({
            picked:
              cell.players === 0
                ? undefined
                : {
                    point: { day, after: cell.after, ...(key === null ? {} : { key }) },
                    label: `${day}, ${texts.after[interval](cell.after)}`,
                  },
            column: texts.after[interval](cell.after),
            value: cell.rate,
            text: shareText(cell.rate),
            title: cell.players === null ? texts.notOver : `${number(cell.players)} / ${number(players)}`,
          })),
        }))}
      />
      <Text size="sm" c="dimmed">
        {texts.freshLater}
      </Text>
    </Stack>
  );
}

function Ltv({ result: { cohorts } }: { result: ResultOf<'ltv'> }) {
  if (cohorts.length === 0) return <NoRows />;
  const days = cohorts[0]?.values ?? [];
  const summary = days.map((_, place) => {
    const old = cohorts.filter(({ values }) => values[place]?.revenue !== null);
    const players = old.reduce((sum, each) => sum + each.players, 0);
    const revenue = old.reduce((sum, { values }) => sum + (values[place]?.revenue ?? 0), 0);
    return players === 0 ? '–' : money(revenue / players);
  });
  return (
    <Stack gap="xs">
      <CohortTable
        label={texts.ltvTable}
        summary={summary}
        most={Math.max(0, ...cohorts.flatMap(({ values }) => values.map((cell) => cell.per_player ?? 0)))}
        cohorts={cohorts.map(({ key, day, players, values }) => ({
          key,
          day,
          players,
          picked: { point: { day, ...(key === null ? {} : { key }) }, label: day },
          cells: values.map((cell) => ({
            column: texts.after.day(cell.day),
            value: cell.per_player,
            text: money(cell.per_player ?? 0),
            title: cell.revenue === null ? texts.notOver : money(cell.revenue),
          })),
        }))}
      />
      <Text size="sm" c="dimmed">
        {texts.freshLater}
      </Text>
    </Stack>
  );
}

function Paths({ result: { paths, total, keys } }: { result: ResultOf<'paths'> }) {
  if (paths.length === 0) return <NoRows />;
  const { columns } = texts;
  const most = paths[0]?.times ?? 0;
  return (
    <Stack gap="xs">
      <Text size="sm">{texts.pathTotal(number(total), number(keys))}</Text>
      <ScrollRegion label={texts.kinds.paths}>
        <Table verticalSpacing={4}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{columns.first}</Table.Th>
              <Table.Th>{columns.second}</Table.Th>
              <Table.Th>{columns.third}</Table.Th>
              <Table.Th ta="right">{columns.times}</Table.Th>
              <Table.Th ta="right">{columns.players}</Table.Th>
              <Table.Th aria-hidden="true" w="25%" />
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {paths.map(({ steps, steps: [first = null, second = null, third = null], times, players }) => (
              <Table.Tr key={JSON.stringify([second, third])}>
                <Table.Td className="break-anywhere">{first}</Table.Td>
                <Table.Td className="break-anywhere">{second ?? <Nothing />}</Table.Td>
                <Table.Td className="break-anywhere">{third ?? (second === null ? '' : <Nothing />)}</Table.Td>
                <Table.Td ta="right">{number(times)}</Table.Td>
                <Table.Td ta="right">
                  <Figure
                    value={players}
                    point={{ steps: [...steps] }}
                    label={steps.filter((one) => one !== null).join(' › ')}
                  >
                    {number(players)}
                  </Figure>
                </Table.Td>
                <Table.Td aria-hidden="true">
                  <Bar share={most === 0 ? 0 : times / most} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollRegion>
    </Stack>
  );
}

function Nothing() {
  return (
    <Group component="span" c="dimmed" fs="italic">
      {texts.nothingFollowed}
    </Group>
  );
}
