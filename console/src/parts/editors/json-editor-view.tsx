import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import {
  bracketMatching,
  ensureSyntaxTree,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
  syntaxTree,
} from '@codemirror/language';
import { Annotation, EditorState } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { Anchor, Group, Text } from '@mantine/core';
import { useEffect, useId, useRef, useState } from 'react';
import { NONCE } from '../../frame/nonce.ts';
import { TEXTS } from '../../texts.ts';
import type { JsonEditorProps } from './json-editor.tsx';
import { parseJson, prettyJson } from './json-text.ts';

const texts = TEXTS.editor;

interface Place {
  offset: number;
  text: string;
}

/** Marks transactions that only follow the property `value`. */
const ofProps = Annotation.define<boolean>();
/** How long the grammar may take for a text; a place later in it stays unknown. */
const PARSE_MS = 50;

const colors = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--json-name)' },
  { tag: tags.string, color: 'var(--json-text)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--json-scalar)' },
]);

/** The editor itself, apart because it is loaded when needed. */
export function JsonEditorView({ label, description, value, onChange, readOnly, minHeight = 120 }: JsonEditorProps) {
  const box = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const latest = useRef({ value, onChange });
  const [fault, setFault] = useState<Place | undefined>();
  const labelId = useId();
  const helpId = useId();
  latest.current = { value, onChange };

  useEffect(() => {
    if (box.current === null) return undefined;
    const created = new EditorView({
      parent: box.current,
      state: EditorState.create({
        doc: latest.current.value,
        extensions: [
          EditorView.cspNonce.of(NONCE),
          lineNumbers(),
          history(),
          indentOnInput(),
          bracketMatching(),
          json(),
          syntaxHighlighting(colors),
          // Tab is not bound: it moves the focus, as everywhere.
          keymap.of([...defaultKeymap, ...historyKeymap]),
          EditorView.lineWrapping,
          EditorState.readOnly.of(readOnly === true),
          EditorView.contentAttributes.of({
            'aria-labelledby': labelId,
            'aria-describedby': helpId,
            ...(readOnly === true ? { 'aria-readonly': 'true' } : {}),
          }),
          EditorView.theme({ '.cm-content, .cm-gutter': { minHeight: `${minHeight}px` } }),
          EditorView.updateListener.of((update) => {
            if (!update.docChanged) return;
            setFault(faultOf(update.view));
            if (update.transactions.some((each) => each.annotation(ofProps) === true)) return;
            latest.current.onChange(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = created;
    setFault(faultOf(created));
    return () => created.destroy();
  }, [labelId, helpId, readOnly, minHeight]);

  useEffect(() => {
    const { current } = view;
    if (current === null || current.state.doc.toString() === value) return;
    current.dispatch({
      changes: { from: 0, to: current.state.doc.length, insert: value },
      annotations: ofProps.of(true),
    });
  }, [value]);

  const goTo = (offset: number): void => {
    view.current?.dispatch({ selection: { anchor: offset }, scrollIntoView: true });
    view.current?.focus();
  };
  const parsed = parseJson(value);
  return (
    <div className="editor">
      <Group justify="space-between" mb={4}>
        <Text id={labelId} size="sm" fw={600}>
          {label}
        </Text>
        {readOnly === true || parsed.kind === 'fault' || prettyJson(parsed.value) === value ? null : (
          <Anchor component="button" size="xs" underline="always" onClick={() => onChange(prettyJson(parsed.value))}>
            {texts.format}
          </Anchor>
        )}
      </Group>
      <div ref={box} />
      <Text id={helpId} size="xs" c="dimmed" mt={4}>
        {description === undefined ? texts.help : `${description} ${texts.help}`}
      </Text>
      <div role="status">
        {fault === undefined ? null : (
          <Text size="sm" c="var(--fault-color)">
            {fault.text}{' '}
            <Anchor component="button" size="sm" underline="always" onClick={() => goTo(fault.offset)}>
              {texts.goTo}
            </Anchor>
          </Text>
        )}
      </div>
    </div>
  );
}

/** The place of the first fault: by the grammar, because not every browser's message has one. */
function faultOf({ state }: EditorView): Place | undefined {
  const text = state.doc.toString();
  if (text.trim() === '') return { offset: 0, text: texts.fault(1, 1, texts.empty) };
  const parsed = parseJson(text);
  if (parsed.kind === 'value') return undefined;
  let offset = text.length;
  (ensureSyntaxTree(state, text.length, PARSE_MS) ?? syntaxTree(state)).iterate({
    enter: ({ type, from }) => {
      if (type.isError) offset = Math.min(offset, from);
    },
  });
  const line = state.doc.lineAt(offset);
  return { offset, text: texts.fault(line.number, offset - line.from + 1, parsed.message) };
}
