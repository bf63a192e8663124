import { Alert, Autocomplete, Button, Fieldset, Group, NativeSelect, Stack, Text } from '@mantine/core';
import type { Json } from '../../../core/kernel/text/json.ts';
import { Json as JsonText } from '../parts/lists/values.tsx';
import { TEXTS } from '../texts.ts';
import {
  type EventCount,
  type Group as Tree,
  type GroupMode,
  newBucket,
  newEventCount,
  newGroup,
  newInSegment,
  newTest,
  type Node,
  type Test,
} from './condition-tree.ts';
import { BucketEditor, InSegmentEditor } from './member-editors.tsx';
import { type ConditionPlace, useEventNames, useFieldNames } from './names.ts';
import { COUNT_OPERATORS, isOperator, NOT_IN_FILTERS, OPERATORS } from './operands.ts';
import { operandFor, NumberField, OperandEditor } from './operand-editors.tsx';
import { Remove } from './remove.tsx';

const texts = TEXTS.conditions;
const MODES: readonly GroupMode[] = ['all', 'any', 'none', 'not'];
const SUGGESTIONS = 30;

interface EditorProps {
  /** Replaces a node of the tree, or removes it with undefined. */
  replace: (id: number, by: (node: Node) => Node | undefined) => void;
  place: ConditionPlace;
  eventName: string;
  readOnly: boolean;
}

export function GroupEditor({ group, isRoot = false, ...rest }: { group: Tree; isRoot?: boolean } & EditorProps) {
  const { replace, place, readOnly } = rest;
  const add = (item: Node): void =>
    replace(group.id, (node) => (node.kind === 'group' ? { ...node, items: [...node.items, item] } : node));
  const setMode = (mode: GroupMode): void =>
    replace(group.id, (node) => (node.kind === 'group' ? { ...node, mode } : node));
  return (
    <Fieldset
      p="xs"
      legend={
        <Group gap={6} wrap="nowrap">
          {isRoot ? (
            <Text size="sm">{texts.groups.all}</Text>
          ) : (
            <NativeSelect
              size="xs"
              aria-label={texts.group}
              disabled={readOnly}
              value={group.mode}
              data={MODES.map((mode) => ({ value: mode, label: texts.groups[mode] }))}
              onChange={(event) => setMode(MODES.find((mode) => mode === event.currentTarget.value) ?? 'all')}
            />
          )}
          {isRoot || readOnly ? null : (
            <Remove label={texts.removeGroup} onClick={() => replace(group.id, () => undefined)} />
          )}
        </Group>
      }
    >
      <Stack gap={8}>
        {group.items.length === 0 ? (
          <Text size="sm" c="dimmed">
            {isRoot && place !== 'event' ? texts.everybody : texts.emptyGroup}
          </Text>
        ) : null}
        {group.items.map((item) => (
          <NodeEditor key={item.id} node={item} {...rest} />
        ))}
        {readOnly ? null : (
          <Group gap={6}>
            <Button size="compact-xs" variant="default" onClick={() => add(newTest())}>
              {texts.addTest}
            </Button>
            {place === 'event' ? null : (
              <>
                <Button size="compact-xs" variant="default" onClick={() => add(newEventCount())}>
                  {texts.addEvents}
                </Button>
                <Button size="compact-xs" variant="default" onClick={() => add(newInSegment())}>
                  {texts.addInSegment}
                </Button>
                <Button size="compact-xs" variant="default" onClick={() => add(newBucket())}>
                  {texts.addBucket}
                </Button>
              </>
            )}
            <Button size="compact-xs" variant="default" onClick={() => add(newGroup())}>
              {texts.addGroup}
            </Button>
          </Group>
        )}
      </Stack>
    </Fieldset>
  );
}

function NodeEditor({ node, ...rest }: { node: Node } & EditorProps) {
  switch (node.kind) {
    case 'group':
      return <GroupEditor group={node} {...rest} />;
    case 'test':
      return <TestEditor test={node} {...rest} />;
    case 'events':
      return <EventCountEditor events={node} {...rest} />;
    case 'inSegment':
      return <InSegmentEditor member={node} {...rest} />;
    case 'bucket':
      return <BucketEditor bucket={node} {...rest} />;
    case 'raw':
      return (
        <Alert color="gray" variant="outline" title={texts.raw}>
          <JsonText value={node.json} label={texts.rawLabel} />
        </Alert>
      );
  }
}

