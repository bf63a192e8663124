import { Group, SimpleGrid, Skeleton, Table, Text, UnstyledButton } from '@mantine/core';
import { type KeyboardEvent, type ReactNode, useMemo, useState } from 'react';
import { TEXTS } from '../../texts.ts';
import { lookOf } from './chart-look.ts';
import { later } from '../editors/later.tsx';
import { ScrollRegion } from '../scroll-region.tsx';
import { useScheme } from './use-scheme.ts';
import { number } from '../lists/values.tsx';
import { useZone } from '../../frame/session.tsx';
import { dayText, minuteText } from '../zoned-time.ts';

const texts = TEXTS.chart;

/** One line: a value at each time of the chart; null where there is none. */
export interface ChartSeries {
  name: string;
  values: readonly (number | null)[];
}

export interface ChartProps {
  /** What the chart shows, for screen readers and the table's caption. */
  label: string;
  /** Starts of the intervals, in epoch milliseconds, ascending. */
  at: readonly number[];
  series: readonly ChartSeries[];
  /** The start of an interval that is not over; its figures will change. */
  partialFrom?: number | null;
  /** How long an interval is, which decides how its time is written. Default: days. */
  by?: 'hour' | 'day';
  format?: (value: number) => string;
  /** Notes on intervals, in the order of time; each has a number on the chart. */
  marks?: readonly ChartMark[];
  /** What stands below the chart. @param chosenMs the chosen time; undefined: none yet */
  below?: (chosenMs: number | undefined) => ReactNode;
  /** Shows what is behind a figure: a click on it in the table, or on the chart if one line is shown. */
  onPick?: ((line: number, place: number) => void) | undefined;
}

/** A note on an interval, which is named by its place. */
export interface ChartMark {
  place: number;
  text: string;
}

const NO_MARKS: readonly ChartMark[] = [];

// The library is 20 KB, which screens without a chart do not load.
const canvas = later(
  () => import('./chart-canvas.tsx').then(({ ChartCanvas }) => ChartCanvas),
  () => <Skeleton height={260} aria-busy="true" />,
);
// Its figures take longer to arrive than its code.
canvas.preload();
const Canvas = canvas.Part;

/**
 * Lines over time beside their table. A line is known by its dashes and its name too, not by its colour alone. The
 * arrow keys move through the times, and the values there are read out.
 */
export function Chart(props: ChartProps) {
  const { label, at, series, partialFrom = null, by = 'day', format = number, marks = NO_MARKS, below, onPick } = props;
  const scheme = useScheme();
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const [chosen, setChosen] = useState<number | undefined>();
  const last = at.length - 1;
  const place = Math.min(chosen ?? last, last);
  const shown = useMemo(
    () => series.map((each, index) => ({ ...each, look: lookOf(index, scheme), hidden: hidden.has(each.name) })),
    [series, scheme, hidden],
  );
  const zone = useZone();
  const time = (ms: number | undefined): string =>
    ms === undefined ? '' : by === 'hour' ? minuteText(zone, ms) : dayText(zone, ms);
  const reading = shown
    .filter((each) => !each.hidden)
    .map(({ name, values }) => `${name}: ${valueText(values[place], format)}`)
    .concat(
      marks.flatMap((mark, index) => (mark.place === place ? [TEXTS.annotations.note(index + 1, mark.text)] : [])),
    )
    .join(', ');
  const timeOrPartial = (ms: number | undefined): string =>
    partialFrom !== null && ms !== undefined && ms >= partialFrom ? `${time(ms)} (${texts.partial})` : time(ms);
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && pickOnly !== undefined) return pickOnly();
    const next = { ArrowLeft: place - 1, ArrowRight: place + 1, Home: 0, End: last }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    setChosen(Math.max(0, Math.min(last, next)));
  };
  const visible = shown.flatMap((each, line) => (each.hidden ? [] : [line]));
  const [only] = visible;
  const pickOnly =
    onPick !== undefined && visible.length === 1 && only !== undefined ? () => onPick(only, place) : undefined;
  const toggle = (name: string): void => {
    const next = new Set(hidden);
    if (!next.delete(name)) next.add(name);
    setHidden(next);
  };

  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
      <div>
        {at.length === 0 ? null : (
          <div
            className="chart"
            role="slider"
            tabIndex={0}
            aria-label={label}
            aria-valuemin={0}
            aria-valuemax={last}
            aria-valuenow={place}
            aria-valuetext={`${timeOrPartial(at[place])}: ${reading}`}
            onKeyDown={onKey}
            onClick={pickOnly}
          >
            <Canvas
              at={at}
              series={shown}
              place={chosen}
              onPlace={setChosen}
              partialFrom={partialFrom}
              marks={marks}
              time={time}
              format={format}
              scheme={scheme}
            />
          </div>
        )}
        <Text size="sm" c="dimmed" aria-hidden="true">
          {chosen === undefined ? texts.keys : `${time(at[place])}: ${reading}`}
        </Text>
        {shown.length < 2 ? null : <Legend lines={shown} onToggle={toggle} />}
        {partialFrom === null ? null : (
          <Text size="sm" c="dimmed">
            {texts.partialFrom(time(partialFrom))}
          </Text>
        )}
        {below?.(chosen === undefined ? undefined : at[place])}
      </div>
      <Figures
        label={label}
        at={at}
        lines={shown}
        chosen={chosen}
        time={timeOrPartial}
        format={format}
        onPick={onPick}
      />
    </SimpleGrid>
  );
}

