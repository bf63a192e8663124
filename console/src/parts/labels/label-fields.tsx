import { Card, Group, Stack, TagsInput, Textarea, TextInput, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { TEXTS } from '../../texts.ts';
import type { Labels } from './labels.ts';

const texts = TEXTS.labels;

interface LabelFieldsProps {
  labels: Labels;
  onChange: (labels: Labels) => void;
  readOnly: boolean;
  /** Further fields for people. */
  children?: ReactNode;
}

/** Edits owner, tags and note of a definition of any kind. */
export function LabelFields({ labels, onChange, readOnly, children }: LabelFieldsProps) {
  return (
    <Card withBorder>
      <Title order={2} size="h5" mb="xs">
        {texts.title}
      </Title>
      <Stack gap="sm">
        <Group align="flex-start">
          <TextInput
            label={texts.owner}
            description={texts.ownerHelp}
            value={labels.owner}
            readOnly={readOnly}
            onChange={(event) => onChange({ ...labels, owner: event.currentTarget.value })}
          />
          <TagsInput
            label={texts.tags}
            description={texts.tagsHelp}
            style={{ flex: '1 1 220px' }}
            value={[...labels.tags]}
            readOnly={readOnly}
            onChange={(tags) => onChange({ ...labels, tags })}
          />
          {children}
        </Group>
        <Textarea
          label={texts.note}
          value={labels.note}
          readOnly={readOnly}
          autosize
          minRows={1}
          onChange={(event) => onChange({ ...labels, note: event.currentTarget.value })}
        />
      </Stack>
    </Card>
  );
}
