import { Alert, Button, Group, Stack } from '@mantine/core';
import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Dialog } from '../parts/editors/dialog.tsx';
import { LabelFields } from '../parts/labels/label-fields.tsx';
import { type Labels, labelsOf } from '../parts/labels/labels.ts';
import { ManagedNotice } from '../parts/labels/managed-notice.tsx';
import { Fault } from '../parts/states.tsx';
import { TEXTS } from '../texts.ts';
import { type Base, History } from './history.tsx';

const texts = TEXTS.history;

interface DetailsDialogProps {
  title: string;
  base: Base;
  path: Readonly<Record<string, string>>;
  definition: Labels & { version: number };
  /** Whether this person may change it. */
  mayChange: boolean;
  /** Saves the labels on the version of `definition`. */
  save: (labels: { owner: string; tags: string[]; note: string }) => Promise<unknown>;
  /** What is read again after a change: the first parts of the keys. */
  renews: readonly QueryKey[];
  onClose: () => void;
}

/** What people keep about a small definition, which has no screen of its own: owner, tags, note and history. */
export function DetailsDialog({ title, base, path, definition, mayChange, save, renews, onClose }: DetailsDialogProps) {
  const queries = useQueryClient();
  const [labels, setLabels] = useState<Labels>(() => labelsOf(definition));
  const change = useMutation({
    mutationFn: () => save({ ...labels, tags: [...labels.tags] }),
    onSuccess: () => Promise.all(renews.map((queryKey) => queries.invalidateQueries({ queryKey }))),
  });
  const isChanged = JSON.stringify(labels) !== JSON.stringify(labelsOf(definition));
  return (
    <Dialog opened onClose={onClose} title={title} size="xl">
      <Stack>
        {mayChange ? <ManagedNotice of={definition} /> : null}
        <LabelFields labels={labels} onChange={setLabels} readOnly={!mayChange} />
        {change.error === null ? null : <Fault error={change.error} />}
        {change.isSuccess && !isChanged ? (
          <Alert color="green" variant="outline" role="status" title={texts.labelsSaved} />
        ) : null}
        {mayChange ? (
          <Group justify="flex-end">
            <Button loading={change.isPending} disabled={!isChanged} onClick={() => change.mutate()}>
              {TEXTS.save}
            </Button>
          </Group>
        ) : null}
        <History base={base} path={path} version={definition.version} mayRestore={mayChange} renews={renews} />
      </Stack>
    </Dialog>
  );
}
