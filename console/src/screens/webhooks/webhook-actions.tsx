import { Alert, Button, Group, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type AnswerOf, call } from '../../frame/api.ts';
import { ConfirmButton } from '../../parts/editors/confirm-button.tsx';
import { patch } from '../../parts/optimistic.ts';
import { RemoveButton } from '../../parts/editors/remove-button.tsx';
import { SwitchButton } from '../../parts/editors/switch-button.tsx';
import { Fault } from '../../parts/states.tsx';
import { Json, number } from '../../parts/lists/values.tsx';
import { usePlace } from '../../frame/session.tsx';
import { TEXTS } from '../../texts.ts';
import { type ShownSecret, SecretDialog } from './webhook-secret.tsx';
import type { Webhook } from './webhooks.tsx';

const texts = TEXTS.webhook;

type List = AnswerOf<'GET /v1/integrations/webhooks'>;

/** What one does with a whole webhook: test, pause, rotate the secret, delete. */
export function WebhookActions({ webhook }: { webhook: Webhook }) {
  const { mayEdit, isAdmin } = usePlace();
  if (!mayEdit) return null;
  return (
    <Group gap="xs">
      <TestButton webhook={webhook} />
      {isAdmin ? (
        <>
          <Switch webhook={webhook} />
          <Rotate webhook={webhook} />
          <Remove webhook={webhook} />
        </>
      ) : null}
    </Group>
  );
}

/** Pauses or resumes the webhook. */
function Switch({ webhook: { webhook_id: id, name, enabled, version } }: { webhook: Webhook }) {
  const { scope } = usePlace();
  const { game, environment } = scope;
  return (
    <SwitchButton
      enabled={enabled}
      action={enabled ? texts.pause : texts.resume}
      title={enabled ? texts.pauseTitle(name) : texts.resumeTitle(name)}
      send={(wanted) =>
        call(scope, 'PATCH /v1/integrations/webhooks/{id}', {
          path: { id },
          headers: { 'If-Match': `"${version}"` },
          body: { enabled: wanted },
        })
      }
      patches={(wanted) => [
        patch<Webhook>(['webhook', game, environment, id], (held) => ({ ...held, enabled: wanted })),
      ]}
      renews={[
        ['webhook', game, environment, id],
        ['webhooks', game, environment],
      ]}
    >
      {enabled ? texts.pauseHelp : texts.resumeHelp}
    </SwitchButton>
  );
}

/** Gives the webhook a new secret, which is shown once. */
function Rotate({ webhook: { webhook_id: id, name, version } }: { webhook: Webhook }) {
  const { scope } = usePlace();
  const queries = useQueryClient();
  const [secret, setSecret] = useState<ShownSecret | undefined>();
  const rotate = useMutation({
    mutationFn: () =>
      call(scope, 'POST /v1/integrations/webhooks/{id}/rotate-secret', {
        path: { id },
        headers: { 'If-Match': `"${version}"` },
        body: {},
      }),
    onSuccess(rotated) {
      setSecret({ secret: rotated.secret, until: rotated.previous_secret_until });
      void queries.invalidateQueries({ queryKey: ['webhook', scope.game, scope.environment, id] });
    },
  });
  return (
    <>
      <ConfirmButton
        action={texts.secret.rotate}
        title={texts.secret.rotateTitle(name)}
        busy={rotate.isPending}
        error={rotate.error}
        onClose={() => rotate.reset()}
        onConfirm={(close) => rotate.mutate(undefined, { onSuccess: close })}
      >
        {texts.secret.rotateHelp}
      </ConfirmButton>
      <SecretDialog shown={secret} onClose={() => setSecret(undefined)} />
    </>
  );
}

function Remove({ webhook: { webhook_id: id, name, version } }: { webhook: Webhook }) {
  const { scope } = usePlace();
  const { game, environment } = scope;
  const headers = { 'If-Match': `"${version}"` };
  return (
    <RemoveButton
      action={texts.remove}
      title={texts.removeTitle(name)}
      list={`/${game}/${environment}/webhooks`}
      send={() => call(scope, 'DELETE /v1/integrations/webhooks/{id}', { path: { id }, headers })}
      patches={[
        patch<List>(['webhooks', game, environment], (held) => ({
          ...held,
          webhooks: held.webhooks.filter((each) => each.webhook_id !== id),
        })),
      ]}
      renews={[['webhook'], ['webhooks']]}
    >
      {texts.removeHelp}
    </RemoveButton>
  );
}

function TestButton({ webhook }: { webhook: Webhook }) {
  const { scope } = usePlace();
  const test = useMutation({
    mutationFn: () => call(scope, 'POST /v1/integrations/webhooks/{id}/test', { path: { id: webhook.webhook_id } }),
  });
  const { data } = test;
  return (
    <>
      <Button variant="default" onClick={() => test.mutate()} loading={test.isPending}>
        {texts.test}
      </Button>
      {test.error === null ? null : <Fault error={test.error} />}
      {data === undefined ? null : (
        <Alert
          color={data.delivered ? 'green' : 'red'}
          variant="outline"
          role="status"
          withCloseButton
          closeButtonLabel={TEXTS.close}
          onClose={() => test.reset()}
          title={texts.testDone(data.kind, String(data.status ?? data.error ?? ''), number(data.duration_ms))}
        >
          {data.delivered ? null : <Text size="sm">{texts.testRefused}</Text>}
          {data.response_start === '' ? null : <Json value={data.response_start} label={texts.testAnswer} />}
        </Alert>
      )}
    </>
  );
}
