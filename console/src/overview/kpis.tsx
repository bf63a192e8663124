import { Card, SimpleGrid, Skeleton, Stack, Text, Title, UnstyledButton } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';
import { ask } from '../analytics/ask.ts';
import type { ResultOf } from '../analytics/query.ts';
import { METRICS } from '../../../core/vocabulary/metrics/metrics.ts';
import type { BodyOf, Scope } from '../frame/api.ts';
import { AnnotatedChart } from '../annotations/annotated-chart.tsx';
import { Fault } from '../parts/states.tsx';
import { money, number } from '../parts/lists/values.tsx';
import { usePlace } from '../frame/session.tsx';
import { weekBefore } from '../parts/zoned-time.ts';
import { BuiltTo } from '../parts/built-to.tsx';
import { daysBehind } from '../parts/days-behind.ts';
import { TEXTS } from '../texts.ts';
import { type KpiName, KPIS, kpiQuery } from './kpi-query.ts';

const texts = TEXTS.overview;

const WEEK = 7;
const REFRESH_MS = 60_000;
/** Last week's time is rounded down to this, so that the same query is sent for a while and its answer is cached. */
const STEP_MS = 5 * 60_000;

const formatOf = (name: KpiName): ((value: number) => string) => (METRICS[name].unit === 'money' ? money : number);

interface Kpi {
  /** Up to when the days are built, of figures that read them. */
  builtTo: string | null | undefined;
  points: readonly { at: number; value: number }[];
  today: number;
  /** The same weekday last week: up to this time, and as a whole. */
  before: { soFar: number; whole: number };
}

/** Figures of today compared with the same weekday last week, and four weeks of the one that the address names. */
export function Kpis() {
  const { scope, zone, currency } = usePlace();
  const [location, navigate] = useLocation();
  const search = useSearch();
  const named = new URLSearchParams(search).get('kpi');
  const chosen = KPIS.find((name) => name === named) ?? 'active_players';
  const found = useQueries({
    queries: KPIS.map((name) => ({
      queryKey: ['kpi', scope.game, scope.environment, zone, name],
      queryFn: ({ signal }: { signal: AbortSignal }) => load(scope, zone, name, signal),
      refetchInterval: REFRESH_MS,
      staleTime: REFRESH_MS,
    })),
  });
  const failed = found.find(({ error }) => error !== null);
  const oldest = found.reduce((worst, one) => (behindOf(one) > behindOf(worst) ? one : worst));
  const points = found[KPIS.indexOf(chosen)]?.data?.points;
  const at = useMemo(() => points?.map((point) => point.at) ?? [], [points]);
  const series = useMemo(
    () => (points === undefined ? [] : [{ name: METRICS[chosen].title, values: points.map(({ value }) => value) }]),
    [points, chosen],
  );
  return (
    <Card withBorder component="section" aria-labelledby="kpis">
      <Stack gap="sm">
        <div>
          <Title order={2} size="h5" id="kpis">
            {texts.today}
          </Title>
          <Text size="sm" c="dimmed">
            {texts.partial(zone, currency)}
          </Text>
        </div>
        <BuiltTo builtTo={oldest.data?.builtTo} answeredAt={oldest.dataUpdatedAt} />
        {failed === undefined || failed.error === null ? null : (
          <Fault error={failed.error} onRetry={() => void failed.refetch()} />
        )}
        <SimpleGrid cols={{ base: 2, sm: 3, md: 5 }} spacing="xs">
          {KPIS.map((name, place) => (
            <UnstyledButton
              key={name}
              className="kpi"
              aria-pressed={name === chosen}
              onClick={() => navigate(`${location}?kpi=${name}`, { replace: true })}
            >
              <Text size="sm" c="dimmed">
                {METRICS[name].title}
              </Text>
              <Figures kpi={found[place]?.data} format={formatOf(name)} />
            </UnstyledButton>
          ))}
        </SimpleGrid>
        {points === undefined ? (
          <Skeleton height={260} aria-busy="true" />
        ) : (
          <AnnotatedChart
            label={METRICS[chosen].title}
            at={at}
            series={series}
            partialFrom={at.at(-1) ?? null}
            format={formatOf(chosen)}
          />
        )}
      </Stack>
    </Card>
  );
}

const behindOf = ({ data, dataUpdatedAt }: { data: Kpi | undefined; dataUpdatedAt: number }): number =>
  daysBehind(data?.builtTo, dataUpdatedAt) ?? 0;

function Figures({ kpi, format }: { kpi: Kpi | undefined; format: (value: number) => string }) {
  if (kpi === undefined) return <Skeleton height={64} mt={4} aria-busy="true" />;
  const { today, before } = kpi;
  return (
    <>
      <Text size="xl" fw={700}>
        {format(today)}
      </Text>
      <Text size="xs">{changeText(today, before.soFar)}</Text>
      <Text size="xs" c="dimmed">
        {texts.lastWeek(format(before.soFar), format(before.whole))}
      </Text>
    </>
  );
}

function changeText(now: number, before: number): string {
  if (before === now) return texts.asBefore;
  if (before === 0) return texts.noneBefore;
  const change = Math.round(((now - before) / before) * 100);
  return texts.change(`${change > 0 ? '▲ +' : change < 0 ? '▼ ' : '±'}${change} %`);
}

async function load(scope: Scope, zone: string, name: KpiName, signal: AbortSignal): Promise<Kpi> {
  const now = Math.floor(Date.now() / STEP_MS) * STEP_MS;
  const { points: whole, builtTo } = await trend(scope, kpiQuery(name), signal);
  const points = whole.map(({ at, value }) => ({ at: Date.parse(at), value: value ?? 0 }));
  const today = points.at(-1);
  const weekAgo = points.at(-1 - WEEK);
  if (today === undefined || weekAgo === undefined) throw new Error('a trend of 28 days has 28 points');
  const from = new Date(weekAgo.at).toISOString();
  // At midnight there is nothing before this time yet.
  const to = new Date(Math.max(weekBefore(zone, now), weekAgo.at + 1)).toISOString();
  const { points: soFar } = await trend(
    scope,
    { kind: 'trend', interval: 'day', metric: name, from, to, cut: true },
    signal,
  );
  return { builtTo, points, today: today.value, before: { soFar: soFar[0]?.value ?? 0, whole: weekAgo.value } };
}

type Body = BodyOf<'POST /v1/analytics/queries'>;

async function trend(
  scope: Scope,
  body: Body,
  signal: AbortSignal,
): Promise<{ points: ResultOf<'trend'>['series'][number]['points']; builtTo: string | null | undefined }> {
  const result = await ask(scope, body, signal);
  if (result.kind !== 'trend') throw new Error(`a trend was asked for, and ${result.kind} answered`);
  return { points: result.series[0]?.points ?? [], builtTo: result.built_to };
}
