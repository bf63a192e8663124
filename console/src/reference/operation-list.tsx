import { NavLink, ScrollArea, Text, TextInput } from '@mantine/core';
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { reference as texts } from '../texts/reference.ts';
import { matching, type Operation } from './document.ts';

/** All endpoints by group, or those that a text finds. `/` goes to the text, the arrows choose, Enter opens. */
export function OperationList({
  operations,
  current,
}: {
  operations: readonly Operation[];
  current: string | undefined;
}) {
  const [, navigate] = useLocation();
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const field = useRef<HTMLInputElement>(null);
  const found = useMemo(() => matching(operations, text), [operations, text]);
  const groups = text === '' ? [...Map.groupBy(found, ({ tags }) => tags[0] ?? '')] : [['', found] as const];
  const isSearch = text !== '';

  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent): void => {
      const { target } = event;
      const isTyping = target instanceof Element && target.closest('input, textarea, select') !== null;
      if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      field.current?.focus();
      field.current?.select();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);

  const onKey = (event: KeyboardEvent): void => {
    if (event.key === 'ArrowDown') setChosen(Math.min(chosen + 1, found.length - 1));
    else if (event.key === 'ArrowUp') setChosen(Math.max(chosen - 1, 0));
    else if (event.key === 'Enter' && found[chosen] !== undefined) navigate(`/${found[chosen].operationId}`);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <TextInput
        ref={field}
        aria-label={texts.search}
        placeholder={texts.search}
        rightSection={<kbd aria-hidden="true">/</kbd>}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={onKey}
      />
      <Text size="xs" c="dimmed" my={4} role="status">
        {found.length === 0 ? texts.nothing : texts.found(found.length)}
      </Text>
      <ScrollArea style={{ flex: 1 }}>
        {groups.map(([tag, ofTag]) => (
          <div key={tag} role="group" aria-label={tag === '' ? texts.operations : tag}>
            {tag === '' ? null : (
              <Text size="xs" c="dimmed" fw={600} px="xs" pt="xs" aria-hidden="true">
                {tag}
              </Text>
            )}
            {ofTag.map((operation, place) => (
              <NavLink
                key={operation.operationId}
                component={Link}
                href={`/${operation.operationId}`}
                py={3}
                active={operation.operationId === current || (isSearch && place === chosen)}
                {...(operation.operationId === current ? { 'aria-current': 'page' as const } : {})}
                leftSection={<span className="method mono">{operation.method}</span>}
                label={operation.summary}
                {...(isSearch ? { description: operation.path } : {})}
              />
            ))}
          </div>
        ))}
      </ScrollArea>
    </>
  );
}
