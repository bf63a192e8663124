import { Alert, Button, NativeSelect, NumberInput, Stack, TagsInput, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useLocation } from 'wouter';
import { ApiError, call, type Scope } from '../../api.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { Diff } from '../../parts/diff.tsx';
import { SavedElsewhere } from '../../parts/saved-elsewhere.tsx';
import { JsonEditor } from '../../parts/json-editor.tsx';
import { parseObject, prettyJson } from '../../parts/json-text.ts';
import { Fault, OnlyAdmins, Page } from '../../parts/states.tsx';
import { Json } from '../../parts/values.tsx';
import { usePlace } from '../../session.tsx';
import { TEXTS } from '../../texts.ts';
import { SecretDialog, type ShownSecret } from './webhook-secret.tsx';
import type { Webhook } from './webhooks.tsx';

const texts = TEXTS.webhook;
const { form } = texts;
const KINDS = [
  '*',
  'event.*',
  'player.*',
  'player.created',
  'player.updated',
  'player.lifecycle_changed',
  'player.segment_entered',
  'player.segment_exited',
  'flag.evaluated',
  'campaign.triggered',
  'churn.risk_high',
];
const BACKOFFS = ['exponential', 'linear', 'none'] as const;

interface Draft {
  name: string;
  url: string;
  events: string[];
  headers: string;
  filters: string;
  retries: number;
  backoff: (typeof BACKOFFS)[number];
}

/** What a person edits of a webhook. */
function draftOf(webhook?: Webhook): Draft {
  const { max_retries: retries = 4, backoff = 'exponential' } = webhook?.retry_policy ?? {};
  return {
    name: webhook?.name ?? '',
    url: webhook?.url ?? '',
    events: [...(webhook?.events ?? [])],
    headers: prettyJson(webhook?.headers ?? {}),
    filters: prettyJson(webhook?.filters ?? {}),
    retries,
    backoff,
  };
}

/** The body of a request; undefined: a text is no JSON object. */
function bodyOf({ name, url, events, headers, filters, retries, backoff }: Draft) {
  const [headersObject, filtersObject] = [parseObject(headers), parseObject(filters)];
  if (headersObject === undefined || filtersObject === undefined) return undefined;
  const retry = { max_retries: retries, backoff };
  return {
    ...(name.trim() === '' ? {} : { name: name.trim() }),
    url: url.trim(),
    events,
    headers: headersObject,
    filters: filtersObject,
    retry_policy: retry,
  };
}

