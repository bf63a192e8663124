/* The runbook of docs/operations.md, as text: the build contains the page. */

export interface RunbookItem {
  /** 'Symptom', 'Meaning', 'Look at' or 'Do'. */
  title: string;
  text: string;
}

/** The items of one entry of the page; empty: it has no such entry. */
export function runbookEntry(page: string, entry: string): RunbookItem[] {
  const lines = page.split('\n');
  const start = lines.indexOf(`### ${entry}`);
  if (start < 0) return [];
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => line.startsWith('#'));
  const items: string[] = [];
  for (const line of end < 0 ? rest : rest.slice(0, end)) {
    if (line.startsWith('- ')) items.push(line.slice(2));
    else if (line.trim() !== '' && items.length > 0) items.push(`${items.pop() ?? ''} ${line.trim()}`);
  }
  return items.map((item) => {
    const [, title = '', text = item] = item.split('**');
    return { title: title.endsWith('.') ? title.slice(0, -1) : title, text: withoutLinks(text.trim()) };
  });
}

/** `[text](address)` as its text: addresses of pages lead nowhere in the console. */
function withoutLinks(text: string): string {
  const [first = '', ...others] = text.split('](');
  return others.reduce((before, part) => {
    const open = before.lastIndexOf('[');
    const close = part.indexOf(')');
    return before.slice(0, open) + before.slice(open + 1) + part.slice(close + 1);
  }, first);
}

/** Parts of a text; those at odd places stood between backticks. */
export const codeParts = (text: string): string[] => text.split('`');
