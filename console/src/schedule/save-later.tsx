import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import type { JsonObject } from '../../../core/kernel/text/json.ts';
import { useZone } from '../frame/session.tsx';
import { Diff } from '../parts/drafts/diff.tsx';
import { TimeInput } from '../parts/editors/time-input.tsx';
import { isTime } from '../parts/zoned-time.ts';
import { TEXTS } from '../texts.ts';
import { PlanDialog } from './plan-dialog.tsx';
import { mergePatchOf, type ScheduledKind } from './planned.ts';

const texts = TEXTS.schedule;

interface SaveLaterProps {
  of: ScheduledKind;
  id: string;
  /** The fields that people edit, as the draft began. */
  before: JsonObject;
  /** The fields to save; undefined: some are not valid yet. */
  body: JsonObject | undefined;
  /** After the changes of the draft are planned. */
  onPlanned: () => void;
}

/** A button beside that which saves a draft: its changes are made later. */
export function SaveLater({ of, id, before, body, onPlanned }: SaveLaterProps) {
  const zone = useZone();
  const [opened, setOpened] = useState(false);
  const [at, setAt] = useState('');
  const patch = body === undefined ? undefined : mergePatchOf(before, body);
  const isPlan = patch !== undefined && Object.keys(patch).length > 0 && isTime(at);
  return (
    <>
      <Button variant="default" size="xs" disabled={body === undefined} onClick={() => setOpened(true)}>
        {texts.later}
      </Button>
      <PlanDialog
        of={of}
        id={id}
        title={texts.laterTitle}
        plan={isPlan ? { changes: [{ at, patch }] } : undefined}
        opened={opened && body !== undefined}
        onClose={() => setOpened(false)}
        onPlanned={onPlanned}
      >
        <Text size="sm">{texts.laterHelp}</Text>
        <TimeInput label={texts.at(zone)} value={at} readOnly={false} onChange={setAt} />
        {patch === undefined ? (
          <Text size="sm" c="var(--fault-color)" role="alert">
            {texts.noPatch}
          </Text>
        ) : null}
        <Diff before={before} after={body} />
      </PlanDialog>
    </>
  );
}
