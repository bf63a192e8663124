import { Alert, Card, Code, NativeSelect, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'wouter';
import { call } from '../frame/api.ts';
import { Empty, Loaded, Page } from '../parts/states.tsx';
import { number } from '../parts/lists/values.tsx';
import { CalibrationPanel, ComparisonPanel } from '../scoring/calibration.tsx';
import { DriftPanel } from '../scoring/drift.tsx';
import type { ScoringReport } from '../scoring/scoring-report.ts';
import { VolumePanel } from '../scoring/volume.tsx';
import { usePlace } from '../frame/session.tsx';
import { TEXTS } from '../texts.ts';

const texts = TEXTS.scoring;
const RANGES = ['1', '7', '14', '31'] as const;
const DEFAULT = '7';

/** Whether the scoring model is still right. The range and the input shown are in the address. */
export function Scoring() {
  const { scope } = usePlace();
  const { game, environment } = scope;
  const [search, setSearch] = useSearchParams();
  const days = RANGES.find((range) => range === search.get('days')) ?? DEFAULT;
  const report = useQuery({
    queryKey: ['scoring', game, environment, days],
    queryFn: ({ signal }) => call(scope, 'GET /v1/scoring/report', { query: { days }, signal }),
    placeholderData: keepPreviousData,
  });
  const set = (name: string, value: string): void =>
    setSearch((before) => {
      const next = new URLSearchParams(before);
      next.set(name, value);
      return next;
    });
  return (
    <Page
      title={texts.title}
      intro={texts.intro}
      actions={
        <NativeSelect
          label={texts.days}
          size="xs"
          value={days}
          data={[...RANGES]}
          onChange={(event) => set('days', event.currentTarget.value)}
        />
      }
    >
      <Loaded query={report} rows={8}>
        {(found) => (
          <>
            <SimpleGrid cols={{ base: 1, md: 3 }}>
              <ModelCard title={texts.current} model={found.current} missing={texts.noModel} />
              <ModelCard
                title={texts.challenger}
                model={found.challenger}
                missing={`${texts.noChallenger} ${texts.challengerHelp}`}
              />
              <LatencyCard latency={found.latency} />
            </SimpleGrid>
            {found.current?.trained_on === 'synthetic' ? (
              <Alert color="yellow" variant="outline">
                {texts.synthetic}
              </Alert>
            ) : null}
            {found.scores.length === 0 ? (
              <Empty title={texts.empty}>{environment === 'live' ? texts.emptyHelp : texts.testEmpty}</Empty>
            ) : (
              <>
                <CalibrationPanel rows={found.calibration} />
                <DriftPanel rows={found.drift} shown={search.get('input')} onShow={(input) => set('input', input)} />
                <ComparisonPanel rows={found.comparisons} />
                <VolumePanel rows={found.scores} />
              </>
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
}

function ModelCard({ title, model, missing }: { title: string; model: ScoringReport['current']; missing: string }) {
  return (
    <Card withBorder component="section" aria-label={title}>
      <Title order={2} size="h5">
        {title}
      </Title>
      {model === null ? (
        <Text size="sm" c="dimmed">
          {missing}
        </Text>
      ) : (
        <Stack gap={2}>
          <Text fw={600}>{model.name}</Text>
          <Text size="sm">
            {texts.version} <Code>{model.version}</Code>
          </Text>
          <Text size="sm">
            {texts.trainedOn}: {model.trained_on}
          </Text>
          <Text size="sm">
            {texts.threshold}:{' '}
            {Object.entries(model.thresholds)
              .map(([bucket, least]) => `${bucket} ${least.toFixed(3)}`)
              .join(', ')}
          </Text>
        </Stack>
      )}
    </Card>
  );
}

function LatencyCard({ latency }: { latency: ScoringReport['latency'] }) {
  const ms = (value: number | null): string => (value === null ? TEXTS.operations.unknown : texts.ms(value));
  return (
    <Card withBorder component="section" aria-label={texts.latency}>
      <Title order={2} size="h5">
        {texts.latency}
      </Title>
      <Text fw={600}>
        {TEXTS.operations.p50} {ms(latency.p50_ms)} · {TEXTS.operations.p99} {ms(latency.p99_ms)}
      </Text>
      <Text size="sm" c="dimmed">
        {texts.latencyHelp(number(latency.scores))}
      </Text>
    </Card>
  );
}
