import { Alert, Card, Loader, Text, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { call } from '../frame/api.ts';
import { unfinishedOf } from '../conditions/unfinished.ts';
import { parseObject } from '../parts/editors/json-text.ts';
import { Warnings } from '../parts/drafts/saved.tsx';
import { Fault } from '../parts/states.tsx';
import { number } from '../parts/lists/values.tsx';
import { isAtLeast, usePlace } from '../frame/session.tsx';
import { TEXTS } from '../texts.ts';
import { type EditedSegment, linesOf } from './edited-segment.ts';

const texts = TEXTS.segment;
/** How long after the last key the players are counted: a game may run two previews at a time. */
const TYPING_MS = 600;

/** How many players the edited condition has, counted while it is typed. */
export function LiveSize({ edited }: { edited: EditedSegment }) {
  const { scope, role } = usePlace();
  const [{ conditions, includes, excludes }] = useDebouncedValue(edited, TYPING_MS);
  const parsed = parseObject(conditions);
  const condition = parsed === undefined || unfinishedOf(parsed).length > 0 ? undefined : parsed;
  const mayPreview = isAtLeast(role, 'analyst');
  const query = useQuery({
    queryKey: ['preview', scope.game, scope.environment, conditions, includes, excludes],
    queryFn: ({ signal }) =>
      call(scope, 'POST /v1/segments/segments/preview', {
        body: { conditions: condition, includes: linesOf(includes), excludes: linesOf(excludes) },
        signal,
      }),
    enabled: mayPreview && condition !== undefined,
    placeholderData: keepPreviousData,
    staleTime: 5_000,
  });
  const { data: found, error } = query;
  return (
    <Card withBorder>
      <Title order={2} size="h5" mb="xs">
        {texts.size} {query.isFetching ? <Loader size="xs" aria-label={texts.counting} /> : null}
      </Title>
      {mayPreview ? null : <Text c="dimmed">{texts.noPreview}</Text>}
      {condition === undefined ? (
        <Text c="dimmed">{parsed === undefined ? texts.notJson : texts.unfinished}</Text>
      ) : null}
      {error === null || condition === undefined ? null : <Fault error={error} onRetry={() => void query.refetch()} />}
      {found === undefined || error !== null || condition === undefined ? null : (
        <div role="status">
          <Text size="xl" fw={700}>
            {found.exact ? '' : '≈ '}
            {texts.sizeOf(number(found.players), number(found.players_total))}
          </Text>
          <Text size="sm" c="dimmed">
            {found.exact ? texts.exact : texts.estimate(number(found.margin))}
          </Text>
          {found.players_over_budget === 0 ? null : (
            <Alert color="orange" variant="outline" title={texts.overBudget(number(found.players_over_budget))} />
          )}
          {found.examples.length === 0 ? null : (
            <Text size="sm" mt={6} className="mono">
              {texts.examples}: {found.examples.map(({ external_id: id }) => id).join(', ')}
            </Text>
          )}
          {found.warnings === undefined ? null : (
            <Alert color="orange" variant="outline" title={texts.warnings} mt="xs">
              <Warnings warnings={found.warnings} />
            </Alert>
          )}
        </div>
      )}
    </Card>
  );
}
