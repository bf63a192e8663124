import { Stack, Text } from '@mantine/core';
import { number } from '../../parts/lists/values.tsx';
import { TEXTS } from '../../texts.ts';
import { CohortTable } from '../cohort-table.tsx';
import { NoRows, shareText } from '../no-rows.tsx';
import type { ResultOf } from '../query.ts';

const texts = TEXTS.analytics;

/** Players of each week or month by the days on which they were active. */
export function Stickiness({ result: { intervals } }: { result: ResultOf<'stickiness'> }) {
  if (intervals.every(({ players }) => players === 0)) return <NoRows />;
  const over = intervals.filter(({ is_over: isOver }) => isOver);
  const all = over.reduce((sum, { players }) => sum + players, 0);
  const most = Math.max(...intervals.map(({ days }) => days.length));
  const counts = Array.from({ length: most }, (_, n) => n + 1);
  return (
    <Stack gap="xs">
      <CohortTable
        label={texts.kinds.stickiness}
        first={texts.columns.interval}
        total={texts.allIntervals}
        summary={counts.map((_, place) => {
          const players = over.reduce((sum, { days }) => sum + (days[place]?.players ?? 0), 0);
          return shareText(all === 0 ? null : players / all);
        })}
        most={Math.max(0, ...intervals.flatMap(({ days }) => days.map(({ share }) => share ?? 0)))}
        cohorts={intervals.map(({ day, is_over: isOver, players, days }) => ({
          key: null,
          day: isOver ? day : `${day} (${TEXTS.chart.partial})`,
          players,
          cells: counts.map((count, place) => {
            const { players: active = null, share = null } = days[place] ?? {};
            return {
              column: texts.activeDays(count),
              value: share,
              text: shareText(share),
              title: active === null ? '' : `${number(active)} / ${number(players)}`,
              picked:
                active === null || active === 0
                  ? undefined
                  : { point: { day, days: count }, label: `${texts.activeDays(count)}, ${day}` },
            };
          }),
        }))}
      />
      <Text size="sm" c="dimmed">
        {texts.freshLater}
      </Text>
    </Stack>
  );
}
