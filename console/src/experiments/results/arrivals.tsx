import { Text, Title } from '@mantine/core';
import { AnnotatedChart } from '../../annotations/annotated-chart.tsx';
import { useZone } from '../../frame/session.tsx';
import { Figures } from '../../operations/panel.tsx';
import { dayText, startOf } from '../../parts/zoned-time.ts';
import { number } from '../../parts/lists/values.tsx';
import { TEXTS } from '../../texts.ts';
import { pText } from '../figure-texts.ts';
import { arrivalSeries } from './arrival-series.ts';
import type { ExperimentResults } from './verdict.ts';

const texts = TEXTS.experiment;

/** When players came, by phase, and the days on which their numbers do not match the weights. */
export function Arrivals({ results: { sample_ratio_by_day: days } }: { results: ExperimentResults }) {
  const zone = useZone();
  const broken = days.filter(({ mismatch }) => mismatch);
  if (days.length === 0) return null;
  const { at, series } = arrivalSeries(days, texts.phaseLine);
  const starts = at.map((day) => startOf(zone, day));
  const isToday = at.at(-1) === dayText(zone, Date.now());
  return (
    <section>
      <Title order={2} size="h5" mb="xs">
        {texts.days}
      </Title>
      {broken.length === 0 ? null : (
        <>
          <Text fw={600}>{texts.badDays}</Text>
          <Figures
            label={texts.badDays}
            heads={[texts.dayColumns.day, texts.dayColumns.phase, texts.dayColumns.players, texts.dayColumns.p]}
            rows={broken.map(({ day, phase, players, p_adjusted: p }) => ({
              key: `${day} ${phase}`,
              cells: [day, phase, number(players), pText(p)],
            }))}
          />
        </>
      )}
      <AnnotatedChart
        label={texts.days}
        at={starts}
        series={series}
        partialFrom={isToday ? (starts.at(-1) ?? null) : null}
      />
    </section>
  );
}
