import { TEXT_LIMITS } from '../../../../core/kernel/text/limits.ts';
import { printable } from '../../printable.ts';
import { grouped } from '../progress-line.ts';
import type { ReadLine } from './read-history.ts';

/** Lines that were not stored as they are, and the first of them. */
export interface FittedLines {
  /** Characters or numbers were replaced. */
  replaced: number;
  /** Cut and stored, with `--fit`. */
  cut: number;
  /** Cut, with the event in quarantine. */
  quarantined: number;
  examples: string[];
}

/** Of an import or of the check of a file. */
const EXAMPLES = 5;

export const noFittedLines = (): FittedLines => ({ replaced: 0, cut: 0, quarantined: 0, examples: [] });

export function noteFitted(fitted: FittedLines, read: Extract<ReadLine, { kind: 'item' }>): void {
  const { line, item, notes } = read;
  if (notes === undefined) return;
  const isCut = notes.cut.length > 0;
  if (item.quarantined !== undefined) fitted.quarantined += 1;
  else if (isCut) fitted.cut += 1;
  else fitted.replaced += 1;
  const [first] = isCut ? notes.cut : notes.replaced;
  if (first === undefined || fitted.examples.length >= EXAMPLES) return;
  fitted.examples.push(`line ${line}: \`${printable(first.path, TEXT_LIMITS.nameLength)}\` ${first.message}`);
}

/** What an operator reads of them. */
export function fittedTexts({ replaced, cut, quarantined, examples }: FittedLines): string[] {
  const counts = [
    [quarantined, 'were cut, and their events are in quarantine; with --fit they are imported as they are then'],
    [cut, 'were cut to fit'],
    [replaced, 'had characters or numbers that cannot be stored, which were replaced'],
  ] as const;
  const texts = counts.flatMap(([count, what]) => (count === 0 ? [] : [`${grouped(count)} lines ${what}`]));
  return [...texts, ...examples];
}
