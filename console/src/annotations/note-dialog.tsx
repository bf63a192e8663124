import { Button, Group, NativeSelect, Stack, Text, TextInput, Textarea } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { type AnnotatedKind, ANNOTATED_KINDS } from '../../../core/vocabulary/documents/annotation.ts';
import { ApiError, call } from '../frame/api.ts';
import { useCampaigns, useExperiments, useFlags, useSegments } from '../definitions.ts';
import { usePlace, useZone } from '../frame/session.tsx';
import { Dialog } from '../parts/editors/dialog.tsx';
import { Fault } from '../parts/states.tsx';
import { TEXTS } from '../texts.ts';
import { type Annotation, atOf, type Written, writtenOf } from './marks.ts';

const texts = TEXTS.annotations;

interface NoteDialogProps {
  /** The note to change; undefined: a new one. */
  note: Annotation | undefined;
  /** What a new note begins with. */
  first: Written;
  onClose: () => void;
}

/** Writes a note, or changes one. */
export function NoteDialog({ note, first, onClose }: NoteDialogProps) {
  const { scope } = usePlace();
  const zone = useZone();
  const queries = useQueryClient();
  const [written, setWritten] = useState(() => (note === undefined ? first : writtenOf(zone, note)));
  const at = atOf(zone, written, note);
  const kind = ANNOTATED_KINDS.find((each) => each === written.kind);
  const save = useMutation({
    mutationFn: () => {
      const link = kind === undefined ? null : { kind, key: written.key };
      // A link that did not change is not checked again: what it names may be archived.
      const isLinkKept = note !== undefined && JSON.stringify(note.link) === JSON.stringify(link);
      const body = { text: written.text, at, ...(isLinkKept ? {} : { link }) };
      if (note === undefined) return call(scope, 'POST /v1/analytics/annotations', { body });
      const headers = { 'If-Match': `"${note.version}"` };
      const path = { id: note.annotation_id };
      return call(scope, 'PATCH /v1/analytics/annotations/{id}', { path, headers, body });
    },
    onSuccess: onClose,
    onSettled: () => queries.invalidateQueries({ queryKey: ['annotations'] }),
  });
  const { error } = save;
  const faults = error instanceof ApiError ? error.fields : [];
  const faultOf = (path: string) => faults.find((field) => field.path === path)?.message;
  const set = (change: Partial<Written>): void => {
    save.reset();
    setWritten({ ...written, ...change });
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <Dialog opened onClose={onClose} title={note === undefined ? texts.addTitle : texts.editTitle}>
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm" c="dimmed">
            {texts.help}
          </Text>
          <Textarea
            data-autofocus
            required
            autosize
            minRows={2}
            label={texts.text}
            placeholder={texts.textHint}
            value={written.text}
            error={faultOf('/text')}
            onChange={(event) => set({ text: event.currentTarget.value })}
          />
          <Group align="flex-start" grow>
            <TextInput
              type="date"
              required
              label={texts.day(zone)}
              value={written.day}
              error={faultOf('/at')}
              onChange={(event) => set({ day: event.currentTarget.value })}
            />
            <TextInput
              type="time"
              label={texts.time}
              description={texts.timeHelp}
              value={written.time}
              onChange={(event) => set({ time: event.currentTarget.value })}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
            />
          </Group>
          <LinkFields written={written} onChange={set} error={faultOf('/link/key')} />
          {error === null || faults.some(({ path }) => FIELDS.has(path)) ? null : <Fault error={error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {TEXTS.cancel}
            </Button>
            <Button type="submit" loading={save.isPending} disabled={at === undefined}>
              {TEXTS.save}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

/** Paths of faults that are shown beside their field. */
const FIELDS: ReadonlySet<string> = new Set(['/text', '/at', '/link/key']);

interface LinkFieldsProps {
  written: Written;
  onChange: (change: Partial<Written>) => void;
  error: string | undefined;
}

/** What the note is about. */
function LinkFields({ written, onChange, error }: LinkFieldsProps) {
  const kind = ANNOTATED_KINDS.find((each) => each === written.kind);
  return (
    <Group align="flex-start" grow>
      <NativeSelect
        label={texts.kind}
        value={written.kind}
        data={(['', ...ANNOTATED_KINDS] as const).map((value) => ({ value, label: texts.kinds[value] }))}
        onChange={(event) => onChange({ kind: event.currentTarget.value, key: '' })}
      />
      {kind === undefined ? null : (
        <LinkKey kind={kind} value={written.key} error={error} onChange={(key) => onChange({ key })} />
      )}
    </Group>
  );
}

interface LinkKeyProps {
  kind: AnnotatedKind;
  value: string;
  error: string | undefined;
  onChange: (key: string) => void;
}

/** The definition that the note is about, by its name. */
function LinkKey({ kind, value, error, onChange }: LinkKeyProps) {
  const { data: flags = [] } = useFlags();
  const { data: segments = [] } = useSegments();
  const { data: campaigns = [] } = useCampaigns();
  const { data: experiments = [] } = useExperiments();
  const named = ({ key, name }: { key: string; name: string }) => ({ value: key, label: name });
  const options = {
    flag: flags.map(named),
    experiment: experiments.map(named),
    segment: segments.map(({ segment_id: id, name }) => ({ value: id, label: name })),
    campaign: campaigns.map(({ campaign_id: id, name }) => ({ value: id, label: name })),
  }[kind];
  const isKnown = value === '' || options.some((each) => each.value === value);
  return (
    <NativeSelect
      required
      label={texts.which}
      value={value}
      data={[{ value: '', label: texts.choose }, ...(isKnown ? [] : [{ value, label: value }]), ...options]}
      error={error}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
