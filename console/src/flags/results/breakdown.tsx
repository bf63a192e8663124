import { Alert, Badge, Button, Group, NativeSelect, Stack, Table, Text, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type AnswerOf, call } from '../../frame/api.ts';
import { csvText } from '../../../../core/kernel/text/csv-text.ts';
import { download } from '../../parts/lists/csv.ts';
import { ScrollRegion } from '../../parts/scroll-region.tsx';
import { Loaded } from '../../parts/states.tsx';
import { number } from '../../parts/lists/values.tsx';
import { usePlace } from '../../frame/session.tsx';
import { TEXTS } from '../../texts.ts';
import { ControlBadge, FigureCells, figureHeads, mostOf, Verdict } from '../../experiments/figures.tsx';
import { pText } from '../../experiments/figure-texts.ts';
import { isComplete, measureName, metricBody } from '../../experiments/measure.ts';
import type { Question } from './metric-results.tsx';

const texts = TEXTS.results.breakdown;

export const DIMENSIONS = ['segment', 'country', 'platform', 'app_version'] as const;
export type Dimension = (typeof DIMENSIONS)[number];

export const MOST_GROUPS = 20;
const GROUPS = 10;

type Readout = AnswerOf<'POST /v1/flags/flags/{key}/results'>;
type ValueGroup = Readout['groups'][number];
type MetricOf = ValueGroup['metrics'][number];

export interface Choice {
  by: Dimension | undefined;
  /** The metric whose table is shown; one that is not measured: the first. */
  metric: string;
  /** Whether as many groups as possible are shown. */
  isLong: boolean;
}

interface BreakdownProps {
  /** The metrics, of one flag and period. */
  questions: readonly [Question, ...Question[]];
  choice: Choice;
  onChoose: (choice: Partial<Choice>) => void;
}

/** The variants by what players have in common. All metrics are asked at once. */
export function Breakdown({ questions, choice, onChoose }: BreakdownProps) {
  const { by } = choice;
  const [first] = questions;
  const place = Math.max(
    0,
    questions.findIndex(({ metric }) => metric === choice.metric),
  );
  return (
    <section>
      <Title order={2} size="h5" mb="xs">
        {texts.title}
      </Title>
      <Stack gap="xs">
        <Group align="flex-end">
          <NativeSelect
            label={texts.by}
            value={by ?? ''}
            data={[
              { value: '', label: texts.none },
              ...DIMENSIONS.map((each) => ({ value: each, label: texts.dimensions[each] })),
            ]}
            onChange={({ currentTarget: { value } }) => onChoose({ by: DIMENSIONS.find((each) => each === value) })}
          />
          {by === undefined || questions.length === 1 ? null : (
            <NativeSelect
              label={texts.metric}
              value={questions[place]?.metric ?? first.metric}
              data={questions.map(({ metric }) => metric)}
              onChange={(event) => onChoose({ metric: event.currentTarget.value })}
            />
          )}
        </Group>
        {by === undefined ? null : (
          <Groups
            questions={questions}
            by={by}
            place={place}
            isLong={choice.isLong}
            onLong={() => onChoose({ isLong: true })}
          />
        )}
      </Stack>
    </section>
  );
}

interface GroupsProps extends Pick<BreakdownProps, 'questions'> {
  by: Dimension;
  /** The place of the metric that is shown. */
  place: number;
  isLong: boolean;
  onLong: () => void;
}

function Groups({ questions, by, place, isLong, onLong }: GroupsProps) {
  const { scope } = usePlace();
  const [{ key, windowDays, minAgeDays, period, percentage }] = questions;
  const metrics = questions.map(({ measure, metric }) => metricBody(measure, metric));
  const age = minAgeDays === 0 ? undefined : minAgeDays;
  const limit = isLong ? MOST_GROUPS : GROUPS;
  const body = { metrics, by, limit, window_days: windowDays, min_exposure_age_days: age, period, percentage };
  const query = useQuery({
    queryKey: ['results', scope.game, scope.environment, key, body],
    queryFn: ({ signal }) => call(scope, 'POST /v1/flags/flags/{key}/results', { path: { key }, body, signal }),
    enabled: questions.every(({ measure, metric }) => isComplete(measure, metric)),
    placeholderData: keepPreviousData,
  });
  return (
    <Loaded query={query}>
      {(found) =>
        found.groups.length === 0 ? (
          <Text c="dimmed">{texts.empty}</Text>
        ) : (
          <Stack gap="xs">
            <Notes readout={found} by={by} place={place} />
            <GroupsTable readout={found} by={by} place={place} />
            <Group>
              <Text size="sm">{texts.shown(found.groups.length, number(found.groups_found))}</Text>
              {isLong || found.groups_found <= found.groups.length ? null : (
                <Button size="xs" variant="default" onClick={onLong}>
                  {texts.more(MOST_GROUPS)}
                </Button>
              )}
              <Button
                size="xs"
                variant="default"
                onClick={() => download(texts.csvName(key, by), csvText(texts.header, csvRows(found)))}
              >
                {texts.csv}
              </Button>
            </Group>
          </Stack>
        )
      }
    </Loaded>
  );
}

