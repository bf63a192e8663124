import { Alert, SegmentedControl, SimpleGrid, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { JsonObject } from '../../../../core/kernel/text/json.ts';
import {
  changeNode,
  type Group as Tree,
  type Node,
  readCondition,
  writeCondition,
} from '../../conditions/condition-tree.ts';
import { unfinishedOf } from '../../conditions/unfinished.ts';
import type { ConditionPlace } from '../../conditions/names.ts';
import { GroupEditor } from '../../conditions/node-editors.tsx';
import { TEXTS } from '../../texts.ts';
import { JsonEditor } from './json-editor.tsx';
import { parseObject, prettyJson } from './json-text.ts';

const texts = TEXTS.conditions;

interface ConditionBuilderProps {
  label?: string;
  /** The condition as JSON text, which need not be valid yet. `parseObject` of `json-text.ts` reads it. */
  value: string;
  onChange: (text: string) => void;
  /** Where the condition stands, which decides the fields that it may name. */
  place: ConditionPlace;
  /** The event of a campaign's trigger, whose properties are suggested. */
  eventName?: string;
  readOnly?: boolean;
}

type View = 'builder' | 'json' | 'both';

/** A condition as a form and as JSON, in step. What the form cannot show stays as JSON. */
export function ConditionBuilder({
  label = texts.label,
  value,
  onChange,
  place,
  eventName = '',
  readOnly = false,
}: ConditionBuilderProps) {
  const [view, setView] = useState<View>('builder');
  const [held, setHeld] = useState(() => treeOf(value));
  // The text changed elsewhere: in the JSON, or by a reload. What the builder wrote itself keeps its tree.
  const current = held.text === value ? held : treeOf(value);
  if (current !== held) setHeld(current);

  const change = (tree: Tree): void => {
    const text = prettyJson(writeCondition(tree));
    setHeld({ text, tree });
    onChange(text);
  };
  const replace = (id: number, by: (node: Node) => Node | undefined): void => {
    if (current.tree !== undefined) change(changeNode(current.tree, id, by));
  };
  return (
    <Stack gap="xs" role="group" aria-label={label}>
      <SegmentedControl
        size="xs"
        w="fit-content"
        aria-label={texts.as}
        value={view}
        data={[
          { value: 'builder', label: texts.builder },
          { value: 'json', label: texts.json },
          { value: 'both', label: `${texts.builder} + ${texts.json}` },
        ]}
        onChange={setView}
      />
      <SimpleGrid cols={view === 'both' ? { base: 1, xl: 2 } : 1}>
        {view === 'json' ? null : current.tree === undefined ? (
          <Text c="dimmed">{texts.unreadable}</Text>
        ) : (
          <GroupEditor
            group={current.tree}
            isRoot
            replace={replace}
            place={place}
            eventName={eventName}
            readOnly={readOnly}
          />
        )}
        {view === 'builder' ? null : (
          <JsonEditor label={`${label} (${texts.json})`} value={value} onChange={onChange} readOnly={readOnly} />
        )}
      </SimpleGrid>
      <UnfinishedParts condition={parseObject(value)} />
    </Stack>
  );
}

function UnfinishedParts({ condition }: { condition: JsonObject | undefined }) {
  const parts = condition === undefined ? [] : unfinishedOf(condition);
  if (parts.length === 0) return null;
  return (
    <Alert color="red" variant="outline" title={texts.unfinished}>
      {parts.map(({ where, message }) => (
        <Text key={where} size="sm">
          <b>{where}</b> {message}
        </Text>
      ))}
    </Alert>
  );
}

interface Held {
  text: string;
  /** undefined: the text is no JSON object. */
  tree: Tree | undefined;
}

function treeOf(text: string): Held {
  const condition = parseObject(text);
  return { text, tree: condition === undefined ? undefined : readCondition(condition) };
}
