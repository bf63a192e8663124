import { isUuid } from '../../../../core/kernel/uuid.ts';

/**
 * A statement as the audit shows it: with the ids of players and without other texts, which may name a player whom an
 * erasure must forget. What follows a comment or a dollar-quoted text is left out, because it may hold such texts too.
 */
export function withoutTexts(statement: string): string {
  let shown = '';
  let at = 0;
  while (at < statement.length) {
    const open = statement.indexOf("'", at);
    if (open === -1) break;
    const end = endOf(statement, open);
    const text = statement.slice(open + 1, end);
    shown += `${statement.slice(at, open)}'${isUuid(text) ? text : '…'}'`;
    at = end + 1;
  }
  shown += statement.slice(at);
  const cuts = ['--', '/*', '#', '$'].map((mark) => shown.indexOf(mark)).filter((place) => place !== -1);
  return cuts.length === 0 ? shown : `${shown.slice(0, Math.min(...cuts))}…`;
}

/** Where the text that begins at a quote ends: at the next quote that no backslash escapes. */
function endOf(statement: string, open: number): number {
  for (let at = open + 1; at < statement.length; at += 1) {
    if (statement[at] === "'") return at;
    if (statement[at] === '\\') at += 1;
  }
  return statement.length;
}
