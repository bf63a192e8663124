import { Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { call } from '../../frame/api.ts';
import { type Draft, useDraft } from '../../parts/drafts/draft.ts';
import { DraftBar } from '../../parts/drafts/draft-bar.tsx';
import { prettyJson } from '../../parts/editors/json-text.ts';
import { SaveDraft } from '../../parts/drafts/save-draft.tsx';
import { SavedNotice } from '../../parts/drafts/saved.tsx';
import { OnlyAdmins, Page } from '../../parts/states.tsx';
import { Json } from '../../parts/lists/values.tsx';
import { usePlace } from '../../frame/session.tsx';
import { TEXTS } from '../../texts.ts';
import {
  baseOf,
  bodyOf,
  contentOf,
  type EditedWebhook,
  editedOf,
  NEW_WEBHOOK,
  type WebhookBase,
  withoutSecrets,
} from './edited-webhook.ts';
import { WebhookFields } from './webhook-fields.tsx';
import { SecretDialog, type ShownSecret } from './webhook-secret.tsx';
import type { Webhook } from './webhooks.tsx';

const texts = TEXTS.webhook;
const { form } = texts;

type WebhookWithHeaders = WebhookBase & { headers?: Webhook['headers'] };

/** Creates a webhook, and shows its secret once. */
export function NewWebhook() {
  const { scope, isAdmin } = usePlace();
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  const [draft, setDraft] = useDraft<null, EditedWebhook>(
    `webhook ${scope.game} ${scope.environment} new`,
    withoutSecrets,
  );
  const [made, setMade] = useState<(ShownSecret & { id: string }) | undefined>();
  const edited = draft?.edited ?? NEW_WEBHOOK;
  if (!isAdmin) return <OnlyAdmins title={form.createTitle} why={TEXTS.viewOnly('admin')} />;
  return (
    <Page title={form.createTitle}>
      {draft === undefined ? null : (
        <DraftBar onDiscard={() => setDraft(undefined)}>
          <SaveDraft
            base={undefined}
            body={bodyOf(edited)}
            notReady={form.notReady}
            contentOf={(held: WebhookBase) => contentOf(held)}
            title={form.createTitleConfirm(hostOf(edited.url))}
            send={(body) => call(scope, 'POST /v1/integrations/webhooks', { body })}
            placeOf={({ webhook_id: id }) => ['webhook', scope.game, scope.environment, id]}
            onSaved={async (webhook) => {
              setMade({ secret: webhook.secret, until: null, id: webhook.webhook_id });
              setDraft(undefined);
              await queries.invalidateQueries({ queryKey: ['webhooks', scope.game, scope.environment] });
            }}
          />
        </DraftBar>
      )}
      <WebhookFields
        edited={edited}
        headers="{}"
        onChange={(change) => setDraft({ base: null, edited: { ...edited, ...change } })}
      />
      <SecretDialog
        shown={made}
        onClose={() => navigate(`/${scope.game}/${scope.environment}/webhooks/${made?.id ?? ''}`)}
      />
    </Page>
  );
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

type WebhookDraft = Draft<WebhookBase, EditedWebhook>;

/** The draft of a webhook, which the screen holds: the part that edits it is not drawn while another tab is open. */
export function useWebhookDraft(id: string) {
  const { scope } = usePlace();
  return useDraft<WebhookBase, EditedWebhook>(`webhook ${scope.game} ${scope.environment} ${id}`, withoutSecrets);
}

interface EditWebhookProps {
  webhook: Webhook;
  draft: WebhookDraft | undefined;
  setDraft: (draft: WebhookDraft | undefined) => void;
}

/** Changes a webhook. If another person changed it meanwhile, the edits are merged by field. */
export function EditWebhook({ webhook, draft, setDraft }: EditWebhookProps) {
  const { scope, isAdmin } = usePlace();
  const queries = useQueryClient();
  if (!isAdmin) {
    return (
      <Stack>
        <Text>{TEXTS.viewOnly('admin')}</Text>
        <Json value={webhook} label={texts.tabs.settings} />
      </Stack>
    );
  }
  const place = ['webhook', scope.game, scope.environment, webhook.webhook_id];
  const path = { id: webhook.webhook_id };
  const base = draft?.base ?? baseOf(webhook);
  const edited = draft?.edited ?? editedOf(webhook);
  // A draft does not hold the headers that it began with: they are known while the page shows the same version.
  const known: WebhookWithHeaders = base.version === webhook.version ? { ...base, headers: webhook.headers } : base;
  return (
    <>
      {draft === undefined ? null : (
        <DraftBar onDiscard={() => setDraft(undefined)}>
          <SaveDraft
            base={known}
            body={bodyOf(edited)}
            notReady={form.notReady}
            contentOf={(held: WebhookWithHeaders) =>
              edited.headers === undefined || held.headers === undefined
                ? contentOf(held)
                : { ...contentOf(held), headers: held.headers }
            }
            title={form.saveTitle(webhook.name)}
            send={(body) =>
              call(scope, 'PATCH /v1/integrations/webhooks/{id}', {
                path,
                headers: { 'If-Match': `"${base.version}"` },
                body,
              })
            }
            read={(): Promise<Webhook> => call(scope, 'GET /v1/integrations/webhooks/{id}', { path })}
            placeOf={() => place}
            onSaved={async (saved) => {
              queries.setQueryData(place, saved);
              setDraft(undefined);
              await queries.invalidateQueries({ queryKey: ['webhooks', scope.game, scope.environment] });
            }}
            onMerge={(theirs, merged) => {
              void queries.invalidateQueries({ queryKey: place });
              const kept = edited.headers === undefined ? {} : { headers: prettyJson(merged['headers'] ?? {}) };
              setDraft({ base: baseOf(theirs), edited: { ...editedOf({ ...theirs, ...merged }), ...kept } });
            }}
          />
        </DraftBar>
      )}
      <SavedNotice place={place} version={webhook.version} />
      <WebhookFields
        edited={edited}
        headers={prettyJson(webhook.headers)}
        onChange={(change) => setDraft({ base, edited: { ...edited, ...change } })}
      />
    </>
  );
}
