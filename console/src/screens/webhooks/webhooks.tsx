import { Alert, Badge, Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { type AnswerOf, call } from '../../frame/api.ts';
import { type Column, DataTable } from '../../parts/lists/data-table.tsx';
import { NamedLink } from '../../parts/named-link.tsx';
import { Empty, Loaded, Page } from '../../parts/states.tsx';
import { number, Time } from '../../parts/lists/values.tsx';
import { usePlace } from '../../frame/session.tsx';
import { TEXTS } from '../../texts.ts';

const texts = TEXTS.webhooks;
const REFRESH_MS = 10_000;

export type Webhook = AnswerOf<'GET /v1/integrations/webhooks'>['webhooks'][number];
export type WebhookHealth = AnswerOf<'GET /v1/integrations/webhook-health'>['webhooks'][number];

/** The webhooks with their state. */
export function Webhooks() {
  const { scope, isAdmin } = usePlace();
  const { game, environment } = scope;
  const base = `/${game}/${environment}/webhooks`;
  const webhooks = useQuery({
    queryKey: ['webhooks', game, environment],
    queryFn: ({ signal }) => call(scope, 'GET /v1/integrations/webhooks', { query: { limit: 500 }, signal }),
  });
  const health = useQuery({
    queryKey: ['webhook-health', game, environment],
    queryFn: ({ signal }) => call(scope, 'GET /v1/integrations/webhook-health', { signal }),
    refetchInterval: REFRESH_MS,
  });
  return (
    <Page
      title={texts.title}
      intro={texts.intro}
      actions={
        isAdmin ? (
          <Button component={Link} href={`${base}/new`}>
            {texts.create}
          </Button>
        ) : null
      }
    >
      {health.error === null ? null : <Alert color="yellow">{texts.noHealth}</Alert>}
      <Loaded query={webhooks}>
        {({ webhooks: all }) => (
          <DataTable
            label={texts.title}
            columns={columnsOf(base, health.data?.webhooks)}
            rows={all}
            keyOf={({ webhook_id: id }) => id}
            empty={<Empty title={texts.none}>{texts.noneHelp}</Empty>}
          />
        )}
      </Loaded>
    </Page>
  );
}

/** @param health of webhooks with attempts; undefined: not known, which is not the same as none */
function columnsOf(base: string, health: readonly WebhookHealth[] | undefined): Column<Webhook>[] {
  const of = (webhook: Webhook) => health?.find(({ webhook_id: id }) => id === webhook.webhook_id);
  const known = (cell: (of: WebhookHealth | undefined) => ReactNode) => (webhook: Webhook) =>
    health === undefined ? texts.unknown : cell(of(webhook));
  return [
    {
      id: 'name',
      label: texts.columns.name,
      sortBy: ({ name }) => name,
      cell: ({ webhook_id: id, name, url }) => <NamedLink href={`${base}/${id}`} name={name} below={url} isId />,
    },
    { id: 'state', label: texts.columns.state, cell: (webhook) => <WebhookState webhook={webhook} /> },
    {
      id: 'delivered',
      label: texts.columns.delivered,
      align: 'right',
      sortBy: (webhook) => of(webhook)?.delivered ?? 0,
      cell: known((one) => number(one?.delivered ?? 0)),
    },
    {
      id: 'failed',
      label: texts.columns.failed,
      align: 'right',
      sortBy: (webhook) => of(webhook)?.failed ?? 0,
      cell: known((one) => <Failed health={one} />),
    },
    {
      id: 'oldest',
      label: texts.columns.oldest,
      sortBy: (webhook) => of(webhook)?.oldest_undelivered_at,
      cell: known((one) => <Oldest health={one} />),
    },
    {
      id: 'last',
      label: texts.columns.last,
      sortBy: (webhook) => of(webhook)?.last_attempt_at,
      cell: known((one) => <Time at={one?.last_attempt_at} />),
    },
  ];
}

export function WebhookState({ webhook }: { webhook: Webhook }) {
  const { disabled, enabled } = webhook;
  const [text, color] =
    disabled !== undefined
      ? [texts.states[disabled.reason], 'red']
      : enabled
        ? [texts.states.enabled, 'green']
        : [texts.states.paused, 'gray'];
  return (
    <Badge variant="outline" color={color} tt="none">
      {text}
    </Badge>
  );
}

function Failed({ health }: { health: WebhookHealth | undefined }) {
  if (health === undefined) return '0';
  return (
    <>
      {number(health.failed)}
      {health.given_up === 0 ? null : (
        <Text size="xs" fw={600}>
          {texts.givenUp(number(health.given_up))}
        </Text>
      )}
    </>
  );
}

function Oldest({ health }: { health: WebhookHealth | undefined }) {
  if (health === undefined || health.undelivered === 0) return texts.nothingUndelivered;
  return (
    <>
      <Time at={health.oldest_undelivered_at} />
      <Text size="xs" fw={600}>
        {texts.waiting(number(health.undelivered))}
      </Text>
    </>
  );
}
