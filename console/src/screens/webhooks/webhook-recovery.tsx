import { Badge, Button, Card, Group, Progress, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type AnswerOf, ApiError, call } from '../../frame/api.ts';
import { Confirm } from '../../parts/editors/confirm.tsx';
import { Fault } from '../../parts/states.tsx';
import { number, Time } from '../../parts/lists/values.tsx';
import { usePlace } from '../../frame/session.tsx';
import { minuteText, momentOf } from '../../parts/zoned-time.ts';
import { TEXTS } from '../../texts.ts';
import type { Webhook } from './webhooks.tsx';

const texts = TEXTS.recovery;
const POLL_MS = 1_000;
const HOUR_MS = 3_600_000;
type Recovery = AnswerOf<'GET /v1/integrations/webhooks/{id}/recover'>;

/** Delivers everything since a time again, and shows the progress. */
export function WebhookRecovery({ webhook }: { webhook: Webhook }) {
  const { scope, mayEdit, zone } = usePlace();
  const queries = useQueryClient();
  const path = { id: webhook.webhook_id };
  const queryKey = ['recovery', scope.game, scope.environment, webhook.webhook_id];
  const [since, setSince] = useState(() => minuteText(zone, Date.now() - HOUR_MS));
  const [asking, setAsking] = useState(false);
  const sinceMs = momentOf(zone, since);
  const recovery = useQuery({
    queryKey,
    queryFn: ({ signal }) => call(scope, 'GET /v1/integrations/webhooks/{id}/recover', { path, signal }),
    refetchInterval: ({ state }) => (state.data?.status === 'running' ? POLL_MS : false),
  });
  const recover = useMutation({
    mutationFn: () =>
      call(scope, 'POST /v1/integrations/webhooks/{id}/recover', {
        path,
        query: { since: sinceMs === undefined ? '' : new Date(sinceMs).toISOString() },
      }),
    onSuccess(begun) {
      setAsking(false);
      queries.setQueryData(queryKey, begun);
    },
  });
  const isMissing = recovery.error instanceof ApiError && recovery.error.status === 404;
  return (
    <Stack>
      <Text>{texts.intro}</Text>
      {mayEdit ? (
        <Group align="flex-end">
          <TextInput
            label={texts.sinceIn(zone)}
            value={since}
            error={sinceMs === undefined ? texts.sinceFault : undefined}
            onChange={(event) => setSince(event.currentTarget.value)}
          />
          <Button onClick={() => setAsking(true)} disabled={sinceMs === undefined}>
            {texts.start}
          </Button>
        </Group>
      ) : null}
      {isMissing && recovery.data === undefined ? <Text c="dimmed">{texts.none}</Text> : null}
      {recovery.error !== null && !isMissing ? <Fault error={recovery.error} /> : null}
      {recovery.data === undefined ? null : <Shown recovery={recovery.data} />}
      <Confirm
        opened={asking}
        onClose={() => setAsking(false)}
        title={texts.startTitle(webhook.name)}
        action={texts.start}
        onConfirm={() => recover.mutate()}
        busy={recover.isPending}
        error={recover.error}
      >
        <Text>{texts.startHelp}</Text>
        <Text>
          {texts.sinceIn(zone)}: {since}
        </Text>
      </Confirm>
    </Stack>
  );
}

function Shown({ recovery }: { recovery: Recovery }) {
  const { status, records_scanned: scanned, records_total: total } = recovery;
  const percent = status === 'done' ? 100 : Math.min(100, (100 * scanned) / Math.max(1, total));
  return (
    <Card withBorder role="status">
      <Stack gap="xs">
        <Group>
          <Badge variant="outline" color={status === 'stopped' ? 'red' : 'green'} tt="none">
            {texts.status[status]}
          </Badge>
          <Text size="sm">
            {texts.since}: <Time at={recovery.since} />
          </Text>
        </Group>
        <Progress value={percent} aria-label={texts.label} />
        <Text size="sm">{texts.progress(number(scanned), number(total))}</Text>
        <Text size="sm">{texts.queued(number(recovery.deliveries_queued))}</Text>
        {recovery.available_since === null ? null : (
          <Text size="sm">
            {texts.availableSince} <Time at={recovery.available_since} />
          </Text>
        )}
      </Stack>
    </Card>
  );
}
