import {
  Card,
  Checkbox,
  Group,
  NativeSelect,
  SimpleGrid,
  Stack,
  Switch,
  Textarea,
  TextInput,
  Title,
} from '@mantine/core';
import { ConditionBuilder } from '../parts/editors/condition-builder.tsx';
import { parseObject } from '../parts/editors/json-text.ts';
import { LabelFields } from '../parts/labels/label-fields.tsx';
import { TEXTS } from '../texts.ts';
import type { EditedSegment } from './edited-segment.ts';

const texts = TEXTS.segment;

interface SegmentFormProps {
  edited: EditedSegment;
  onChange: (change: Partial<EditedSegment>) => void;
  isNew: boolean;
  readOnly: boolean;
}

/** Everything of a segment that people edit. */
export function SegmentForm({ edited, onChange, isNew, readOnly }: SegmentFormProps) {
  return (
    <Stack gap="md">
      <Naming edited={edited} onChange={onChange} isNew={isNew} readOnly={readOnly} />
      {edited.kind === 'static' ? null : <Definition edited={edited} onChange={onChange} readOnly={readOnly} />}
      <LabelFields labels={edited.labels} onChange={(labels) => onChange({ labels })} readOnly={readOnly} />
      <Card withBorder>
        <Title order={2} size="h5" mb="xs">
          {texts.exceptions}
        </Title>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          {(['includes', 'excludes'] as const).map((list) => (
            <Textarea
              key={list}
              label={texts[list]}
              autosize
              minRows={2}
              maxRows={8}
              value={edited[list]}
              readOnly={readOnly}
              classNames={{ input: 'mono' }}
              onChange={(event) => onChange({ [list]: event.currentTarget.value })}
            />
          ))}
        </SimpleGrid>
      </Card>
    </Stack>
  );
}

/** Key, kind and name, and whether it is enabled. */
function Naming({ edited, onChange, isNew, readOnly }: SegmentFormProps) {
  return (
    <Card withBorder>
      <Stack gap="sm">
        {isNew ? (
          <Group align="flex-end">
            <TextInput
              label={texts.key}
              description={texts.keyHelp}
              value={edited.key}
              style={{ flex: '1 1 220px' }}
              onChange={(event) => onChange({ key: event.currentTarget.value })}
            />
            <NativeSelect
              label={texts.kind}
              value={edited.kind}
              data={[
                { value: 'dynamic', label: texts.kindDynamic },
                { value: 'static', label: texts.kindStatic },
              ]}
              onChange={(event) => onChange({ kind: event.currentTarget.value === 'static' ? 'static' : 'dynamic' })}
            />
          </Group>
        ) : null}
        <TextInput
          label={texts.name}
          value={edited.name}
          readOnly={readOnly}
          onChange={(event) => onChange({ name: event.currentTarget.value })}
        />
        <Textarea
          label={texts.description}
          autosize
          minRows={1}
          value={edited.description}
          readOnly={readOnly}
          onChange={(event) => onChange({ description: event.currentTarget.value })}
        />
        <Switch
          label={texts.enabled}
          description={texts.enabledHelp}
          checked={edited.enabled}
          disabled={readOnly}
          onChange={(event) => onChange({ enabled: event.currentTarget.checked })}
        />
      </Stack>
    </Card>
  );
}

function Definition({ edited, onChange, readOnly }: Omit<SegmentFormProps, 'isNew'>) {
  return (
    <Card withBorder>
      <Title order={2} size="h5" mb="xs">
        {texts.definition}
      </Title>
      <ConditionBuilder
        place="segment"
        value={edited.conditions}
        readOnly={readOnly}
        onChange={(conditions) => onChange({ conditions, everybody: false })}
      />
      {isEmpty(edited.conditions) ? (
        <Checkbox
          mt="xs"
          label={texts.allPlayers}
          description={texts.allPlayersHelp}
          checked={edited.everybody}
          disabled={readOnly}
          onChange={(event) => onChange({ everybody: event.currentTarget.checked })}
        />
      ) : null}
    </Card>
  );
}

function isEmpty(conditions: string): boolean {
  const condition = parseObject(conditions);
  return condition !== undefined && Object.keys(condition).length === 0;
}
