import { Button, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { JsonObject } from '../../../src/kernel/json.ts';
import { ApiError, call } from '../api.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Conflict } from '../parts/conflict.tsx';
import { Diff } from '../parts/diff.tsx';
import type { Draft } from '../parts/draft.ts';
import { usePlace } from '../session.tsx';
import { TEXTS } from '../texts.ts';
import { contentOf, type EditedSegment, editedOf, type Segment } from './edited-segment.ts';

const texts = TEXTS.segment;

interface SaveSegmentProps {
  draft: Draft<Segment, EditedSegment>;
  body: JsonObject | undefined;
  setDraft: (draft: Draft<Segment, EditedSegment> | undefined) => void;
}

/** Saves a draft at the version that it began with, or merges it by field with what somebody else saved. */
export function SaveSegment({ draft, body, setDraft }: SaveSegmentProps) {
  const { scope } = usePlace();
  const queries = useQueryClient();
  const [asking, setAsking] = useState(false);
  const [theirs, setTheirs] = useState<Segment | undefined>();
  const { base } = draft;
  const path = { id: base.segment_id };
  const renew = () =>
    Promise.all(['segment', 'members', 'all segments'].map((kind) => queries.invalidateQueries({ queryKey: [kind] })));
  const save = useMutation({
    mutationFn: (fields: JsonObject) =>
      call(scope, 'PUT /v1/segments/segments/{id}', {
        path,
        headers: { 'If-Match': String(base.version) },
        body: { ...fields, kind: base.kind },
      }),
    onSuccess: async () => {
      // The screen reads the saved segment before the draft goes, so that it never shows the old one.
      await renew();
      setDraft(undefined);
    },
    onError: async (error) => {
      if (!(error instanceof ApiError) || error.status !== 412) return;
      setAsking(false);
      setTheirs(await call(scope, 'GET /v1/segments/segments/{id}', { path }));
    },
  });
  const merge = (merged: Record<string, unknown>): void => {
    if (theirs === undefined) return;
    setDraft({ base: theirs, edited: editedOf({ ...theirs, ...merged }) });
    setTheirs(undefined);
    save.reset();
    void renew();
  };
  return (
    <>
      <Button size="xs" disabled={body === undefined} onClick={() => setAsking(true)}>
        {texts.save}
      </Button>
      <Confirm
        opened={asking && body !== undefined}
        onClose={() => {
          setAsking(false);
          save.reset();
        }}
        title={texts.saveTitle(base.key)}
        action={texts.save}
        size="xl"
        busy={save.isPending}
        error={save.error}
        onConfirm={() => {
          if (body !== undefined) save.mutate(body);
        }}
      >
        <Diff before={contentOf(base)} after={body} />
        <Text size="sm">{texts.sweep}</Text>
      </Confirm>
      {theirs === undefined || body === undefined ? null : (
        <Conflict
          base={contentOf(base)}
          mine={body}
          theirs={contentOf(theirs)}
          versions={{ mine: base.version, theirs: theirs.version }}
          onClose={() => setTheirs(undefined)}
          onMerge={merge}
        />
      )}
    </>
  );
}
