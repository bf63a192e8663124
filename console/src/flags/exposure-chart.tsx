import { Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type AnswerOf, call } from '../frame/api.ts';
import { Chart } from '../parts/charts/chart.tsx';
import { Loaded } from '../parts/states.tsx';
import { usePlace } from '../frame/session.tsx';
import { TEXTS } from '../texts.ts';
import { DAY_MS } from '../parts/charts/units.ts';

const texts = TEXTS.use;

/** Exposures of a flag by day and variant, as a chart with a table. */
export function ExposureChart({ flagKey }: { flagKey: string }) {
  const { scope } = usePlace();
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
            <Chart label={texts.exposures} {...seriesOf(found)} />
          )
        }
      </Loaded>
    </section>
  );
}

function seriesOf({ from, days }: AnswerOf<'GET /v1/flags/flags/{key}/exposures'>) {
  const first = Date.parse(from);
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const at = Array.from({ length: (today - first) / DAY_MS + 1 }, (_, place) => first + place * DAY_MS);
  const byVariant = Map.groupBy(days, ({ variant }) => variant);
  const series = [...byVariant].map(([name, ofVariant]) => {
    const counts = new Map(ofVariant.map(({ day, exposures }) => [Date.parse(day), exposures]));
    return { name: name === 'null' ? texts.noVariant : name, values: at.map((time) => counts.get(time) ?? 0) };
  });
  return { at, series, partialFrom: today };
}
