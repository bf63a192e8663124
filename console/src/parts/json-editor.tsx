import { Skeleton } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { TEXTS } from '../texts.ts';

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
const View = lazy(() => import('./json-editor-view.tsx').then(({ JsonEditorView }) => ({ default: JsonEditorView })));

/** An editor of a JSON text. It names the place of a fault; Tab leaves it. */
export function JsonEditor(props: JsonEditorProps) {
  return (
    <Suspense fallback={<Skeleton height={props.minHeight ?? 120} aria-busy="true" aria-label={TEXTS.loading} />}>
      <View {...props} />
    </Suspense>
  );
}
