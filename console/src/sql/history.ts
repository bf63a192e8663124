/* Statements that a person ran on this browser. They stay in the browser. */

export interface Ran {
  statement: string;
  /** ISO 8601. */
  at: string;
  /** Rows of the answer; null: it failed. */
  rows: number | null;
}

const MOST = 50;
const keyOf = (user: string): string => `console-sql:${user}`;

export function historyOf(user: string): readonly Ran[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(keyOf(user)) ?? '[]');
    return Array.isArray(stored) ? stored.flatMap(entryIn) : [];
  } catch {
    return [];
  }
}

function entryIn(value: unknown): Ran[] {
  if (typeof value !== 'object' || value === null) return [];
  const { statement, at, rows }: { statement?: unknown; at?: unknown; rows?: unknown } = value;
  if (typeof statement !== 'string' || typeof at !== 'string') return [];
  return [{ statement, at, rows: typeof rows === 'number' ? rows : null }];
}

/** The newest first; a statement that was run again moves up. */
export function withRan(history: readonly Ran[], ran: Ran): readonly Ran[] {
  return [ran, ...history.filter(({ statement }) => statement !== ran.statement)].slice(0, MOST);
}

export function remember(user: string, history: readonly Ran[]): void {
  try {
    localStorage.setItem(keyOf(user), JSON.stringify(history));
  } catch {
    // Without storage there is no history.
  }
}
