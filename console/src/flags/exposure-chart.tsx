import { Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type AnswerOf, call } from '../frame/api.ts';
import { AnnotatedChart } from '../annotations/annotated-chart.tsx';
import { Loaded } from '../parts/states.tsx';
import { usePlace } from '../frame/session.tsx';
import { TEXTS } from '../texts.ts';
import { dayIn, startOfDayIn } from '../../../core/kernel/zoned-days.ts';
import { startOf } from '../parts/zoned-time.ts';

const texts = TEXTS.use;

/** Exposures of a flag by day and variant, as a chart with a table. */
export function ExposureChart({ flagKey }: { flagKey: string }) {
  const { scope, zone } = usePlace();
  const query = useQuery({
    queryKey: ['exposures', scope.game, scope.environment, flagKey],
    queryFn: ({ signal }) =>
      call(scope, 'GET /v1/flags/flags/{key}/exposures', { path: { key: flagKey }, query: { days: 30 }, signal }),
  });
  return (
    <section>
      <Title order={2} size="h5" mb="xs">
        {texts.exposures}
      </Title>
      <Loaded query={query}>
        {(found) =>
          found.days.length === 0 ? (
            <Text c="dimmed">{scope.environment === 'test' ? texts.noneTest : texts.none}</Text>
          ) : (
            <AnnotatedChart label={texts.exposures} {...seriesOf(zone, found)} />
          )
        }
      </Loaded>
    </section>
  );
}

function seriesOf(zone: string, { from, days }: AnswerOf<'GET /v1/flags/flags/{key}/exposures'>) {
  const first = dayIn('UTC', Date.parse(from));
  const count = dayIn(zone, Date.now()) - first + 1;
  const at = Array.from({ length: count }, (_, place) => startOfDayIn(zone, first + place));
  const byVariant = Map.groupBy(days, ({ variant }) => variant);
  const series = [...byVariant].map(([name, ofVariant]) => {
    const counts = new Map(ofVariant.map(({ day, exposures }) => [startOf(zone, day), exposures]));
    return { name: name === 'null' ? texts.noVariant : name, values: at.map((time) => counts.get(time) ?? 0) };
  });
  return { at, series, partialFrom: at.at(-1) ?? null };
}
