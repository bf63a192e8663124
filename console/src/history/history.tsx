import { Badge, Button, Group, List, Stack, Text, TextInput, Title } from '@mantine/core';
import { type QueryKey, useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type AnswerOf, call, changeReason } from '../frame/api.ts';
import { usePlace } from '../frame/session.tsx';
import { Difference } from '../parts/difference.tsx';
import { ConfirmButton } from '../parts/editors/confirm-button.tsx';
import { noteSaved } from '../parts/drafts/saved.tsx';
import { Time } from '../parts/lists/values.tsx';
import { Loaded } from '../parts/states.tsx';
import { TEXTS } from '../texts.ts';

/* The history of any definition: who changed what, when and why, and how to bring a version back. */

const texts = TEXTS.history;

export type Base =
  | '/v1/flags/flags/{key}'
  | '/v1/segments/segments/{id}'
  | '/v1/experiments/experiments/{key}'
  | '/v1/campaigns/campaigns/{id}'
  | '/v1/properties/properties/{key}'
  | '/v1/events/schemas/{event_name}'
  | '/v1/integrations/webhooks/{id}'
  | '/v1/analytics/saved-queries/{key}'
  | '/v1/analytics/annotations/{id}'
  | '/v1/settings';
type Version = AnswerOf<`GET ${Base}/versions`>['versions'][number];

/** What has a history, as the API names it. */
interface Historied {
  base: Base;
  path?: Readonly<Record<string, string>>;
  /** The version that the screen shows. */
  version: number;
}

interface HistoryProps extends Historied {
  /** Whether this person may restore a version. */
  mayRestore: boolean;
  /** What is read again after a restoration: the first parts of the keys. */
  renews: readonly QueryKey[];
  /** Where the screen says that something was saved. */
  place?: readonly string[];
}

/** A version that was just made is there a second or two later. */
const LATE_MS = 1_000;

export function History({ mayRestore, renews, place, ...of }: HistoryProps) {
  const { scope } = usePlace();
  const { base, path, version } = of;
  const found = useInfiniteQuery({
    queryKey: ['history', scope.game, scope.environment, base, path, version],
    queryFn: ({ pageParam, signal }) =>
      call(scope, `GET ${base}/versions`, { path, query: { cursor: pageParam }, signal }),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor: next }) => next,
    refetchInterval: ({ state }) => (isBehind(state.data?.pages[0]) ? LATE_MS : false),
  });
  return (
    <Stack component="section" aria-labelledby="history" gap="sm">
      <Title order={2} size="h5" id="history">
        {texts.title}
      </Title>
      <Loaded query={found}>
        {({ pages }) => (
          <>
            {isBehind(pages[0]) ? <Text c="dimmed">{texts.behind}</Text> : null}
            <List listStyleType="none" spacing="md" aria-label={texts.title}>
              {pages
                .flatMap(({ versions }) => versions)
                .map((one) => (
                  <List.Item key={`${one.version} ${one.at}`}>
                    <Entry one={one}>
                      {mayRestore && one.version !== version && one.action !== 'deleted' ? (
                        <Restore of={of} wanted={one.version} renews={renews} place={place} />
                      ) : null}
                    </Entry>
                  </List.Item>
                ))}
            </List>
            {found.hasNextPage ? (
              <Button
                variant="default"
                w="fit-content"
                loading={found.isFetchingNextPage}
                onClick={() => void found.fetchNextPage()}
              >
                {texts.more}
              </Button>
            ) : null}
          </>
        )}
      </Loaded>
    </Stack>
  );
}

/** Whether the list does not have the current version yet. */
function isBehind(page: AnswerOf<`GET ${Base}/versions`> | undefined): boolean {
  if (page === undefined || page.current_version === null) return false;
  return (page.versions[0]?.version ?? 0) < page.current_version;
}

function Entry({ one, children }: { one: Version; children: React.ReactNode }) {
  const { made_by: by, reason, difference } = one;
  return (
    <Stack gap={4}>
      <Group gap="xs">
        <Badge variant="default" tt="none">
          {texts.version(one.version)}
        </Badge>
        <Text size="sm" component="span">
          <Time at={one.at} /> · {by.email ?? texts.by[by.kind](by.id)}
        </Text>
        {children}
      </Group>
      {reason === null ? null : <Text size="sm">{texts.reason(reason)}</Text>}
      {one.confirmed ? null : (
        <Text size="sm" c="dimmed">
          {texts.unconfirmed}
        </Text>
      )}
      <Difference lines={difference} />
    </Stack>
  );
}

interface RestoreProps {
  of: Historied;
  wanted: number;
  renews: readonly QueryKey[];
  place: readonly string[] | undefined;
}

function Restore({ of: { base, path, version }, wanted, renews, place }: RestoreProps) {
  const { scope } = usePlace();
  const queries = useQueryClient();
  const [why, setWhy] = useState('');
  const restore = useMutation({
    mutationFn: () =>
      call(scope, `POST ${base}/restore`, {
        path,
        body: { version: wanted },
        headers: { 'If-Match': String(version), ...changeReason(why) },
      }),
    async onSuccess(saved) {
      if (place !== undefined) noteSaved(queries, place, saved);
      await Promise.all(renews.map((queryKey) => queries.invalidateQueries({ queryKey })));
    },
  });
  return (
    <ConfirmButton
      action={texts.restore}
      title={texts.restoreTitle(wanted)}
      busy={restore.isPending}
      error={restore.error}
      onConfirm={(close) => restore.mutate(undefined, { onSuccess: close })}
      onClose={() => restore.reset()}
    >
      <RestorePreview base={base} path={path} version={wanted} />
      <TextInput
        label={texts.why}
        value={why}
        maxLength={500}
        onChange={(event) => setWhy(event.currentTarget.value)}
      />
    </ConfirmButton>
  );
}

/** What the restoration of a version would change, in the service's words. */
export function RestorePreview({
  base,
  path,
  version,
}: Pick<Historied, 'base' | 'version'> & { path: Historied['path'] | undefined }) {
  const { scope } = usePlace();
  const preview = useQuery({
    queryKey: ['restore preview', scope.game, scope.environment, base, path, version],
    queryFn: ({ signal }) => call(scope, `POST ${base}/restore/preview`, { path, body: { version }, signal }),
    gcTime: 0,
    retry: false,
  });
  return (
    <Loaded query={preview} rows={2}>
      {({ difference, notes, edit_effect: effect }) => (
        <Stack gap="xs">
          <Text fw={600}>{texts.changes}</Text>
          <Difference lines={difference} />
          {notes.map((note) => (
            <Text key={note} size="sm">
              {note}
            </Text>
          ))}
          {effect === 'reassigns' ? <Text fw={600}>{texts.reassigns}</Text> : null}
        </Stack>
      )}
    </Loaded>
  );
}