function TestEditor({ test, replace, place, eventName, readOnly }: { test: Test } & EditorProps) {
  const names = useFieldNames(place, eventName);
  const operators = place === 'event' ? OPERATORS.filter((each) => !NOT_IN_FILTERS.has(each)) : OPERATORS;
  const set = (change: Partial<Test>): void =>
    replace(test.id, (node) => (node.kind === 'test' ? { ...node, ...change } : node));
  return (
    <Group gap={6} align="flex-start" role="group" aria-label={test.field === '' ? texts.field : test.field}>
      <Autocomplete
        size="xs"
        miw={{ base: '100%', xs: 230 }}
        maw={{ base: '100%', xs: 420 }}
        flex="1 1 230px"
        aria-label={texts.field}
        placeholder={place === 'event' ? 'properties.level' : texts.fieldHint}
        readOnly={readOnly}
        value={test.field}
        data={[...new Set(names)]}
        limit={SUGGESTIONS}
        onChange={(field) => set({ field })}
      />
      <NativeSelect
        size="xs"
        w={{ base: '100%', xs: 190 }}
        aria-label={texts.operator}
        disabled={readOnly}
        value={test.operator}
        data={operators.map((each) => ({ value: each, label: texts.operators[each] }))}
        onChange={(event) => {
          const { value } = event.currentTarget;
          if (isOperator(value)) set({ operator: value, operand: given(operandFor(value, test.operand ?? '')) });
        }}
      />
      <OperandEditor
        operator={test.operator}
        operand={test.operand ?? ''}
        onChange={(operand) => set({ operand: given(operand) })}
        readOnly={readOnly}
      />
      {readOnly ? null : (
        <Remove label={texts.removeTest(test.field)} onClick={() => replace(test.id, () => undefined)} />
      )}
    </Group>
  );
}

function EventCountEditor({ events, ...rest }: { events: EventCount } & EditorProps) {
  const names = useEventNames();
  const { replace, readOnly } = rest;
  const set = (change: Partial<EventCount>): void =>
    replace(events.id, (node) => (node.kind === 'events' ? { ...node, ...change } : node));
  return (
    <Fieldset p="xs" legend={texts.eventName}>
      <Stack gap={8}>
        <Group gap={6} align="flex-end">
          <Autocomplete
            size="xs"
            miw={{ base: '100%', xs: 200 }}
            maw={{ base: '100%', xs: 360 }}
            flex="1 1 200px"
            label={texts.eventName}
            readOnly={readOnly}
            value={events.name}
            data={[...new Set(names)]}
            limit={SUGGESTIONS}
            onChange={(name) => set({ name })}
          />
          <NativeSelect
            size="xs"
            label={texts.count}
            disabled={readOnly}
            value={events.operator}
            data={COUNT_OPERATORS.map((each) => ({ value: each, label: texts.operators[each] }))}
            onChange={(event) =>
              set({ operator: COUNT_OPERATORS.find((each) => each === event.currentTarget.value) ?? '$gte' })
            }
          />
          <NumberField
            label={texts.count}
            isLabelHidden
            value={events.count}
            onChange={(count) => set({ count: Number.isNaN(count) ? undefined : count })}
            readOnly={readOnly}
          />
          <NumberField
            label={texts.within}
            help={texts.withinHelp}
            value={events.withinDays}
            onChange={(withinDays) => set({ withinDays })}
            readOnly={readOnly}
            range={{ least: 1, most: 90, fault: texts.badWithin }}
          />
          {readOnly ? null : (
            <Remove label={texts.removeTest(events.name)} onClick={() => replace(events.id, () => undefined)} />
          )}
        </Group>
        {events.where === undefined ? (
          readOnly ? null : (
            <Button
              size="compact-xs"
              variant="default"
              w="fit-content"
              onClick={() => set({ where: { ...newGroup('all'), items: [newTest('properties.')] } })}
            >
              {texts.addWhere}
            </Button>
          )
        ) : (
          <>
            <Text size="sm">{texts.where}</Text>
            <GroupEditor group={events.where} {...rest} isRoot place="event" eventName={events.name} />
          </>
        )}
      </Stack>
    </Fieldset>
  );
}

/** An operand that a person has given: an empty text or list is none. The JSON can still hold an empty text. */
function given(operand: Json | undefined): Json | undefined {
  if (operand === '' || (Array.isArray(operand) && operand.length === 0)) return undefined;
  return operand;
}
