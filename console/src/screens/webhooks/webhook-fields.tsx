import { WEBHOOK_KINDS } from '../../../../core/vocabulary/documents/webhook-kinds.ts';
import { Alert, NativeSelect, NumberInput, Stack, TagsInput, TextInput } from '@mantine/core';
import { JsonEditor } from '../../parts/editors/json-editor.tsx';
import { LabelFields } from '../../parts/labels/label-fields.tsx';
import { TEXTS } from '../../texts.ts';
import { BACKOFFS, type EditedWebhook } from './edited-webhook.ts';

const { form } = TEXTS.webhook;
const KINDS = ['*', 'player.*', ...Object.keys(WEBHOOK_KINDS)];

interface WebhookFieldsProps {
  edited: EditedWebhook;
  /** The headers as JSON, until they are edited. */
  headers: string;
  onChange: (change: Partial<EditedWebhook>) => void;
}

export function WebhookFields({ edited, headers, onChange }: WebhookFieldsProps) {
  return (
    <Stack maw={720}>
      <TextInput
        label={form.name}
        description={form.nameHelp}
        value={edited.name}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
      />
      <TextInput
        label={form.url}
        description={form.urlHelp}
        type="url"
        required
        value={edited.url}
        onChange={(event) => onChange({ url: event.currentTarget.value })}
      />
      <TagsInput
        label={form.events}
        description={form.eventsHelp}
        required
        data={KINDS}
        value={edited.events}
        onChange={(events) => onChange({ events })}
      />
      <JsonEditor
        label={form.filters}
        description={form.filtersHelp}
        value={edited.filters}
        onChange={(filters) => onChange({ filters })}
      />
      <JsonEditor
        label={form.headers}
        description={form.headersHelp}
        value={edited.headers ?? headers}
        onChange={(text) => onChange({ headers: text, hasLostHeaders: undefined })}
      />
      {edited.hasLostHeaders === true ? (
        <Alert color="yellow" variant="outline" role="status">
          {form.headersLost}
        </Alert>
      ) : null}
      <NumberInput
        label={form.retries}
        description={form.retriesHelp}
        min={0}
        max={10}
        allowDecimal={false}
        value={edited.retries}
        onChange={(value) => onChange({ retries: typeof value === 'number' ? value : 0 })}
      />
      <NativeSelect
        label={form.backoff}
        data={BACKOFFS.map((value) => ({ value, label: form.backoffs[value] }))}
        value={edited.backoff}
        onChange={(event) => {
          const backoff = BACKOFFS.find((each) => each === event.currentTarget.value);
          if (backoff !== undefined) onChange({ backoff });
        }}
      />
      <LabelFields labels={edited.labels} onChange={(labels) => onChange({ labels })} readOnly={false} />
    </Stack>
  );
}
