import { Alert, Anchor, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { call } from '../frame/api.ts';
import { Breakdown, type Choice, DIMENSIONS, MOST_GROUPS } from '../flags/results/breakdown.tsx';
import { MetricForm, MOST_METRICS } from '../flags/results/metric-form.tsx';
import { WINDOW_DAYS } from '../experiments/measure-fields.tsx';
import { FlagExperiments } from '../experiments/flag-experiments.tsx';
import { hasEvents, isComplete, measureIn, needsEvents } from '../experiments/measure.ts';
import { MetricResults, type Question, type Results, useResults } from '../flags/results/metric-results.tsx';
import { notComparedTexts } from '../experiments/left-out.ts';
import { shipped } from '../flags/results/ship.ts';
import { type Flag, flagQuery, useFlag } from '../definitions.ts';
import { EditEffect } from '../flags/edit-effect.tsx';
import { contentOf } from '../flags/edited-flag.ts';
import { ExposureChart } from '../flags/exposure-chart.tsx';
import { SwitchBadge } from '../parts/editors/switch-badge.tsx';
import { Confirm } from '../parts/editors/confirm.tsx';
import { Diff } from '../parts/drafts/diff.tsx';
import { isMissing } from '../parts/not-there.tsx';
import { noteSaved, SavedNotice } from '../parts/drafts/saved.tsx';
import { Empty, Loaded, Page } from '../parts/states.tsx';
import { usePlace } from '../frame/session.tsx';
import { TEXTS } from '../texts.ts';
import { NoFlag } from './flag.tsx';

const texts = TEXTS.results;

/** The variants of a flag compared. What is measured is in the address. */
export function FlagResults({ params }: { params: Readonly<Record<string, string | undefined>> }) {
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
  const measure = measureIn(params);
  const minAgeDays = Number(params.get('min_age') ?? 0);
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
  const percentage = params.get('percentage') === null ? undefined : Number(params.get('percentage'));
  const asked = { key: flag.key, measure, windowDays, minAgeDays, period, percentage };
  const names = hasEvents(measure.aggregate) ? metrics : [];
  const chosen = names.length === 0 && !needsEvents(measure.aggregate) ? [''] : names;
  const questions = chosen
    .filter((metric) => isComplete(measure, metric))
    .map((metric): Question => ({ ...asked, metric }));
  const [main, ...others] = questions;
  const chooseBreakdown = ({ by, metric, isLong }: Partial<Choice>): void => {
    if (metric !== undefined) return set('of', [metric]);
    if (isLong === true) return set('groups', [String(MOST_GROUPS)]);
    set('by', by === undefined ? [] : [by]);
  };
  const first = useResults(main ?? { ...asked, metric: '' });
  return (
    <Stack>
      <SavedNotice place={flagQuery(scope, flag.key)} version={flag.version} />
      <FlagExperiments flagKey={flag.key} />
      <MetricForm asked={{ ...asked, metrics }} results={first.data} set={set} />
      {main === undefined ? (
        <Empty title={chosen.length === 0 ? texts.choose : texts.incomplete}>{texts.chooseHelp}</Empty>
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

/** The breakdown that the address names. */
function breakdownOf(params: URLSearchParams): Choice {
  return {
    by: DIMENSIONS.find((each) => each === params.get('by')),
    metric: params.get('of') ?? '',
    isLong: params.get('groups') === String(MOST_GROUPS),
  };
}

/** Whether the results can be trusted: the sample ratio comes first. */
function Checks({ results }: { results: Results }) {
  const { sample_ratio: ratio, percentage, reason } = results;
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
      {notComparedTexts(results).map((text) => (
        <Text key={text} size="sm">
          {text}
        </Text>
      ))}
      {reason === null ? null : <Text size="sm">{texts.reasons[reason]}</Text>}
      {percentage === null ? null : <Text size="sm">{texts.percentage(`${percentage} %`)}</Text>}
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
      <EditEffect scope={scope} flagKey={flag.key} body={body} />
    </Confirm>
  );
}
