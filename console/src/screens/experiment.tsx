import {
  Alert,
  Anchor,
  Card,
  Group,
  NativeSelect,
  NumberInput,
  Stack,
  TagsInput,
  Text,
  TextInput,
} from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { call } from '../frame/api.ts';
import { useEventNames } from '../conditions/names.ts';
import { Breakdown, type Choice, DIMENSIONS, MOST_GROUPS } from '../experiments/breakdown.tsx';
import {
  type Aggregate,
  MetricResults,
  type Question,
  type Results,
  useResults,
} from '../experiments/metric-results.tsx';
import { shipped } from '../experiments/ship.ts';
import { type Flag, flagQuery, useFlag } from '../definitions.ts';
import { contentOf } from '../flags/edited-flag.ts';
import { ExposureChart } from '../flags/exposure-chart.tsx';
import { SwitchBadge } from '../parts/editors/switch-badge.tsx';
import { Confirm } from '../parts/editors/confirm.tsx';
import { Diff } from '../parts/drafts/diff.tsx';
import { isMissing } from '../parts/not-there.tsx';
import { noteSaved, SavedNotice } from '../parts/drafts/saved.tsx';
import { Empty, Loaded, Page } from '../parts/states.tsx';
import { number } from '../parts/lists/values.tsx';
import { usePlace } from '../frame/session.tsx';
import { TEXTS } from '../texts.ts';
import { NoFlag } from './flag.tsx';

const texts = TEXTS.experiment;
const AGGREGATES = ['conversion', 'count', 'sum'] as const satisfies readonly Aggregate[];
const WINDOW_DAYS = 7;
const MOST_METRICS = 5;

/** The results of a flag's experiment. What is measured is in the address. */
export function Experiment({ params }: { params: Readonly<Record<string, string | undefined>> }) {
  const key = params['key'] ?? '';
  const query = useFlag(key);
  if (isMissing(query.error)) return <NoFlag flagKey={key} />;
  return (
    <Page
      title={texts.of(key)}
      intro={query.data?.name === key ? undefined : query.data?.name}
      actions={query.data === undefined ? null : <Actions flag={query.data} />}
    >
      <Loaded query={query}>{(flag) => <Body flag={flag} />}</Loaded>
    </Page>
  );
}

function Actions({ flag }: { flag: Flag }) {
  const { scope } = usePlace();
  return (
    <>
      <SwitchBadge enabled={flag.enabled} />
      <Anchor
        component={Link}
        href={`/${scope.game}/${scope.environment}/flags/${encodeURIComponent(flag.key)}`}
        underline="always"
      >
        {texts.toFlag}
      </Anchor>
    </>
  );
}

function Body({ flag }: { flag: Flag }) {
  const { scope, mayEdit } = usePlace();
  const [params, setParams] = useSearchParams();
  const [winner, setWinner] = useState<string | undefined>();
  const metrics = params.getAll('metric').slice(0, MOST_METRICS);
  const aggregate = AGGREGATES.find((each) => each === params.get('aggregate')) ?? 'conversion';
  const property = params.get('property') ?? '';
  const windowDays = Number(params.get('window') ?? WINDOW_DAYS);
  const period = params.get('period') === null ? undefined : Number(params.get('period'));
  const set = (name: string, values: readonly string[]): void =>
    setParams(
      (before) => {
        before.delete(name);
        for (const value of values) before.append(name, value);
        return before;
      },
      { replace: true },
    );
  const questions = metrics.map((metric): Question => ({
    key: flag.key,
    metric,
    aggregate,
    property,
    windowDays,
    period,
  }));
  const [main, ...others] = questions;
  const chooseBreakdown = ({ by, metric, isLong }: Partial<Choice>): void => {
    if (metric !== undefined) return set('of', [metric]);
    if (isLong === true) return set('groups', [String(MOST_GROUPS)]);
    set('by', by === undefined ? [] : [by]);
  };
  const first = useResults(main ?? { key: flag.key, metric: '', aggregate, property, windowDays, period });
  return (
    <Stack>
      <SavedNotice place={flagQuery(scope, flag.key)} version={flag.version} />
      <MetricForm asked={{ metrics, aggregate, property, windowDays, period }} results={first.data} set={set} />
      {main === undefined ? (
        <Empty title={texts.choose}>{texts.chooseHelp}</Empty>
      ) : (
        <Loaded query={first}>{(found) => <Checks results={found} />}</Loaded>
      )}
      {questions.map((question, place) => (
        <MetricResults
          key={question.metric}
          question={question}
          {...(place === 0 && mayEdit && period === undefined ? { onShip: setWinner } : {})}
        />
      ))}
      {main === undefined ? null : (
        <Breakdown questions={[main, ...others]} choice={breakdownOf(params)} onChoose={chooseBreakdown} />
      )}
      <ExposureChart flagKey={flag.key} />
      {winner === undefined ? null : <Ship flag={flag} variant={winner} onClose={() => setWinner(undefined)} />}
    </Stack>
  );
}