interface Line extends ChartSeries {
  look: ReturnType<typeof lookOf>;
  hidden: boolean;
}

/** The names of the lines; each shows or hides its line. */
function Legend({ lines, onToggle }: { lines: readonly Line[]; onToggle: (name: string) => void }) {
  return (
    <Group gap={4} mt={4} role="group" aria-label={texts.lines}>
      {lines.map(({ name, look, hidden }) => (
        <UnstyledButton
          key={name}
          className="chart-legend"
          aria-pressed={!hidden}
          title={hidden ? texts.show : texts.hide}
          onClick={() => onToggle(name)}
        >
          <svg width="28" height="10" aria-hidden="true">
            <line
              x1="0"
              y1="5"
              x2="28"
              y2="5"
              stroke={look.color}
              strokeWidth="2.5"
              strokeDasharray={look.dash.join(' ')}
            />
          </svg>
          <Text span size="sm" td={hidden ? 'line-through' : undefined}>
            {name}
          </Text>
        </UnstyledButton>
      ))}
    </Group>
  );
}

interface FiguresProps {
  label: string;
  at: readonly number[];
  lines: readonly Line[];
  chosen: number | undefined;
  time: (ms: number) => string;
  format: (value: number) => string;
  onPick: ChartProps['onPick'];
}

/** The values of the chart as a table, the latest first. */
function Figures({ label, at, lines, chosen, time, format, onPick }: FiguresProps) {
  const zone = useZone();
  return (
    <ScrollRegion label={texts.table(label)} className="chart-table">
      <Table stickyHeader verticalSpacing={3} horizontalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{texts.time(zone)}</Table.Th>
            {lines.map(({ name }) => (
              <Table.Th key={name} ta="right">
                {name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {at
            .map((ms, index) => (
              <Table.Tr key={ms} {...(index === chosen ? { className: 'chart-chosen' } : {})}>
                <Table.Th scope="row" fw={400}>
                  {time(ms)}
                </Table.Th>
                {lines.map(({ name, values }, line) => (
                  <Table.Td key={name} ta="right">
                    {onPick === undefined || (values[index] ?? 0) === 0 ? (
                      valueText(values[index], format)
                    ) : (
                      <UnstyledButton
                        fz="inherit"
                        td="underline dotted"
                        title={TEXTS.analytics.showPlayers}
                        onClick={() => onPick(line, index)}
                      >
                        {valueText(values[index], format)}
                      </UnstyledButton>
                    )}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))
            .toReversed()}
        </Table.Tbody>
      </Table>
    </ScrollRegion>
  );
}

function valueText(value: number | null | undefined, format: (value: number) => string): string {
  return value === null || value === undefined ? '–' : format(value);
}
