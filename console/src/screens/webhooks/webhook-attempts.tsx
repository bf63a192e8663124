import { Alert, Anchor, Badge, Button, Group, NativeSelect, Stack, Text, TextInput, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { type AnswerOf, call } from '../../frame/api.ts';
import { useAddressField } from '../../parts/address.ts';
import { type Column, DataTable } from '../../parts/lists/data-table.tsx';
import { Side } from '../../parts/lists/side.tsx';
import { Empty, Fault, Loaded } from '../../parts/states.tsx';
import { Json, number, Time } from '../../parts/lists/values.tsx';
import { usePlace } from '../../frame/session.tsx';
import { TEXTS } from '../../texts.ts';
import type { Webhook, WebhookHealth } from './webhooks.tsx';

const texts = TEXTS.attempts;
const REFRESH_MS = 5_000;
const FILTER_DELAY_MS = 400;
const OUTCOMES = ['delivered', 'failed', 'exhausted', 'dropped', 'overflowed'] as const;
type Attempt = AnswerOf<'GET /v1/integrations/webhooks/{id}/deliveries'>['deliveries'][number];
type Group_ = NonNullable<WebhookHealth['groups']>[number];

/** The delivery attempts of a webhook. The address holds the filters. */
export function WebhookAttempts({ webhook }: { webhook: Webhook }) {
  const { scope } = usePlace();
  const { game, environment } = scope;
  const id = webhook.webhook_id;
  const [outcome, setOutcome] = useAddressField('outcome');
  const [kind, setKind] = useAddressField('kind');
  const [wantedKind] = useDebouncedValue(kind.trim(), FILTER_DELAY_MS);
  const [open, setOpen] = useState<Attempt | undefined>();
  const health = useQuery({
    queryKey: ['webhook-health', game, environment, id],
    queryFn: ({ signal }) => call(scope, 'GET /v1/integrations/webhook-health', { query: { webhook_id: id }, signal }),
    refetchInterval: REFRESH_MS,
  });
  const pages = useInfiniteQuery({
    queryKey: ['attempts', game, environment, id, outcome, wantedKind],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      call(scope, 'GET /v1/integrations/webhooks/{id}/deliveries', {
        path: { id },
        query: { outcome, kind: wantedKind, cursor: pageParam },
        signal,
      }),
    getNextPageParam: ({ next_cursor: cursor }) => cursor,
    // Further pages would be read again each time.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : REFRESH_MS),
  });
  return (
    <Stack>
      <Loaded query={health} rows={2}>
        {({ webhooks: [own] }) => <Summary groups={own?.groups ?? []} />}
      </Loaded>
      <Group align="flex-end">
        <NativeSelect
          label={texts.outcome}
          value={outcome}
          data={[
            { value: '', label: texts.anyOutcome },
            ...OUTCOMES.map((value) => ({ value, label: texts.outcomes[value] })),
          ]}
          onChange={(event) => setOutcome(event.currentTarget.value)}
        />
        <TextInput
          label={texts.kind}
          placeholder={texts.kindHelp}
          value={kind}
          onChange={(event) => setKind(event.currentTarget.value)}
        />
      </Group>
      <Loaded query={pages} rows={8}>
        {(data) => (
          <DataTable
            label={texts.list}
            columns={columnsOf(setOpen)}
            rows={data.pages.flatMap((page) => page.deliveries)}
            keyOf={({ delivery_id: delivery, attempt, attempted_at: at }) => `${delivery} ${attempt} ${at}`}
            more={{
              isThere: pages.hasNextPage,
              isLoading: pages.isFetchingNextPage,
              load: () => void pages.fetchNextPage(),
            }}
            empty={<Empty title={texts.none}>{texts.noneHelp}</Empty>}
          />
        )}
      </Loaded>
      <Side opened={open !== undefined} onClose={() => setOpen(undefined)} title={texts.details} size="lg">
        {open === undefined ? null : <Delivery key={open.delivery_id} webhook={webhook} attempt={open} />}
      </Side>
    </Stack>
  );
}

function Summary({ groups }: { groups: readonly Group_[] }) {
  if (groups.length === 0) return null;
  return (
    <>
      <Title order={2} size="h5">
        {texts.summary}
      </Title>
      <DataTable
        label={texts.summary}
        columns={SUMMARY}
        rows={groups}
        keyOf={({ kind, outcome, status }) => `${kind} ${outcome} ${status}`}
      />
    </>
  );
}

const SUMMARY: Column<Group_>[] = [
  { id: 'kind', label: texts.summaryColumns.kind, sortBy: ({ kind }) => kind, cell: ({ kind }) => kind },
  { id: 'outcome', label: texts.summaryColumns.outcome, cell: ({ outcome }) => <Outcome outcome={outcome} /> },
  {
    id: 'status',
    label: texts.summaryColumns.status,
    sortBy: ({ status }) => status,
    cell: ({ status }) => status ?? texts.noAnswer,
  },
  {
    id: 'attempts',
    label: texts.summaryColumns.attempts,
    align: 'right',
    sortBy: ({ attempts }) => attempts,
    cell: ({ attempts }) => number(attempts),
  },
  { id: 'last', label: texts.summaryColumns.last, cell: ({ last_attempt_at: at }) => <Time at={at} /> },
];

function columnsOf(onOpen: (attempt: Attempt) => void): Column<Attempt>[] {
  return [
    {
      id: 'at',
      label: texts.columns.at,
      cell: (attempt) => (
        <Anchor component="button" fz="inherit" ta="left" onClick={() => onOpen(attempt)}>
          <Time at={attempt.attempted_at} />
        </Anchor>
      ),
    },
    { id: 'kind', label: texts.columns.kind, cell: ({ kind }) => kind },
    { id: 'attempt', label: texts.columns.attempt, align: 'right', cell: ({ attempt }) => attempt },
    { id: 'outcome', label: texts.columns.outcome, cell: ({ outcome }) => <Outcome outcome={outcome} /> },
    { id: 'status', label: texts.columns.status, cell: ({ status, error }) => status ?? error ?? texts.noAnswer },
    {
      id: 'took',
      label: texts.columns.took,
      align: 'right',
      cell: ({ duration_ms: ms }) => texts.milliseconds(number(ms)),
    },
  ];
}

function Outcome({ outcome }: { outcome: string }) {
  const known = OUTCOMES.find((each) => each === outcome);
  return (
    <Badge variant="outline" color={outcome === 'delivered' ? 'green' : 'red'} tt="none">
      {known === undefined ? outcome : texts.outcomes[known]}
    </Badge>
  );
}

/** One delivery: request, response and all attempts. */
function Delivery({ webhook, attempt }: { webhook: Webhook; attempt: Attempt }) {
  const { scope, mayEdit } = usePlace();
  const { game, environment } = scope;
  const path = { id: webhook.webhook_id, delivery_id: attempt.delivery_id };
  const payload = useQuery({
    queryKey: ['payload', game, environment, attempt.delivery_id],
    queryFn: ({ signal }) =>
      call(scope, 'GET /v1/integrations/webhooks/{id}/deliveries/{delivery_id}/payload', { path, signal }),
    staleTime: Infinity,
  });
  const history = useQuery({
    queryKey: ['delivery', game, environment, attempt.delivery_id],
    queryFn: ({ signal }) =>
      call(scope, 'GET /v1/integrations/webhooks/{id}/deliveries', {
        path: { id: webhook.webhook_id },
        query: { delivery_id: attempt.delivery_id, limit: 100 },
        signal,
      }),
    refetchInterval: 2_000,
  });
  const redeliver = useMutation({
    mutationFn: () => call(scope, 'POST /v1/integrations/webhooks/{id}/deliveries/{delivery_id}/redeliver', { path }),
    onSuccess: () => history.refetch(),
  });
  return (
    <Stack>
      <Text fw={600}>{attempt.kind}</Text>
      <Text size="sm" className="mono">
        {attempt.delivery_id}
      </Text>
      <Anchor component={Link} href={`/${game}/${environment}/players/${attempt.player_id}`}>
        {texts.player}
      </Anchor>
      {mayEdit ? (
        <Button w="fit-content" onClick={() => redeliver.mutate()} loading={redeliver.isPending}>
          {texts.redeliver}
        </Button>
      ) : null}
      {redeliver.isSuccess ? (
        <Alert color="green" variant="outline" role="status">
          {texts.redelivered}
        </Alert>
      ) : null}
      {redeliver.error === null ? null : <Fault error={redeliver.error} />}
      <Title order={3} size="h5">
        {texts.history}
      </Title>
      <Loaded query={history} rows={2}>
        {({ deliveries }) => <History attempts={deliveries} />}
      </Loaded>
      <Title order={3} size="h5">
        {texts.request}
      </Title>
      <Text size="sm" c="dimmed">
        {texts.requestHelp}
      </Text>
      {payload.error === null ? null : <Fault title={texts.requestGone} error={payload.error} />}
      {payload.data === undefined ? null : <Json value={payload.data.payload} label={texts.request} />}
      <Title order={3} size="h5">
        {texts.response}
      </Title>
      {attempt.response_start === '' ? (
        <Text size="sm">{attempt.error ?? texts.responseEmpty}</Text>
      ) : (
        <Json value={attempt.response_start} label={texts.response} />
      )}
    </Stack>
  );
}

function History({ attempts }: { attempts: readonly Attempt[] }) {
  return (
    <ol className="timeline" aria-label={texts.history}>
      {attempts.map((each) => (
        <li key={`${each.attempt} ${each.attempted_at}`} className="timeline-row">
          <Time at={each.attempted_at} /> <Outcome outcome={each.outcome} /> {each.status ?? each.error}
          {each.next_attempt_at === null ? null : (
            <Text span size="xs">
              {texts.next}: <Time at={each.next_attempt_at} />
            </Text>
          )}
        </li>
      ))}
    </ol>
  );
}
