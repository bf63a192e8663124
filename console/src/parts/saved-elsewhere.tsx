import { Alert, Button, Stack } from '@mantine/core';
import { TEXTS } from '../texts.ts';
import { Diff } from './diff.tsx';

interface SavedElsewhereProps {
  title: string;
  /** The document that the edit began with, and the one that somebody else has saved. */
  before: unknown;
  after: unknown;
  onReload: () => void;
}

/** Says that somebody else saved a document while it was edited here, and what differs. */
export function SavedElsewhere({ title, before, after, onReload }: SavedElsewhereProps) {
  return (
    <Alert color="red" variant="outline" title={title} role="alert">
      <Stack align="flex-start">
        <Diff before={before} after={after} />
        <Button size="xs" variant="default" onClick={onReload}>
          {TEXTS.conflict.reload}
        </Button>
      </Stack>
    </Alert>
  );
}
