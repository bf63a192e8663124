import { useQuery } from '@tanstack/react-query';
import { call } from '../../frame/api.ts';
import { useTab } from '../../parts/address.ts';
import { ManagedNotice } from '../../parts/labels/managed-notice.tsx';
import { BackTo, isMissing, NotThere } from '../../parts/not-there.tsx';
import { History } from '../../history/history.tsx';
import { ScreenTabs } from '../../parts/screen-tabs.tsx';
import { Loaded, Page } from '../../parts/states.tsx';
import { usePlace } from '../../frame/session.tsx';
import { TEXTS } from '../../texts.ts';
import { WebhookActions } from './webhook-actions.tsx';
import { WebhookAttempts } from './webhook-attempts.tsx';
import { EditWebhook, useWebhookDraft } from './webhook-form.tsx';
import { WebhookRecovery } from './webhook-recovery.tsx';
import { SignatureHelp } from './webhook-signature.tsx';
import { type Webhook, WebhookState } from './webhooks.tsx';

const texts = TEXTS.webhook;
const TABS = ['attempts', 'settings', 'recover', 'signature', 'history'] as const;

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
  return <Shown key={id} webhook={webhook.data} />;
}

function Shown({ webhook }: { webhook: Webhook }) {
  const { isAdmin } = usePlace();
  const [tab, setTab] = useTab(TABS);
  const [draft, setDraft] = useWebhookDraft(webhook.webhook_id);
  return (
    <Page
      title={webhook.name}
      intro={<span className="mono">{webhook.url}</span>}
      actions={<WebhookState webhook={webhook} />}
    >
      {isAdmin ? <ManagedNotice of={webhook} /> : null}
      {/* They would change the version that the draft begins with. */}
      {draft === undefined ? <WebhookActions webhook={webhook} /> : null}
      <ScreenTabs label={texts.tabsLabel} tabs={TABS} titles={texts.tabs} open={tab} onOpen={setTab}>
        {(open) => {
          switch (open) {
            case 'attempts':
              return <WebhookAttempts webhook={webhook} />;
            case 'settings':
              return <EditWebhook webhook={webhook} draft={draft} setDraft={setDraft} />;
            case 'recover':
              return <WebhookRecovery webhook={webhook} />;
            case 'signature':
              return <SignatureHelp />;
            case 'history':
              return (
                <History
                  base="/v1/integrations/webhooks/{id}"
                  path={{ id: webhook.webhook_id }}
                  version={webhook.version}
                  mayRestore={isAdmin && draft === undefined}
                  renews={[['webhook'], ['webhooks']]}
                />
              );
          }
        }}
      </ScreenTabs>
    </Page>
  );
}
