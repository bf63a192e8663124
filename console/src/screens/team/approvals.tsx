import { Alert, Anchor, Badge, Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { type AnswerOf, call, type Scope } from '../../frame/api.ts';
import { type Base, RestorePreview } from '../../history/history.tsx';
import { Confirm } from '../../parts/editors/confirm.tsx';
import { Diff } from '../../parts/drafts/diff.tsx';
import { Empty, Fault, Loaded, Page } from '../../parts/states.tsx';
import { Json, Time } from '../../parts/lists/values.tsx';
import { isObject } from '../../parts/editors/json-text.ts';
import { PlanPreview } from '../../schedule/plan-dialog.tsx';
import { isScheduledKind, type Plan, BASES as BASES_OF_PLANS } from '../../schedule/planned.ts';
import { usePlace } from '../../frame/session.tsx';
import { TEXTS } from '../../texts.ts';

const texts = TEXTS.approvals;

const PAGE = 20;

type Proposal = AnswerOf<'GET /v1/console/approvals'>['approvals'][number];

/** What a person has done with a change, which is no longer in the list. */
interface Decision {
  proposal: Proposal;
  outcome: keyof typeof texts.decided;
}

/** Live changes that wait for a second person. */
export function Approvals() {
  const { scope } = usePlace();
  const [last, setLast] = useState<Decision | undefined>();
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
      {last === undefined ? null : <Decided {...last} onClose={() => setLast(undefined)} />}
      <Loaded query={found}>
        {({ pages }) =>
          pages.every(({ approvals }) => approvals.length === 0) ? (
            <Empty title={texts.empty}>{texts.emptyHelp}</Empty>
          ) : (
            <Stack>
              {pages
                .flatMap(({ approvals }) => approvals)
                .map((proposal) => (
                  <Waiting key={proposal.id} proposal={proposal} onDecided={setLast} />
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

/** Says what became of a change, and leads to the flag or campaign. */
function Decided({ proposal, outcome, onClose }: Decision & { onClose: () => void }) {
  const { scope } = usePlace();
  const { kind, method, params } = proposal;
  const [id = ''] = Object.values(params).map(String);
  const isThere = id !== '' && !(outcome === 'approved' && method === 'DELETE');
  return (
    <Alert
      color={outcome === 'approved' ? 'green' : 'gray'}
      variant="outline"
      title={texts.decided[outcome](nameOf(proposal))}
      role="status"
      withCloseButton
      closeButtonLabel={TEXTS.close}
      onClose={onClose}
    >
      {isThere ? (
        <Anchor component={Link} href={`/${scope.game}/${scope.environment}/${kind}s/${id}`} underline="always">
          {texts.open(kind)}
        </Anchor>
      ) : null}
    </Alert>
  );
}

function Waiting({ proposal, onDecided }: { proposal: Proposal; onDecided: (decision: Decision) => void }) {
  const { scope, mayEdit } = usePlace();
  const queries = useQueryClient();
  const [asks, setAsks] = useState(false);
  const path = { id: proposal.id };
  const settled = async (outcome: Decision['outcome']): Promise<void> => {
    setAsks(false);
    onDecided({ proposal, outcome });
    await queries.invalidateQueries();
  };
  const approve = useMutation({
    mutationFn: () => call(scope, 'POST /v1/console/approvals/{id}/approve', { path }),
    onSuccess: () => settled('approved'),
  });
  const reject = useMutation({
    mutationFn: () => call(scope, 'DELETE /v1/console/approvals/{id}', { path }),
    onSuccess: () => settled(proposal.own ? 'takenBack' : 'rejected'),
  });
  const rebase = useMutation({
    mutationFn: () => call(scope, 'POST /v1/console/approvals/{id}/rebase', { path }),
    onSuccess: () => queries.invalidateQueries(),
  });
  const name = nameOf(proposal);
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
        {proposal.reason === null ? null : <Text size="sm">{TEXTS.history.reason(proposal.reason)}</Text>}
        {proposal.approving ? <Text size="sm">{texts.approving}</Text> : null}
        {proposal.outdated ? <Text size="sm">{texts.outdated}</Text> : null}
        {rebase.error === null ? null : <Fault error={rebase.error} />}
        <Change proposal={proposal} scope={scope} />
        {reject.error === null ? null : <Fault error={reject.error} />}
        {mayEdit ? (
          <Group>
            {proposal.own ? null : <Button onClick={() => setAsks(true)}>{texts.approve}</Button>}
            {proposal.own && proposal.outdated ? (
              <Button loading={rebase.isPending} onClick={() => rebase.mutate()}>
                {texts.rebase}
              </Button>
            ) : null}
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
  const base = BASES[kind];
  const isThere = proposal.version !== null;
  const now = useQuery({
    queryKey: ['approval-target', scope.game, scope.environment, kind, path],
    enabled: isThere,
    queryFn: async ({ signal }): Promise<Record<string, unknown>> => ({
      ...(await call(scope, `GET ${base}`, { path, signal })),
    }),
  });
  const restored = restoredBy(proposal);
  if (restored === 'archived') return <Text>{texts.unarchives}</Text>;
  if (restored !== undefined) return <RestorePreview base={base} path={path} version={restored} />;
  if (proposal.path.endsWith('/schedule/{change}')) return <Text>{texts.cancels}</Text>;
  if (isPlan(proposal.path, body) && isScheduledKind(kind)) {
    return <PlanPreview of={kind} id={path[BASES_OF_PLANS[kind].idName] ?? ''} plan={body} />;
  }
  if (body === null || body === undefined) return proposal.method === 'DELETE' ? <Text>{texts.deletes}</Text> : null;
  if (!isThere || typeof body !== 'object') return <Json value={body} label={texts.change} />;
  return (
    <Loaded query={now} rows={2}>
      {(held) => <Diff before={pick(held, body)} after={body} label={texts.change} />}
    </Loaded>
  );
}

/** Whether a proposal plans changes. */
const isPlan = (path: string, body: unknown): body is Plan => path.endsWith('/schedule') && isObject(body);

const BASES = {
  flag: '/v1/flags/flags/{key}',
  segment: '/v1/segments/segments/{id}',
  experiment: '/v1/experiments/experiments/{key}',
  campaign: '/v1/campaigns/campaigns/{id}',
  property: '/v1/properties/properties/{key}',
} as const satisfies Record<Proposal['kind'], Base>;

/** The version that a proposal restores; undefined: it is another change. */
function restoredBy({ path, body }: Pick<Proposal, 'path' | 'body'>): number | 'archived' | undefined {
  if (!path.endsWith('/restore')) return undefined;
  const version = typeof body === 'object' && body !== null && 'version' in body ? body.version : undefined;
  return typeof version === 'number' ? version : 'archived';
}

const pick = (held: Record<string, unknown>, body: object): Record<string, unknown> =>
  Object.fromEntries(Object.keys(body).flatMap((name) => (name in held ? [[name, held[name]]] : [])));

/** Such as "Change flag new_shop". */
function nameOf(proposal: Proposal): string {
  const method =
    restoredBy(proposal) === undefined
      ? (actionOf(proposal) ?? texts.methods[methodOf(proposal)])
      : TEXTS.history.restore;
  return texts.what(method, proposal.kind, proposal.key);
}

/** What is done to an experiment, such as "Start". */
function actionOf({ path }: Proposal): string | undefined {
  const action = /^\/v1\/experiments\/.*\/([a-z]+)$/.exec(path)?.[1];
  return action === undefined ? undefined : action.charAt(0).toUpperCase() + action.slice(1);
}

function methodOf({ method }: Proposal): keyof typeof texts.methods {
  return method === 'POST' || method === 'DELETE' ? method : 'PATCH';
}
