import { Alert, Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { ApiError, call, type Scope } from '../../api.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { Diff } from '../../parts/diff.tsx';
import { SavedElsewhere } from '../../parts/saved-elsewhere.tsx';
import { JsonEditor } from '../../parts/json-editor.tsx';
import { parseObject, prettyJson } from '../../parts/json-text.ts';
import { usePlace } from '../../session.tsx';
import { TEXTS } from '../../texts.ts';
import { DryRun } from './dry-run.tsx';
import type { EventSchema } from './schemas.tsx';

const texts = TEXTS.schema;
const MODES = ['observe', 'warn', 'enforce'] as const;
const START = { type: 'object', properties: {}, required: [] };

interface SchemaFormProps {
  name: string;
  /** undefined: a new one. */
  schema: EventSchema | undefined;
}

/** Edits one schema: mode, JSON, dry run, save with a diff. */
export function SchemaForm({ name: initialName, schema }: SchemaFormProps) {
  const { scope, mayEdit } = usePlace();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const [name, setName] = useState(initialName);
  const [description, setDescription] = useState(schema?.description ?? '');
  const [mode, setMode] = useState<(typeof MODES)[number]>(schema?.mode ?? 'observe');
  const [text, setText] = useState(prettyJson(schema?.schema ?? START));
  const [asked, setAsked] = useState<'save' | 'remove' | undefined>();
  const [theirs, setTheirs] = useState<EventSchema | undefined>();
  const parsed = parseObject(text);
  const after = { description, mode, schema: parsed };
  const base = `/${scope.game}/${scope.environment}/schemas`;
  const refresh = () => queries.invalidateQueries({ queryKey: ['schemas', scope.game, scope.environment] });
  const path = { event_name: name };

  const save = useMutation({
    mutationFn: () =>
      schema === undefined
        ? call(scope, 'POST /v1/events/schemas', { body: { event_name: name, ...after } })
        : call(scope, 'PUT /v1/events/schemas/{event_name}', {
            path,
            headers: { 'If-Match': `"${schema.version}"` },
            body: after,
          }),
    async onSuccess(saved) {
      setAsked(undefined);
      queries.setQueryData(['schema', scope.game, scope.environment, name], saved);
      await refresh();
      if (schema === undefined) navigate(`${base}/of/${encodeURIComponent(name)}`);
    },
    async onError(error) {
      if (error instanceof ApiError && error.status === 412) setTheirs(await current(scope, name));
    },
  });
  const remove = useMutation({
    mutationFn: () => call(scope, 'DELETE /v1/events/schemas/{event_name}', { path }),
    async onSuccess() {
      await refresh();
      navigate(base);
    },
  });
  const action = asked === 'remove' ? remove : save;
  return (
    <Stack>
      {theirs === undefined ? null : (
        <SavedElsewhere
          title={texts.conflict}
          before={partsOf(schema)}
          after={partsOf(theirs)}
          onReload={() => queries.setQueryData(['schema', scope.game, scope.environment, name], theirs)}
        />
      )}
      {schema === undefined ? (
        <TextInput label={texts.name} required value={name} onChange={(event) => setName(event.currentTarget.value)} />
      ) : null}
      <Group align="flex-end">
        <NativeSelect
          label={texts.mode}
          disabled={!mayEdit}
          value={mode}
          data={MODES.map((value) => ({ value, label: TEXTS.schemas.modes[value] }))}
          onChange={(event) => {
            const chosen = MODES.find((each) => each === event.currentTarget.value);
            if (chosen !== undefined) setMode(chosen);
          }}
        />
        <TextInput
          label={texts.description}
          disabled={!mayEdit}
          value={description}
          onChange={(event) => setDescription(event.currentTarget.value)}
          flex="1 1 240px"
        />
      </Group>
      <JsonEditor
        label={texts.json}
        description={texts.jsonHelp}
        value={text}
        onChange={setText}
        readOnly={!mayEdit}
        minHeight={220}
      />
      {parsed === undefined ? <Text c="red">{texts.notObject}</Text> : null}
      {mayEdit ? (
        <Group>
          <Button onClick={() => setAsked('save')} disabled={parsed === undefined || name === ''}>
            {schema === undefined ? TEXTS.create : texts.save}
          </Button>
          {schema === undefined ? null : (
            <Button variant="default" onClick={() => setAsked('remove')}>
              {texts.remove}
            </Button>
          )}
        </Group>
      ) : null}
      {save.isSuccess ? <Alert color="green">{texts.saved}</Alert> : null}
      <DryRun name={name} schema={parsed} />
      <Confirm
        opened={asked !== undefined}
        onClose={() => setAsked(undefined)}
        title={titleOf(asked, name, schema === undefined)}
        action={asked === 'remove' ? texts.remove : schema === undefined ? TEXTS.create : texts.save}
        onConfirm={() => action.mutate()}
        busy={action.isPending}
        error={action.error}
        isDangerous={asked === 'remove'}
      >
        {asked === 'remove' ? <Text>{texts.removeHelp}</Text> : <Diff before={partsOf(schema)} after={after} />}
        {asked === 'save' && mode === 'enforce' ? <Text fw={600}>{texts.enforceWarning}</Text> : null}
      </Confirm>
    </Stack>
  );
}

function titleOf(asked: 'save' | 'remove' | undefined, name: string, isNew: boolean): string {
  if (asked === 'remove') return texts.removeTitle(name);
  return isNew ? texts.createTitle(name) : texts.saveTitle(name);
}

function partsOf(schema: EventSchema | undefined) {
  if (schema === undefined) return {};
  return { description: schema.description, mode: schema.mode, schema: schema.schema };
}

function current(scope: Scope, name: string): Promise<EventSchema> {
  return call(scope, 'GET /v1/events/schemas/{event_name}', { path: { event_name: name } });
}
