import { Skeleton } from '@mantine/core';
import { TEXTS } from '../../texts.ts';
import { later } from './later.tsx';

export interface JsonEditorProps {
  label: string;
  description?: string;
  /** The text, which need not be JSON yet. `parseJson` of `json-text.ts` reads it. */
  value: string;
  onChange: (text: string) => void;
  readOnly?: boolean;
  /** Height without lines, in pixels. */
  minHeight?: number;
}

// CodeMirror is larger than the rest of a screen: it loads when an editor is shown.
const view = later(
  () => import('./json-editor-view.tsx').then(({ JsonEditorView }) => JsonEditorView),
  ({ minHeight = 120 }: JsonEditorProps) => (
    <Skeleton height={minHeight} aria-busy="true" aria-label={TEXTS.loading} role="status" />
  ),
);

/** An editor of a JSON text. It names the place of a fault; Tab leaves it. */
export const JsonEditor = view.Part;
