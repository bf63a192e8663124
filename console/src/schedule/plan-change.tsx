import { Button, Group, NativeSelect } from '@mantine/core';
import { useState } from 'react';
import type { JsonObject } from '../../../core/kernel/text/json.ts';
import { useZone } from '../frame/session.tsx';
import { JsonEditor } from '../parts/editors/json-editor.tsx';
import { parseObject } from '../parts/editors/json-text.ts';
import { TimeInput } from '../parts/editors/time-input.tsx';
import { isTime } from '../parts/zoned-time.ts';
import { TEXTS } from '../texts.ts';
import { PlanDialog } from './plan-dialog.tsx';
import type { ScheduledKind } from './planned.ts';

const texts = TEXTS.schedule;

interface PlanChangeProps {
  of: ScheduledKind;
  id: string;
  /** Whether it is on; undefined: definitions of this kind are not turned on and off. */
  enabled: boolean | undefined;
}

/** A button that plans a change at a time: turning it on or off, or new values of some fields. */
export function PlanChange(props: PlanChangeProps) {
  const [opened, setOpened] = useState(false);
  return (
    <>
      <Button variant="default" size="xs" onClick={() => setOpened(true)}>
        {texts.change}
      </Button>
      {/* Each time it begins anew. */}
      {opened ? <ChangeDialog {...props} onClose={() => setOpened(false)} /> : null}
    </>
  );
}

type What = keyof typeof texts.whats;

function ChangeDialog({ of, id, enabled, onClose }: PlanChangeProps & { onClose: () => void }) {
  const zone = useZone();
  const whats: What[] = enabled === undefined ? ['fields'] : [enabled ? 'off' : 'on', enabled ? 'on' : 'off', 'fields'];
  const [what, setWhat] = useState<What>(whats[0] ?? 'fields');
  const [text, setText] = useState('{}');
  const [at, setAt] = useState('');
  const patch = patchOf(what, text);
  return (
    <PlanDialog
      of={of}
      id={id}
      title={texts.changeTitle}
      plan={patch === undefined || !isTime(at) ? undefined : { changes: [{ at, patch }] }}
      opened
      onClose={onClose}
    >
      <Group align="flex-end">
        <NativeSelect
          size="xs"
          label={texts.what}
          value={what}
          data={whats.map((value) => ({ value, label: texts.whats[value] }))}
          onChange={(event) => setWhat(whats.find((each) => each === event.currentTarget.value) ?? 'fields')}
        />
        <TimeInput label={texts.at(zone)} value={at} readOnly={false} onChange={setAt} />
      </Group>
      {what === 'fields' ? (
        <JsonEditor
          label={texts.fields}
          description={texts.fieldsHelp}
          value={text}
          onChange={setText}
          minHeight={100}
        />
      ) : null}
    </PlanDialog>
  );
}

/** What a planned change sets; undefined: it is not given yet. */
function patchOf(what: What, text: string): JsonObject | undefined {
  if (what !== 'fields') return { enabled: what === 'on' };
  const patch = parseObject(text);
  return patch === undefined || Object.keys(patch).length === 0 ? undefined : patch;
}
