import type { FixedPath } from '../../../../actors/experiments/fixed-paths.ts';
import type { Experiment } from '../../definitions.ts';
import type { Document } from '../../parts/drafts/document-values.ts';

/** What each part of the form gets. */
export interface FieldsProps {
  /** The experiment that the changes are based on. */
  held: Experiment;
  document: Document;
  onChange: (document: Document) => void;
  readOnly: boolean;
  /** What cannot change any more, and why, in words. */
  fixed: ReadonlySet<FixedPath>;
  fixedText: string;
}
