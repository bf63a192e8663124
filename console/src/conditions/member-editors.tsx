import { Fieldset, Group, MultiSelect, TextInput } from '@mantine/core';
import { useSegments } from '../definitions.ts';
import { TEXTS } from '../texts.ts';
import { BucketByField } from './bucket-by-field.tsx';
import type { Bucket, InSegment, Node } from './condition-tree.ts';
import { NumberField } from './operand-editors.tsx';
import { Remove } from './remove.tsx';

const texts = TEXTS.conditions;

interface MemberProps {
  /** Replaces a node of the tree, or removes it with undefined. */
  replace: (id: number, by: (node: Node) => Node | undefined) => void;
  readOnly: boolean;
}

/** The segments of which the player must be in one. Unknown ones stay as they are. */
export function InSegmentEditor({
  member: { id, segments: chosen },
  replace,
  readOnly,
}: { member: InSegment } & MemberProps) {
  const { data: known = [] } = useSegments();
  // A condition that is not stored yet may name a segment by its key.
  const idOf = (name: string): string => known.find(({ key }) => key === name)?.segment_id ?? name;
  const value = [...new Set(chosen.map(idOf))];
  const options = known.map(({ segment_id, key, name }) => ({
    value: segment_id,
    label: name === key ? key : `${name} (${key})`,
  }));
  const unknown = value.filter((each) => !options.some((option) => option.value === each));
  return (
    <Group gap={6} align="flex-end" wrap="nowrap">
      <MultiSelect
        size="xs"
        flex="1 1 220px"
        label={texts.inSegment}
        placeholder={chosen.length === 0 ? texts.inSegmentHint : ''}
        searchable
        readOnly={readOnly}
        nothingFoundMessage={texts.noSegment}
        value={value}
        data={[...options, ...unknown.map((each) => ({ value: each, label: each }))]}
        onChange={(segments) => replace(id, (node) => (node.kind === 'inSegment' ? { ...node, segments } : node))}
      />
      {readOnly ? null : (
        <Remove label={texts.removeTest(texts.inSegment)} onClick={() => replace(id, () => undefined)} />
      )}
    </Group>
  );
}

/** A share of the players, by a hash. */
export function BucketEditor({ bucket, replace, readOnly }: { bucket: Bucket } & MemberProps) {
  const set = (change: Partial<Bucket>): void =>
    replace(bucket.id, (node) => (node.kind === 'bucket' ? { ...node, ...change } : node));
  return (
    <Fieldset p="xs" legend={texts.bucket}>
      <Group gap={6} align="flex-end">
        <NumberField
          label={texts.below}
          value={bucket.below}
          readOnly={readOnly}
          onChange={(below) => set({ below })}
          range={{ least: 0, most: 100, fault: texts.badBelow, isWhole: false }}
        />
        <TextInput
          size="xs"
          label={texts.salt}
          title={texts.saltHelp}
          maxLength={64}
          value={bucket.salt}
          readOnly={readOnly}
          onChange={(event) => set({ salt: event.currentTarget.value })}
        />
        <BucketByField label={texts.by} value={bucket.by} readOnly={readOnly} onChange={(by) => set({ by })} />
        {readOnly ? null : (
          <Remove label={texts.removeTest(texts.bucket)} onClick={() => replace(bucket.id, () => undefined)} />
        )}
      </Group>
    </Fieldset>
  );
}