/** What to keep in mind: chance among many comparisons, broken ratios and small groups. */
function Notes({ readout: { groups }, by, place }: { readout: Readout; by: Dimension; place: number }) {
  const compared = groups
    .flatMap(({ metrics }) => metrics[place]?.variants ?? [])
    .filter(({ p_value: p }) => p !== null).length;
  return (
    <Alert color="yellow" variant="outline" title={texts.comparisons(compared, (compared * 0.05).toFixed(1))}>
      <Text size="sm">
        {texts.help} {by === 'segment' ? texts.segments : ''}
      </Text>
      {groups.some(({ sample_ratio: { mismatch } }) => mismatch) ? <Text size="sm">{texts.ratioHelp}</Text> : null}
      {groups.some(({ too_small: isSmall }) => isSmall) ? <Text size="sm">{texts.tooSmallHelp}</Text> : null}
    </Alert>
  );
}

function GroupsTable({ readout: { groups }, by, place }: { readout: Readout; by: Dimension; place: number }) {
  const metricOf = ({ metrics }: ValueGroup): MetricOf | undefined => metrics[place];
  const found = groups.map(metricOf).find((each) => each !== undefined);
  const metric = found === undefined ? '' : measureName(found.aggregate, found.metric ?? '');
  // Small groups have intervals so wide that beside them all others would look alike.
  const large = groups.filter(({ too_small: isSmall }) => !isSmall);
  const most = mostOf(
    (large.length === 0 ? groups : large).flatMap((group) => {
      const own = metricOf(group);
      return own === undefined ? [] : [...own.variants, ...own.sequential];
    }),
  );
  const heads = [texts.group[by], texts.variant, ...figureHeads()];
  return (
    <ScrollRegion label={texts.label(metric, texts.dimensions[by])}>
      <Table aria-label={texts.label(metric, texts.dimensions[by])} verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            {heads.map((label) => (
              <Table.Th key={label}>{label}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        {groups.map((group) => (
          <GroupRows key={group.value} group={group} metric={metricOf(group)} by={by} most={most} />
        ))}
      </Table>
    </ScrollRegion>
  );
}

interface GroupRowsProps {
  group: ValueGroup;
  metric: MetricOf | undefined;
  by: Dimension;
  most: number;
}

function GroupRows({ group, metric, by, most }: GroupRowsProps) {
  const variants = metric?.variants ?? [];
  const canDecide = !group.too_small && !group.sample_ratio.mismatch;
  return (
    <Table.Tbody>
      {variants.map((variant, place) => {
        const anytime = metric?.sequential.find(({ variant_key: key }) => key === variant.variant_key);
        return (
          <Table.Tr key={variant.variant_key}>
            {place > 0 ? null : (
              <Table.Th scope="rowgroup" rowSpan={variants.length} style={{ verticalAlign: 'top' }}>
                <GroupHead group={group} by={by} />
              </Table.Th>
            )}
            <Table.Th scope="row" fw={400}>
              {variant.variant_key} {place === 0 ? <ControlBadge /> : canDecide ? <Verdict anytime={anytime} /> : null}
            </Table.Th>
            <FigureCells
              variant={variant}
              anytime={anytime}
              aggregate={metric?.aggregate ?? 'conversion'}
              most={most}
            />
          </Table.Tr>
        );
      })}
    </Table.Tbody>
  );
}

/** The value of a group, and whether its results can be trusted. */
function GroupHead({
  group: { value, too_small: isSmall, sample_ratio: ratio },
  by,
}: {
  group: ValueGroup;
  by: Dimension;
}) {
  const state = ratio.mismatch ? 'ratioBroken' : ratio.p_value === null ? 'ratioUnknown' : 'ratioFine';
  const color = { ratioBroken: 'red', ratioUnknown: 'gray', ratioFine: 'green' }[state];
  return (
    <Stack gap={4} align="flex-start">
      {value === null || value === '' ? (
        <Text span fs="italic" size="sm">
          {texts.unknown[by]}
        </Text>
      ) : (
        <span className="break-anywhere">{value}</span>
      )}
      <Badge variant="outline" tt="none" size="sm" miw="max-content" color={color} title={pText(ratio.p_value)}>
        {texts[state]}
      </Badge>
      {isSmall ? (
        <Badge variant="outline" tt="none" size="sm" miw="max-content" color="yellow">
          {texts.tooSmall}
        </Badge>
      ) : null}
    </Stack>
  );
}

/** All metrics, with a row for each group and variant. */
function csvRows({ groups }: Readout) {
  return groups.flatMap((group) =>
    group.metrics.flatMap(({ metric, aggregate, property, variants, sequential }) =>
      variants.map((variant, place) => [
        metric,
        aggregate,
        property,
        group.value,
        group.too_small,
        group.sample_ratio.p_value,
        group.sample_ratio.mismatch,
        variant.variant_key,
        variant.players,
        variant.conversions,
        variant.sum,
        variant.mean,
        variant.lift,
        variant.ci_low,
        variant.ci_high,
        variant.p_value,
        sequential[place]?.ci_low,
        sequential[place]?.ci_high,
        sequential[place]?.p_value,
      ]),
    ),
  );
}
