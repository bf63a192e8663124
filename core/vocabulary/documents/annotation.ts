import type { Labelled } from '../labels.ts';
import type { WriteMark } from './write-mark.ts';

/** What an annotation may point at. */
export const ANNOTATED_KINDS = ['flag', 'experiment', 'segment', 'campaign'] as const;
export type AnnotatedKind = (typeof ANNOTATED_KINDS)[number];

/** A note of people on a day or a moment, which charts show. Stored under its id. */
export interface AnnotationDocument extends Labelled {
  /** `ann_` and a UUID. */
  id: string;
  text: string;
  /** A day of the game, as `2026-01-15`, or a moment in ISO 8601. */
  at: string;
  /** What it is about; `null`: nothing that has a definition. Its key is an id for segments and campaigns. */
  link: { kind: AnnotatedKind; key: string } | null;
  madeBy: { kind: 'user' | 'key'; id: string; email: string };
  createdAt: number;
  updatedAt: number;
  version: number;
  /** The latest, bounded in number and age. */
  writes?: WriteMark[];
}
