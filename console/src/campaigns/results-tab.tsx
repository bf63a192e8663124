import { Button, Card, Group, NumberInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { type AnswerOf, call } from '../frame/api.ts';
import { Figures } from '../operations/panel.tsx';
import { IntervalChart, Meter } from '../parts/charts/bars.tsx';
import { isMissing } from '../parts/not-there.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { percent } from '../parts/charts/units.ts';
import { number } from '../parts/lists/values.tsx';
import { usePlace } from '../frame/session.tsx';
import { TEXTS } from '../texts.ts';
import { Clicks, VariantsBeside } from './variant-results.tsx';

const texts = TEXTS.campaign;
const STEPS = ['triggered', 'sent', 'shown', 'clicked', 'dismissed'] as const;
const FIGURES = ['conversion_rate', 'payer_rate', 'revenue_per_player'] as const;
const REFRESH_MS = 10_000;
const WINDOW_HOURS = 168;

type Results = AnswerOf<'GET /v1/campaigns/campaigns/{id}/results'>;
type Compared = NonNullable<Results['comparison']>[(typeof FIGURES)[number]];

interface ResultsTabProps {
  id: string;
  /** The conversion event and the window, from the address. */
  event: string;
  hours: string;
  onChoose: (event: string, hours: string) => void;
}

/** The funnel of a campaign beside its holdout, and why players got nothing. */
export function ResultsTab({ id, event, hours, onChoose }: ResultsTabProps) {
  const { scope } = usePlace();
  const results = useQuery({
    queryKey: ['campaign-results', scope.game, scope.environment, id, event, hours],
    queryFn: ({ signal }) =>
      call(scope, 'GET /v1/campaigns/campaigns/{id}/results', {
        path: { id },
        query: { conversion_event: event, window_hours: hours },
        signal,
      }),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });
  if (isMissing(results.error)) return <Empty title={texts.missing}>{texts.missingHelp}</Empty>;
  return (
    <Stack>
      <Choice key={`${event} ${hours}`} event={event} hours={hours} onChoose={onChoose} />
      <Loaded query={results}>
        {(found) =>
          found.steps.triggered.times === 0 && found.suppressed.length === 0 ? (
            <Empty title={texts.noResults}>{texts.noResultsHelp}</Empty>
          ) : (
            <Stack>
              <Funnel results={found} />
              <Clicks buttons={found.buttons} />
              {found.variants === null ? null : <VariantsBeside results={found.variants} />}
              <Beside results={found} hasEvent={event !== ''} />
              <Suppressed results={found} />
            </Stack>
          )
        }
      </Loaded>
    </Stack>
  );
}

function Choice({ event, hours, onChoose }: Pick<ResultsTabProps, 'event' | 'hours' | 'onChoose'>) {
  const [name, setName] = useState(event);
  const [window, setWindow] = useState<string | number>(hours === '' ? WINDOW_HOURS : Number(hours));
  const submit = (submitted: FormEvent): void => {
    submitted.preventDefault();
    onChoose(name.trim(), String(window));
  };
  return (
    <form onSubmit={submit}>
      <Group align="flex-end">
        <TextInput label={texts.conversion} value={name} onChange={(changed) => setName(changed.currentTarget.value)} />
        <NumberInput label={texts.window} min={1} max={2_160} hideControls value={window} onChange={setWindow} />
        <Button type="submit" variant="default">
          {texts.apply}
        </Button>
      </Group>
    </form>
  );
}

function Funnel({ results: { steps, arms, conversion_event: event } }: { results: Results }) {
  const all = steps.triggered.players;
  const rows = [
    ...STEPS.map((name) => ({ name: texts.stepNames[name], ...steps[name] })),
    ...(arms === null || event === null
      ? []
      : [{ name: texts.stepNames.converted, players: arms.treatment.converted, times: arms.treatment.converted }]),
  ];
  return (
    <Card withBorder component="section" aria-label={texts.steps}>
      <Title order={2} size="h5">
        {texts.steps}
      </Title>
      <Figures
        label={texts.steps}
        heads={[texts.step, texts.players, texts.times, texts.share, texts.bar]}
        rows={rows.map(({ name, players, times }) => ({
          key: name,
          cells: [
            name,
            number(players),
            number(times),
            all === 0 ? texts.unknown : percent(players / all),
            <Meter key="bar" share={all === 0 ? 0 : players / all} label={name} />,
          ],
        }))}
      />
    </Card>
  );
}

function Beside({ results: { arms, comparison }, hasEvent }: { results: Results; hasEvent: boolean }) {
  if (arms === null || comparison === null) return <Text c="dimmed">{texts.noArms}</Text>;
  const withInterval = FIGURES.flatMap((name) => {
    const { low, lift, high } = comparison[name];
    if (low === null || lift === null || high === null) return [];
    return [{ name: texts.figures[name], low, value: lift, high }];
  });
  const inside = arms.treatment.inside + arms.holdout.inside;
  return (
    <Card withBorder component="section" aria-label={texts.beside}>
      <Title order={2} size="h5">
        {texts.beside}
      </Title>
      <Text size="sm" c="dimmed">
        {texts.besideHelp}
      </Text>
      {withInterval.length === 0 ? null : <IntervalChart label={texts.lift} rows={withInterval} zero />}
      <Figures
        label={texts.beside}
        heads={[
          texts.figure,
          `${texts.treatment} (${number(arms.treatment.players)})`,
          `${texts.held} (${number(arms.holdout.players)})`,
          texts.lift,
          texts.interval,
          texts.pValue,
        ]}
        rows={FIGURES.map((name) => ({ key: name, cells: figureCells(name, comparison[name]) }))}
      />
      {hasEvent ? null : <Text size="sm">{texts.needsEvent}</Text>}
      {inside === 0 ? null : <Text size="sm">{texts.inside(inside)}</Text>}
    </Card>
  );
}

function figureCells(name: (typeof FIGURES)[number], { treatment, holdout, lift, low, high, p_value: p }: Compared) {
  const figure = (value: number | null): string => {
    if (value === null) return texts.unknown;
    return name === 'revenue_per_player' ? value.toFixed(2) : percent(value);
  };
  const signed = (value: number): string => `${value > 0 ? '+' : ''}${percent(value)}`;
  return [
    texts.figures[name],
    figure(treatment),
    figure(holdout),
    lift === null ? texts.unknown : signed(lift),
    low === null || high === null ? texts.unknown : `${signed(low)} … ${signed(high)}`,
    p === null ? texts.unknown : p.toFixed(3),
  ];
}

function Suppressed({ results: { suppressed } }: { results: Results }) {
  return (
    <Card withBorder component="section" aria-label={texts.suppressed}>
      <Title order={2} size="h5">
        {texts.suppressed}
      </Title>
      <Text size="sm" c="dimmed">
        {texts.suppressedHelp}
      </Text>
      {suppressed.length === 0 ? (
        <Text size="sm">{texts.nothingSuppressed}</Text>
      ) : (
        <Figures
          label={texts.suppressed}
          heads={[texts.reason, texts.meaning, texts.players, texts.times]}
          rows={suppressed.map(({ reason, players, times }) => ({
            key: reason,
            cells: [reason, texts.reasons[reason] ?? '', number(players), number(times)],
          }))}
        />
      )}
    </Card>
  );
}