interface MetricFormProps {
  asked: Pick<Question, 'aggregate' | 'property' | 'windowDays' | 'period'> & { metrics: string[] };
  results: Results | undefined;
  /** Sets a parameter of the address. */
  set: (name: string, values: readonly string[]) => void;
}

function MetricForm({ asked, results, set }: MetricFormProps) {
  const { metrics, aggregate, property, windowDays, period } = asked;
  const names = useEventNames();
  return (
    <Card withBorder>
      <Group align="flex-end">
        <TagsInput
          label={texts.metrics}
          description={texts.metricsHelp}
          style={{ flex: '1 1 280px' }}
          value={metrics}
          data={[...new Set(names)]}
          maxTags={MOST_METRICS}
          onChange={(value) => set('metric', value)}
        />
        <NativeSelect
          label={texts.aggregate}
          value={aggregate}
          data={AGGREGATES.map((each) => ({ value: each, label: texts.aggregates[each] }))}
          onChange={(event) => set('aggregate', [event.currentTarget.value])}
        />
        {aggregate === 'sum' ? (
          <TextInput
            label={texts.property}
            value={property}
            onChange={(event) => set('property', [event.currentTarget.value])}
          />
        ) : null}
        <NumberInput
          label={texts.window}
          w={170}
          min={1}
          allowDecimal={false}
          hideControls
          value={windowDays}
          onChange={(days) => set('window', [String(typeof days === 'number' ? days : WINDOW_DAYS)])}
        />
        {results === undefined ? null : (
          <PeriodSelect
            results={results}
            onChange={(chosen) => set('period', chosen === '' ? [] : [chosen])}
            isCurrent={period === undefined}
          />
        )}
      </Group>
    </Card>
  );
}

/** The breakdown that the address names. */
function breakdownOf(params: URLSearchParams): Choice {
  return {
    by: DIMENSIONS.find((each) => each === params.get('by')),
    metric: params.get('of') ?? '',
    isLong: params.get('groups') === String(MOST_GROUPS),
  };
}

interface PeriodSelectProps {
  results: Results;
  isCurrent: boolean;
  onChange: (period: string) => void;
}

function PeriodSelect({ results, isCurrent, onChange }: PeriodSelectProps) {
  return (
    <NativeSelect
      label={texts.period}
      value={isCurrent ? '' : String(results.period)}
      data={[
        { value: '', label: texts.current },
        ...results.periods.map(({ period, version, started_at: at }) => ({
          value: String(period),
          label: texts.periodOf(period, version, at.slice(0, 16).replace('T', ' ')),
        })),
      ]}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** Whether the results can be trusted: the sample ratio comes first. */
function Checks({ results }: { results: Results }) {
  const { sample_ratio: ratio, excluded_players: excluded, mismatched_players: mismatched } = results;
  const p = ratio.p_value;
  const text = ratio.mismatch ? texts.ratioBroken : p === null ? texts.ratioUnknown : texts.ratioFine;
  return (
    <Alert
      color={ratio.mismatch ? 'red' : p === null ? 'gray' : 'green'}
      variant="outline"
      title={`${texts.ratio}: ${text}`}
      role="status"
    >
      <Text size="sm">{p === null ? '' : texts.p(p < 0.001 ? p.toExponential(1) : p.toFixed(3))}</Text>
      {excluded === 0 ? null : <Text size="sm">{texts.excluded(number(excluded))}</Text>}
      {mismatched === 0 ? null : <Text size="sm">{texts.mismatched(number(mismatched))}</Text>}
    </Alert>
  );
}

/** Changes the flag so that one variant is for everybody, after a look at what changes. */
function Ship({ flag, variant, onClose }: { flag: Flag; variant: string; onClose: () => void }) {
  const { scope } = usePlace();
  const queries = useQueryClient();
  const body = shipped(flag, variant);
  const ship = useMutation({
    mutationFn: () =>
      call(scope, 'PUT /v1/flags/flags/{key}', {
        path: { key: flag.key },
        headers: { 'If-Match': String(flag.version) },
        body: { ...body, flag_type: flag.flag_type },
      }),
    onSuccess: async (saved) => {
      queries.setQueryData(flagQuery(scope, flag.key), saved);
      noteSaved(queries, flagQuery(scope, flag.key), saved);
      await queries.invalidateQueries({ queryKey: ['results'] });
      onClose();
    },
  });
  return (
    <Confirm
      opened
      onClose={onClose}
      title={texts.shipTitle(variant)}
      action={texts.shipOf(variant)}
      size="xl"
      busy={ship.isPending}
      error={ship.error}
      onConfirm={() => ship.mutate()}
    >
      <Text>{texts.shipHelp}</Text>
      <Diff before={contentOf(flag)} after={body} />
    </Confirm>
  );
}
