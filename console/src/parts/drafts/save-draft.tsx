import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ApiError } from '../../frame/api.ts';
import { TEXTS } from '../../texts.ts';
import { Confirm } from '../editors/confirm.tsx';
import { ManagedNotice } from '../labels/managed-notice.tsx';
import { Conflict } from './conflict.tsx';
import { Diff } from './diff.tsx';
import { noteSaved, type Written } from './saved.tsx';

type Fields = Readonly<Record<string, unknown>>;

interface SaveDraftProps<Held extends Written, Answer extends Written, Body extends Fields> {
  /** The document that the draft began with; undefined: the document is new. */
  base: Held | undefined;
  /** The fields to save; undefined: some are not valid yet, as `notReady` says. */
  body: Body | undefined;
  notReady?: string;
  /** The fields that people edit. */
  contentOf: (held: Held) => Fields;
  title: string;
  /** What it changes in live, if not what players get. */
  changes?: string | undefined;
  /** Sends the fields at the version of `base`. */
  send: (body: Body) => Promise<Answer>;
  /** Reads the document as it is now; a new one needs neither this nor `onMerge`. */
  read?: () => Promise<Held>;
  /** Kind, game, environment and id of a document, for `SavedNotice`. */
  placeOf: (saved: Answer) => readonly string[];
  /** Shows what was saved; the dialog stays until it has ended. */
  onSaved: (saved: Answer) => unknown;
  /** Begins the draft anew from what another person saved, with the chosen fields. */
  onMerge?: (theirs: Held, merged: Record<string, unknown>) => void;
  /** What else the dialog says. */
  children?: ReactNode;
}

/** Saves a draft at the version that it began with. If another person saved meanwhile, the edits are merged by field. */
export function SaveDraft<Held extends Written, Answer extends Written, Body extends Fields>({
  base,
  body,
  notReady,
  contentOf,
  title,
  changes,
  send,
  read,
  placeOf,
  onSaved,
  onMerge,
  children,
}: SaveDraftProps<Held, Answer, Body>) {
  const queries = useQueryClient();
  const [asking, setAsking] = useState(false);
  const [theirs, setTheirs] = useState<Held | undefined>();
  const action = base === undefined ? TEXTS.create : TEXTS.save;
  const before = base === undefined ? {} : contentOf(base);
  const save = useMutation({
    mutationFn: send,
    onSuccess: async (saved) => {
      noteSaved(queries, placeOf(saved), saved);
      await onSaved(saved);
    },
    onError: async (error) => {
      if (read === undefined || !(error instanceof ApiError) || error.status !== 412) return;
      setAsking(false);
      setTheirs(await read());
    },
  });
  const close = (): void => {
    setAsking(false);
    setTheirs(undefined);
    save.reset();
  };
  return (
    <>
      <Button
        size="xs"
        disabled={body === undefined}
        title={body === undefined ? notReady : undefined}
        onClick={() => setAsking(true)}
      >
        {action}
      </Button>
      <Confirm
        opened={asking && body !== undefined}
        onClose={close}
        title={title}
        {...(changes === undefined ? {} : { changes })}
        action={action}
        size="xl"
        busy={save.isPending}
        error={save.error}
        onConfirm={() => {
          if (body !== undefined) save.mutate(body);
        }}
      >
        {base === undefined ? null : <ManagedNotice of={base} />}
        <Diff before={before} after={body} />
        {children}
      </Confirm>
      {base === undefined || theirs === undefined || body === undefined ? null : (
        <Conflict
          base={before}
          mine={body}
          theirs={contentOf(theirs)}
          versions={{ mine: base.version, theirs: theirs.version }}
          onClose={close}
          onMerge={(merged) => {
            onMerge?.(theirs, merged);
            close();
          }}
        />
      )}
    </>
  );
}
