import { Alert, SimpleGrid, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import type { JsonObject } from '../../../../core/kernel/text/json.ts';
import { usePlace } from '../../frame/session.tsx';
import { TEXTS } from '../../texts.ts';
import { JsonEditor } from '../editors/json-editor.tsx';
import { isSameJson, parseObject, prettyJson } from '../editors/json-text.ts';
import type { Document } from './document-values.ts';
import { DraftBar } from './draft-bar.tsx';
import type { Draft } from './draft.ts';

/** The document that an edit began with, null for a new one, and the edited one as JSON. */
export type DocumentDraft<Held> = Draft<Held | null, string>;

interface DocumentTabProps<Held> {
  /** The name of the JSON. */
  label: string;
  /** The document that the changes are based on; undefined: a new one. */
  base: Held | undefined;
  /** What is edited; undefined: nothing has been changed. */
  draft: DocumentDraft<Held> | undefined;
  setDraft: (draft: DocumentDraft<Held> | undefined) => void;
  /** The JSON before any change. */
  before: string;
  /** The buttons that save, of a text that is no JSON object `undefined`. @param before as the draft began */
  save: (document: JsonObject | undefined, before: JsonObject) => ReactNode;
  form: (document: Document, onChange: (next: Document) => void) => ReactNode;
}

/** A definition as a form and as JSON, in step: the text is what is edited, and the form shows it. */
export function DocumentTab<Held>({ label, base, draft, setDraft, before, save, form }: DocumentTabProps<Held>) {
  const { mayEdit } = usePlace();
  const text = draft?.edited ?? before;
  const document = parseObject(text);
  const begun = parseObject(before) ?? {};
  const isChanged = document === undefined || !isSameJson(document, begun);
  const change = (next: string): void => setDraft(next === before ? undefined : { base: base ?? null, edited: next });
  return (
    <Stack align="stretch">
      {mayEdit && draft === undefined && base === undefined ? <div>{save(document, begun)}</div> : null}
      {mayEdit && draft !== undefined && (isChanged || base === undefined) ? (
        <DraftBar onDiscard={() => setDraft(undefined)}>{save(document, begun)}</DraftBar>
      ) : null}
      <SimpleGrid cols={{ base: 1, xl: 2 }}>
        <Stack>
          {document === undefined ? (
            <Alert color="yellow" variant="outline">
              {TEXTS.conditions.unreadable}
            </Alert>
          ) : (
            form(document, (next) => change(prettyJson(next)))
          )}
        </Stack>
        <JsonEditor label={label} value={text} onChange={change} readOnly={!mayEdit} minHeight={320} />
      </SimpleGrid>
    </Stack>
  );
}