/** Creates a webhook, and shows its secret once. */
export function NewWebhook() {
  const { scope, isAdmin } = usePlace();
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  const [draft, setDraft] = useState(draftOf());
  const [asking, setAsking] = useState(false);
  const [made, setMade] = useState<(ShownSecret & { id: string }) | undefined>();
  const body = bodyOf(draft);
  const create = useMutation({
    mutationFn: () => call(scope, 'POST /v1/integrations/webhooks', { body }),
    async onSuccess(webhook) {
      setAsking(false);
      setMade({ secret: webhook.secret, until: null, id: webhook.webhook_id });
      await queries.invalidateQueries({ queryKey: ['webhooks', scope.game, scope.environment] });
    },
  });
  if (!isAdmin) return <OnlyAdmins title={form.createTitle} why={TEXTS.viewOnly('admin')} />;
  return (
    <Page title={form.createTitle}>
      <Fields draft={draft} onChange={setDraft} onSubmit={() => setAsking(true)} action={form.create} />
      <Confirm
        opened={asking}
        onClose={() => setAsking(false)}
        title={form.createTitleConfirm(hostOf(draft.url))}
        action={form.create}
        onConfirm={() => create.mutate()}
        busy={create.isPending}
        error={create.error}
      >
        <Json value={body ?? {}} label={form.createTitle} />
      </Confirm>
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

/** Changes a webhook. If somebody else changed it meanwhile, it shows what differs. */
export function EditWebhook({ webhook }: { webhook: Webhook }) {
  const { scope, isAdmin } = usePlace();
  const queries = useQueryClient();
  const [draft, setDraft] = useState(draftOf(webhook));
  const [asking, setAsking] = useState(false);
  const [theirs, setTheirs] = useState<Webhook | undefined>();
  const body = bodyOf(draft);
  const before = bodyOf(draftOf(webhook));
  const save = useMutation({
    mutationFn: () =>
      call(scope, 'PATCH /v1/integrations/webhooks/{id}', {
        path: { id: webhook.webhook_id },
        headers: { 'If-Match': `"${webhook.version}"` },
        body,
      }),
    async onSuccess(saved) {
      setAsking(false);
      queries.setQueryData(['webhook', scope.game, scope.environment, webhook.webhook_id], saved);
      await queries.invalidateQueries({ queryKey: ['webhooks', scope.game, scope.environment] });
    },
    async onError(error) {
      if (error instanceof ApiError && error.status === 412) setTheirs(await current(scope, webhook.webhook_id));
    },
  });
  if (!isAdmin) {
    return (
      <Stack>
        <Text>{TEXTS.viewOnly('admin')}</Text>
        <Json value={webhook} label={texts.tabs.settings} />
      </Stack>
    );
  }
  return (
    <>
      {theirs === undefined ? null : (
        <SavedElsewhere
          title={texts.conflict}
          before={before}
          after={bodyOf(draftOf(theirs))}
          onReload={() => queries.setQueryData(['webhook', scope.game, scope.environment, webhook.webhook_id], theirs)}
        />
      )}
      <Fields draft={draft} onChange={setDraft} onSubmit={() => setAsking(true)} action={TEXTS.save} />
      {save.isSuccess ? <Alert color="green">{texts.saved}</Alert> : null}
      <Confirm
        opened={asking}
        onClose={() => setAsking(false)}
        title={form.saveTitle(webhook.name)}
        action={TEXTS.save}
        onConfirm={() => save.mutate()}
        busy={save.isPending}
        error={save.error}
      >
        <Diff before={before} after={body} />
      </Confirm>
    </>
  );
}

function current(scope: Scope, id: string): Promise<Webhook> {
  return call(scope, 'GET /v1/integrations/webhooks/{id}', { path: { id } });
}

interface FieldsProps {
  draft: Draft;
  onChange: (draft: Draft) => void;
  onSubmit: () => void;
  action: string;
}

function Fields({ draft, onChange, onSubmit, action }: FieldsProps) {
  const [tried, setTried] = useState(false);
  const isReadable = bodyOf(draft) !== undefined;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setTried(true);
    if (isReadable && draft.events.length > 0) onSubmit();
  };
  const set = <K extends keyof Draft>(field: K, value: Draft[K]): void => onChange({ ...draft, [field]: value });
  return (
    <form onSubmit={submit}>
      <Stack maw={720}>
        <TextInput
          label={form.name}
          description={form.nameHelp}
          value={draft.name}
          onChange={(event) => set('name', event.currentTarget.value)}
        />
        <TextInput
          label={form.url}
          description={form.urlHelp}
          type="url"
          required
          value={draft.url}
          onChange={(event) => set('url', event.currentTarget.value)}
        />
        <TagsInput
          label={form.events}
          description={form.eventsHelp}
          required
          data={KINDS}
          value={draft.events}
          onChange={(events) => set('events', events)}
          error={tried && draft.events.length === 0 ? form.eventsHelp : undefined}
        />
        <JsonEditor
          label={form.filters}
          description={form.filtersHelp}
          value={draft.filters}
          onChange={(text) => set('filters', text)}
        />
        <JsonEditor
          label={form.headers}
          description={form.headersHelp}
          value={draft.headers}
          onChange={(text) => set('headers', text)}
        />
        <NumberInput
          label={form.retries}
          description={form.retriesHelp}
          min={0}
          max={10}
          allowDecimal={false}
          value={draft.retries}
          onChange={(value) => set('retries', typeof value === 'number' ? value : 0)}
        />
        <NativeSelect
          label={form.backoff}
          data={BACKOFFS.map((value) => ({ value, label: form.backoffs[value] }))}
          value={draft.backoff}
          onChange={(event) => {
            const chosen = BACKOFFS.find((each) => each === event.currentTarget.value);
            if (chosen !== undefined) set('backoff', chosen);
          }}
        />
        {tried && !isReadable ? <Fault error={new Error(form.notObject)} /> : null}
        <Button type="submit" w="fit-content">
          {action}
        </Button>
      </Stack>
    </form>
  );
}
