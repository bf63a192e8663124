import { Button } from '@mantine/core';
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
import { type Flag, flagQuery } from './definitions.ts';
import { contentOf, type EditedFlag, editedOf } from './edited-flag.ts';

const texts = TEXTS.flag;

interface SaveFlagProps {
  /** The flag as the service had it last. */
  flag: Flag;
  draft: Draft<Flag, EditedFlag>;
  /** The fields to save; undefined: some are not valid yet. */
  body: JsonObject | undefined;
  setDraft: (draft: Draft<Flag, EditedFlag> | undefined) => void;
}

/** Saves a draft at the version that it began with. If somebody else saved meanwhile, the edits are merged by field. */
export function SaveFlag({ flag, draft, body, setDraft }: SaveFlagProps) {
  const { scope } = usePlace();
  const queries = useQueryClient();
  const [asking, setAsking] = useState(false);
  const [theirs, setTheirs] = useState<Flag | undefined>();
  const { key } = flag;
  const save = useMutation({
    mutationFn: (fields: JsonObject) =>
      call(scope, 'PUT /v1/flags/flags/{key}', {
        path: { key },
        headers: { 'If-Match': String(draft.base.version) },
        body: { ...fields, flag_type: flag.flag_type },
      }),
    onSuccess: async (saved) => {
      setDraft(undefined);
      queries.setQueryData(flagQuery(scope, key), saved);
      await queries.invalidateQueries({ queryKey: ['all flags'] });
    },
    onError: async (error) => {
      if (!(error instanceof ApiError) || error.status !== 412) return;
      setAsking(false);
      setTheirs(await call(scope, 'GET /v1/flags/flags/{key}', { path: { key } }));
    },
  });
  const merge = (merged: Record<string, unknown>): void => {
    if (theirs === undefined) return;
    queries.setQueryData(flagQuery(scope, key), theirs);
    setDraft({ base: theirs, edited: editedOf({ ...theirs, ...merged }) });
    setTheirs(undefined);
    save.reset();
  };
  return (
    <>
      <Button
        size="xs"
        disabled={body === undefined}
        title={body === undefined ? texts.notReady : undefined}
        onClick={() => setAsking(true)}
      >
        {texts.save}
      </Button>
      <Confirm
        opened={asking && body !== undefined}
        onClose={() => {
          setAsking(false);
          save.reset();
        }}
        title={texts.saveTitle(key)}
        action={texts.save}
        size="xl"
        busy={save.isPending}
        error={save.error}
        onConfirm={() => {
          if (body !== undefined) save.mutate(body);
        }}
      >
        <Diff before={contentOf(draft.base)} after={body} />
      </Confirm>
      {theirs === undefined || body === undefined ? null : (
        <Conflict
          base={contentOf(draft.base)}
          mine={body}
          theirs={contentOf(theirs)}
          versions={{ mine: draft.base.version, theirs: theirs.version }}
          onClose={() => setTheirs(undefined)}
          onMerge={merge}
        />
      )}
    </>
  );
}
