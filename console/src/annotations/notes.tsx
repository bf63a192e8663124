import { ActionIcon, Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { call } from '../frame/api.ts';
import { isAtLeast, usePlace } from '../frame/session.tsx';
import { DetailsDialog } from '../history/details-dialog.tsx';
import { Confirm } from '../parts/editors/confirm.tsx';
import { Time } from '../parts/lists/values.tsx';
import { TEXTS } from '../texts.ts';
import { type Annotation, type Mark, NEW } from './marks.ts';
import { NoteDialog } from './note-dialog.tsx';

const texts = TEXTS.annotations;

/**
 * The notes of a chart by their numbers, and the actions on them.
 * @param atMs the chosen time of the chart: a new note is on its day
 */
export function Notes({ marks, atMs = Date.now() }: { marks: readonly Mark[]; atMs?: number | undefined }) {
  const { role, zone } = usePlace();
  const mayWrite = isAtLeast(role, 'analyst');
  const [edited, setEdited] = useState<Annotation | 'new' | undefined>();
  const [removing, setRemoving] = useState<Annotation | undefined>();
  const [detailed, setDetailed] = useState('');
  if (marks.length === 0 && !mayWrite) return null;
  return (
    <section aria-label={texts.title}>
      <Stack gap={4} mt="xs">
        {marks.length === 0 ? null : (
          <ol className="notes" aria-label={texts.title}>
            {marks.map(({ annotation }, place) => (
              <li key={annotation.annotation_id}>
                <Group gap={6} align="center" wrap="nowrap">
                  <span className="note-number" aria-hidden="true">
                    {place + 1}
                  </span>
                  <Text size="sm" component="div" className="break-anywhere note-text">
                    <When at={annotation.at} /> {annotation.text} <About annotation={annotation} />{' '}
                    <By {...annotation} />
                  </Text>
                  <Action
                    label={TEXTS.history.details(annotation.text)}
                    sign="…"
                    onClick={() => setDetailed(annotation.annotation_id)}
                  />
                  {mayWrite ? (
                    <>
                      <Action label={texts.edit(annotation.text)} sign="✎" onClick={() => setEdited(annotation)} />
                      <Action label={texts.remove(annotation.text)} sign="✕" onClick={() => setRemoving(annotation)} />
                    </>
                  ) : null}
                </Group>
              </li>
            ))}
          </ol>
        )}
        {mayWrite ? (
          <Button variant="default" size="compact-xs" w="fit-content" onClick={() => setEdited('new')}>
            {texts.add}
          </Button>
        ) : null}
      </Stack>
      {edited === undefined ? null : (
        <NoteDialog
          note={edited === 'new' ? undefined : edited}
          first={NEW(zone, atMs)}
          onClose={() => setEdited(undefined)}
        />
      )}
      <NoteDetails
        of={marks.find(({ annotation }) => annotation.annotation_id === detailed)?.annotation}
        mayWrite={mayWrite}
        onClose={() => setDetailed('')}
      />
      {removing === undefined ? null : <RemoveNote note={removing} onClose={() => setRemoving(undefined)} />}
    </section>
  );
}

interface NoteDetailsProps {
  of: Annotation | undefined;
  mayWrite: boolean;
  onClose: () => void;
}

function NoteDetails({ of, mayWrite, onClose }: NoteDetailsProps) {
  const { scope } = usePlace();
  if (of === undefined) return null;
  const path = { id: of.annotation_id };
  const headers = { 'If-Match': String(of.version) };
  return (
    <DetailsDialog
      title={of.text}
      base="/v1/analytics/annotations/{id}"
      path={path}
      definition={of}
      mayChange={mayWrite}
      save={(body) => call(scope, 'PATCH /v1/analytics/annotations/{id}', { path, headers, body })}
      renews={[['annotations']]}
      onClose={onClose}
    />
  );
}

function When({ at }: { at: string }) {
  return at.length === '2026-01-15'.length ? <time dateTime={at}>{at}</time> : <Time at={at} />;
}

function About({ annotation: { link } }: { annotation: Annotation }) {
  const { scope } = usePlace();
  if (link === null) return null;
  const { kind, key } = link;
  return (
    <Anchor
      component={Link}
      href={`/${scope.game}/${scope.environment}/${kind}s/${encodeURIComponent(key)}`}
      size="sm"
      underline="always"
    >
      {texts.open(texts.linkKinds[kind], key)}
    </Anchor>
  );
}

function By({ made_by: { kind, email } }: Annotation) {
  return (
    <Text span size="xs" c="dimmed">
      {kind === 'key' ? texts.by.key : email === null ? texts.by.nobody : texts.byPerson(email)}
    </Text>
  );
}

function Action({ label, sign, onClick }: { label: string; sign: string; onClick: () => void }) {
  return (
    <ActionIcon size="sm" variant="subtle" color="gray" aria-label={label} title={label} onClick={onClick}>
      {sign}
    </ActionIcon>
  );
}

function RemoveNote({ note, onClose }: { note: Annotation; onClose: () => void }) {
  const { scope } = usePlace();
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () =>
      call(scope, 'DELETE /v1/analytics/annotations/{id}', {
        path: { id: note.annotation_id },
        headers: { 'If-Match': `"${note.version}"` },
      }),
    onSuccess: onClose,
    onSettled: () => queries.invalidateQueries({ queryKey: ['annotations'] }),
  });
  return (
    <Confirm
      opened
      onClose={onClose}
      title={texts.removeTitle}
      action={TEXTS.remove}
      onConfirm={() => remove.mutate()}
      busy={remove.isPending}
      error={remove.error}
      isDangerous
      changes={note.text}
    >
      <Text size="sm">{texts.removeHelp}</Text>
    </Confirm>
  );
}
