import type { AuditEntry } from '../../core/vocabulary/records/audit-entry.ts';

/** An annotation after a change. */
export interface ChangedAnnotation {
  game: string;
  environment: string;
  id: string;
  /** As `2026-01-15`, or empty and a moment in epoch milliseconds. */
  day: string;
  atMs: number | null;
  text: string;
  /** Empty texts: none. */
  link: { kind: string; key: string };
  version: number;
  isRemoved: boolean;
}

/** The annotation that an entry of the audit is about; `undefined`: about none, or the change is not stored. */
export function annotationIn({
  kind,
  key,
  game,
  environment,
  outcome,
  before,
  after,
}: AuditEntry): ChangedAnnotation | undefined {
  if (kind !== 'annotation' || outcome !== 'stored') return undefined;
  const isRemoved = after === '';
  const of = objectIn(parsed(isRemoved ? before : after));
  const link = objectIn(of['link']);
  const at = textIn(of['at']);
  const isDay = at.length === 'yyyy-mm-dd'.length;
  // A deletion comes after the version that it deletes.
  const version = Number(of['version'] ?? 0) + Number(isRemoved);
  const linked = { kind: textIn(link['kind']), key: textIn(link['key']) };
  const when = isDay ? { day: at, atMs: null } : { day: '', atMs: Date.parse(at) || 0 };
  return { game, environment, id: key, ...when, text: textIn(of['text']), link: linked, version, isRemoved };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const objectIn = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {};
const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');
