import { Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { call, type Scope } from '../../frame/api.ts';
import { ConfirmButton } from '../../parts/editors/confirm-button.tsx';
import { type Draft, useDraft } from '../../parts/drafts/draft.ts';
import { DraftBar } from '../../parts/drafts/draft-bar.tsx';
import { JsonEditor } from '../../parts/editors/json-editor.tsx';
import { parseObject, prettyJson } from '../../parts/editors/json-text.ts';
import { LabelFields } from '../../parts/labels/label-fields.tsx';
import { type Labels, labelsOf } from '../../parts/labels/labels.ts';
import { ManagedNotice } from '../../parts/labels/managed-notice.tsx';
import { SaveDraft } from '../../parts/drafts/save-draft.tsx';
import { SavedNotice } from '../../parts/drafts/saved.tsx';
import { usePlace } from '../../frame/session.tsx';
import { TEXTS } from '../../texts.ts';
import { DryRun } from './dry-run.tsx';
import type { EventSchema } from './schemas.tsx';

const texts = TEXTS.schema;
const MODES = ['observe', 'warn', 'enforce'] as const;
const START = { type: 'object', properties: {}, required: [] };

/** A schema as a person edits it: the JSON is a text, which need not be valid yet. */
interface EditedSchema {
  /** Of a new schema only. */
  name: string;
  description: string;
  mode: (typeof MODES)[number];
  text: string;
  labels: Labels;
}

function editedOf(name: string, schema: Partial<EventSchema> | undefined): EditedSchema {
  const { description = '', mode = 'observe', schema: document = START } = schema ?? {};
  return { name, description, mode, text: prettyJson(document), labels: labelsOf(schema ?? {}) };
}

/** The fields that people edit, as the service has them. */
function contentOf(held: EventSchema) {
  const { description, mode, schema } = held;
  return { description, mode, schema, ...labelsOf(held) };
}

type SchemaDraft = Draft<EventSchema | null, EditedSchema>;

interface SchemaFormProps {
  name: string;
  /** undefined: a new one. */
  schema: EventSchema | undefined;
}

/** Edits one schema: mode, JSON, dry run, save with a diff. */
export function SchemaForm({ name, schema }: SchemaFormProps) {
  const { scope, mayEdit } = usePlace();
  const place = schemaQuery(scope, name);
  const [draft, setDraft] = useDraft<EventSchema | null, EditedSchema>(
    schema === undefined ? `new ${place.join(' ')}` : place.join(' '),
  );
  const edited = draft?.edited ?? editedOf(name, schema);
  // A draft is based on the version that it began with, also after a reload.
  const base = draft?.base ?? schema;
  const isNew = schema === undefined;
  const save = <SaveSchema base={base} edited={edited} setDraft={setDraft} />;
  return (
    <Stack>
      {mayEdit && isNew && draft === undefined ? <div>{save}</div> : null}
      {mayEdit && draft !== undefined ? <DraftBar onDiscard={() => setDraft(undefined)}>{save}</DraftBar> : null}
      {mayEdit && schema !== undefined ? <ManagedNotice of={schema} /> : null}
      <SavedNotice place={place} version={schema?.version} />
      <SchemaFields
        edited={edited}
        isNew={isNew}
        onChange={(change) => setDraft({ base: base ?? null, edited: { ...edited, ...change } })}
      />
      {mayEdit && !isNew && draft === undefined ? <RemoveSchema name={name} /> : null}
      <DryRun name={edited.name} schema={parseObject(edited.text)} />
    </Stack>
  );
}

interface SaveSchemaProps {
  /** undefined: a new one. */
  base: EventSchema | undefined;
  edited: EditedSchema;
  setDraft: (draft: SchemaDraft | undefined) => void;
}

function SaveSchema({ base, edited: { name, description, mode, text, labels }, setDraft }: SaveSchemaProps) {
  const { scope } = usePlace();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const place = schemaQuery(scope, name);
  const path = { event_name: name };
  const schema = parseObject(text);
  return (
    <SaveDraft
      base={base}
      body={schema === undefined || name === '' ? undefined : { description, mode, schema, ...labels }}
      notReady={name === '' ? texts.nameless : texts.notObject}
      contentOf={contentOf}
      title={base === undefined ? texts.createTitle(name) : texts.saveTitle(name)}
      send={(body) =>
        base === undefined
          ? call(scope, 'POST /v1/events/schemas', { body: { event_name: name, ...body } })
          : call(scope, 'PUT /v1/events/schemas/{event_name}', {
              path,
              headers: { 'If-Match': `"${base.version}"` },
              body,
            })
      }
      read={() => call(scope, 'GET /v1/events/schemas/{event_name}', { path })}
      placeOf={() => place}
      onSaved={async (saved) => {
        queries.setQueryData(place, saved);
        setDraft(undefined);
        await queries.invalidateQueries({ queryKey: ['schemas', scope.game, scope.environment] });
        if (base === undefined) navigate(addressOf(scope, name));
      }}
      onMerge={(theirs, merged) => {
        queries.setQueryData(place, theirs);
        setDraft({ base: theirs, edited: editedOf(name, { ...theirs, ...merged }) });
      }}
    >
      {mode === 'enforce' ? <Text fw={600}>{texts.enforceWarning}</Text> : null}
    </SaveDraft>
  );
}

interface SchemaFieldsProps {
  edited: EditedSchema;
  isNew: boolean;
  onChange: (change: Partial<EditedSchema>) => void;
}

function SchemaFields({ edited: { name, description, mode, text, labels }, isNew, onChange }: SchemaFieldsProps) {
  const { mayEdit } = usePlace();
  return (
    <>
      {isNew ? (
        <TextInput
          label={texts.name}
          required
          value={name}
          onChange={(event) => onChange({ name: event.currentTarget.value })}
        />
      ) : null}
      <Group align="flex-end">
        <NativeSelect
          label={texts.mode}
          disabled={!mayEdit}
          value={mode}
          data={MODES.map((value) => ({ value, label: TEXTS.schemas.modes[value] }))}
          onChange={(event) => {
            const chosen = MODES.find((each) => each === event.currentTarget.value);
            if (chosen !== undefined) onChange({ mode: chosen });
          }}
        />
        <TextInput
          label={texts.description}
          disabled={!mayEdit}
          value={description}
          onChange={(event) => onChange({ description: event.currentTarget.value })}
          flex="1 1 240px"
        />
      </Group>
      <JsonEditor
        label={texts.json}
        description={texts.jsonHelp}
        value={text}
        onChange={(next) => onChange({ text: next })}
        readOnly={!mayEdit}
        minHeight={220}
      />
      <LabelFields labels={labels} onChange={(next) => onChange({ labels: next })} readOnly={!mayEdit} />
      {parseObject(text) === undefined ? <Text c="var(--fault-color)">{texts.notObject}</Text> : null}
    </>
  );
}

function RemoveSchema({ name }: { name: string }) {
  const { scope } = usePlace();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const remove = useMutation({
    mutationFn: () => call(scope, 'DELETE /v1/events/schemas/{event_name}', { path: { event_name: name } }),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: ['schemas', scope.game, scope.environment] });
      navigate(`/${scope.game}/${scope.environment}/schemas`);
    },
  });
  return (
    <ConfirmButton
      action={texts.remove}
      title={texts.removeTitle(name)}
      onClose={() => remove.reset()}
      onConfirm={() => remove.mutate()}
      busy={remove.isPending}
      error={remove.error}
      isDangerous
    >
      <Text>{texts.removeHelp}</Text>
    </ConfirmButton>
  );
}

const schemaQuery = ({ game, environment }: Scope, name: string): string[] => ['schema', game, environment, name];

function addressOf({ game, environment }: Scope, name: string): string {
  return `/${game}/${environment}/schemas/of/${encodeURIComponent(name)}`;
}
