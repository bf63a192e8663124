import { Badge, Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type AnswerOf, call, type Scope } from '../api.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Diff } from '../parts/diff.tsx';
import { Empty, Fault, Loaded, Page } from '../parts/states.tsx';
import { Json, Time } from '../parts/values.tsx';
import { usePlace } from '../session.tsx';
import { TEXTS } from '../texts.ts';

const texts = TEXTS.approvals;

const PAGE = 20;

type Proposal = AnswerOf<'GET /v1/console/approvals'>['approvals'][number];

/** Live changes that wait for a second person. */
export function Approvals() {
  const { scope } = usePlace();
  const found = useInfiniteQuery({
    queryKey: ['approvals', scope.game, scope.environment],
    queryFn: ({ signal, pageParam: cursor }) =>
      call(scope, 'GET /v1/console/approvals', { query: { limit: PAGE, cursor }, signal }),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor: next }) => next,
    refetchInterval: 10_000,
  });
  return (
    <Page title={texts.title} intro={texts.intro}>
      <Loaded query={found}>
        {({ pages }) =>
          pages.every(({ approvals }) => approvals.length === 0) ? (
            <Empty title={texts.empty}>{texts.emptyHelp}</Empty>
          ) : (
            <Stack>
              {pages
                .flatMap(({ approvals }) => approvals)
                .map((proposal) => (
                  <Waiting key={proposal.id} proposal={proposal} />
                ))}
              {found.hasNextPage ? (
                <Button variant="default" loading={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
                  {TEXTS.more}
                </Button>
              ) : null}
            </Stack>
          )
        }
      </Loaded>
    </Page>
  );
}

function Waiting({ proposal }: { proposal: Proposal }) {
  const { scope, mayEdit } = usePlace();
  const queries = useQueryClient();
  const [asks, setAsks] = useState(false);
  const path = { id: proposal.id };
  const settled = async (): Promise<void> => {
    setAsks(false);
    await queries.invalidateQueries();
  };
  const approve = useMutation({
    mutationFn: () => call(scope, 'POST /v1/console/approvals/{id}/approve', { path }),
    onSuccess: settled,
  });
  const reject = useMutation({
    mutationFn: () => call(scope, 'DELETE /v1/console/approvals/{id}', { path }),
    onSuccess: settled,
  });
  const name = texts.what(texts.methods[methodOf(proposal)], proposal.kind, proposal.key);
  return (
    <Card withBorder component="section" aria-label={name}>
      <Stack>
        <Group justify="space-between">
          <Title order={2} size="h5">
            {name}
          </Title>
          <Badge variant="default" tt="none" miw="max-content">
            {proposal.own ? texts.own : texts.by(proposal.proposed_by)}
          </Badge>
        </Group>
        <Text size="sm" c="dimmed">
          <Time at={proposal.created_at} />
        </Text>
        {proposal.approving ? <Text size="sm">{texts.approving}</Text> : null}
        <Change proposal={proposal} scope={scope} />
        {reject.error === null ? null : <Fault error={reject.error} />}
        {mayEdit ? (
          <Group>
            {proposal.own ? null : <Button onClick={() => setAsks(true)}>{texts.approve}</Button>}
            <Button variant="default" loading={reject.isPending} onClick={() => reject.mutate()}>
              {proposal.own ? texts.takeBack : texts.reject}
            </Button>
          </Group>
        ) : null}
      </Stack>
      <Confirm
        opened={asks}
        onClose={() => {
          approve.reset();
          setAsks(false);
        }}
        title={texts.ask(name)}
        action={texts.approve}
        onConfirm={() => approve.mutate()}
        busy={approve.isPending}
        error={approve.error}
      />
    </Card>
  );
}

/** The fields that the change would set, beside what they are now. */
function Change({ proposal, scope }: { proposal: Proposal; scope: Scope }) {
  const { body, kind } = proposal;
  const path = Object.fromEntries(Object.entries(proposal.params).map(([name, value]) => [name, String(value)]));
  const isThere = proposal.version !== null;
  const now = useQuery({
    queryKey: ['approval-target', scope.game, scope.environment, kind, path],
    enabled: isThere,
    queryFn: async ({ signal }): Promise<Record<string, unknown>> =>
      kind === 'flag'
        ? { ...(await call(scope, 'GET /v1/flags/flags/{key}', { path, signal })) }
        : { ...(await call(scope, 'GET /v1/campaigns/campaigns/{id}', { path, signal })) },
  });
  if (body === null || body === undefined) return <Text>{texts.deletes}</Text>;
  if (!isThere || typeof body !== 'object') return <Json value={body} label={texts.change} />;
  return (
    <Loaded query={now} rows={2}>
      {(held) => <Diff before={pick(held, body)} after={body} label={texts.change} />}
    </Loaded>
  );
}

const pick = (held: Record<string, unknown>, body: object): Record<string, unknown> =>
  Object.fromEntries(Object.keys(body).flatMap((name) => (name in held ? [[name, held[name]]] : [])));

function methodOf({ method }: Proposal): keyof typeof texts.methods {
  return method === 'POST' || method === 'DELETE' ? method : 'PATCH';
}
