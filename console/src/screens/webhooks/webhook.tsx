import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { call } from '../../api.ts';
import { useTab } from '../../parts/address.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { BackTo, isMissing, NotThere } from '../../parts/not-there.tsx';
import { ScreenTabs } from '../../parts/screen-tabs.tsx';
import { Fault, Loaded, Page } from '../../parts/states.tsx';
import { Json, number } from '../../parts/values.tsx';
import { usePlace } from '../../session.tsx';
import { TEXTS } from '../../texts.ts';
import { WebhookAttempts } from './webhook-attempts.tsx';
import { EditWebhook } from './webhook-form.tsx';
import { WebhookRecovery } from './webhook-recovery.tsx';
import { type ShownSecret, SecretDialog } from './webhook-secret.tsx';
import { SignatureHelp } from './webhook-signature.tsx';
import { type Webhook, WebhookState } from './webhooks.tsx';

const texts = TEXTS.webhook;
const TABS = ['attempts', 'settings', 'recover', 'signature'] as const;

/** One webhook: attempts, settings, recovery, signature. */
export function WebhookScreen({ params }: { params: Readonly<Record<string, string | undefined>> }) {
  const { scope } = usePlace();
  const { game, environment } = scope;
  const id = params['id'] ?? '';
  const webhook = useQuery({
    queryKey: ['webhook', game, environment, id],
    queryFn: ({ signal }) => call(scope, 'GET /v1/integrations/webhooks/{id}', { path: { id }, signal }),
  });
  if (isMissing(webhook.error)) {
    return (
      <NotThere title={TEXTS.webhooks.title} id={id} what={texts.missing} help={texts.missingHelp}>
        <BackTo href={`/${game}/${environment}/webhooks`}>{texts.back}</BackTo>
      </NotThere>
    );
  }
  if (webhook.data === undefined) {
    return (
      <Page title={TEXTS.webhooks.title}>
        <Loaded query={webhook}>{() => null}</Loaded>
      </Page>
    );
  }
  return <Shown webhook={webhook.data} />;
}

function Shown({ webhook }: { webhook: Webhook }) {
  const [tab, setTab] = useTab(TABS);
  return (
    <Page
      title={webhook.name}
      intro={<span className="mono">{webhook.url}</span>}
      actions={<WebhookState webhook={webhook} />}
    >
      <Actions webhook={webhook} />
      <ScreenTabs label={texts.tabsLabel} tabs={TABS} titles={texts.tabs} open={tab} onOpen={setTab}>
        {(open) => <Tab tab={open} webhook={webhook} />}
      </ScreenTabs>
    </Page>
  );
}

function Tab({ tab, webhook }: { tab: (typeof TABS)[number]; webhook: Webhook }) {
  switch (tab) {
    case 'attempts':
      return <WebhookAttempts webhook={webhook} />;
    case 'settings':
      return <EditWebhook key={webhook.version} webhook={webhook} />;
    case 'recover':
      return <WebhookRecovery webhook={webhook} />;
    case 'signature':
      return <SignatureHelp />;
  }
}

type Asked = 'pause' | 'rotate' | 'remove';

function Actions({ webhook }: { webhook: Webhook }) {
  const { scope, mayEdit, isAdmin } = usePlace();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const [asked, setAsked] = useState<Asked | undefined>();
  const [secret, setSecret] = useState<ShownSecret | undefined>();
  const path = { id: webhook.webhook_id };
  const headers = { 'If-Match': `"${webhook.version}"` };
  const changed = () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: ['webhook', scope.game, scope.environment, webhook.webhook_id] }),
      queries.invalidateQueries({ queryKey: ['webhooks', scope.game, scope.environment] }),
    ]);
  const act = useMutation({
    async mutationFn(what: Asked) {
      if (what === 'pause') {
        const body = { enabled: !webhook.enabled };
        await call(scope, 'PATCH /v1/integrations/webhooks/{id}', { path, headers, body });
      } else if (what === 'rotate') {
        const rotated = await call(scope, 'POST /v1/integrations/webhooks/{id}/rotate-secret', {
          path,
          headers,
          body: {},
        });
        setSecret({ secret: rotated.secret, until: rotated.previous_secret_until });
      } else await call(scope, 'DELETE /v1/integrations/webhooks/{id}', { path, headers });
    },
    async onSuccess(_, what) {
      setAsked(undefined);
      if (what === 'remove') navigate(`/${scope.game}/${scope.environment}/webhooks`);
      await changed();
    },
  });
  if (!mayEdit) return null;
  return (
    <Stack>
      <Group gap="xs">
        <TestButton webhook={webhook} />
        {isAdmin ? (
          <>
            <Button variant="default" onClick={() => setAsked('pause')}>
              {webhook.enabled ? texts.pause : texts.resume}
            </Button>
            <Button variant="default" onClick={() => setAsked('rotate')}>
              {texts.secret.rotate}
            </Button>
            <Button variant="default" onClick={() => setAsked('remove')}>
              {texts.remove}
            </Button>
          </>
        ) : null}
      </Group>
      {asked === undefined ? null : (
        <Confirm
          opened
          onClose={() => {
            act.reset();
            setAsked(undefined);
          }}
          {...questionOf(asked, webhook)}
          onConfirm={() => act.mutate(asked)}
          busy={act.isPending}
          error={act.error}
          isDangerous={asked === 'remove'}
        />
      )}
      <SecretDialog shown={secret} onClose={() => setSecret(undefined)} />
    </Stack>
  );
}

function questionOf(asked: Asked, { name, enabled }: Webhook): { title: string; action: string; children: string } {
  switch (asked) {
    case 'pause':
      return enabled
        ? { title: texts.pauseTitle(name), action: texts.pause, children: texts.pauseHelp }
        : { title: texts.resumeTitle(name), action: texts.resume, children: texts.resumeHelp };
    case 'rotate':
      return { title: texts.secret.rotateTitle(name), action: texts.secret.rotate, children: texts.secret.rotateHelp };
    case 'remove':
      return { title: texts.removeTitle(name), action: texts.remove, children: texts.removeHelp };
  }
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
