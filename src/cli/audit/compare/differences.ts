/** What the audit found wrong, by kind. Holds the text of the first ones only. */
export interface Differences {
  add(kind: DifferenceKind, text: string): void;
  readonly total: number;
  /** The lines to print: for each kind its number, and its first differences. */
  lines(): string[];
}

/** What each kind says; docs/operations.md explains what to do. */
export const DIFFERENCE_KINDS = {
  missing: 'rows that the log demands and ClickHouse lacks',
  doubled: 'rows that ClickHouse has twice',
  differs: 'rows whose values differ from the log',
  unexplained: 'rows that nothing in the log explains',
  erased: 'rows of erased players',
  totals: 'players whose totals or stage differ from their facts',
  memberships: 'memberships that differ from the transitions of their players',
  caps: 'campaigns that exceeded a limit of theirs',
  days: 'rows of player_days or player_levels that differ from the activity',
  scores: 'scores that contradict each other',
  quarantine: 'releases without a quarantined event',
} as const;

export type DifferenceKind = keyof typeof DIFFERENCE_KINDS;

/** One cause often has thousands of effects. */
const SHOWN_OF_KIND = 20;

export function createDifferences(): Differences {
  const counts = new Map<DifferenceKind, number>();
  const shown = new Map<DifferenceKind, string[]>();
  let total = 0;
  return {
    add(kind, text) {
      total += 1;
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
      const texts = shown.get(kind) ?? [];
      shown.set(kind, texts);
      if (texts.length < SHOWN_OF_KIND) texts.push(text);
    },
    get total() {
      return total;
    },
    lines: () =>
      [...counts].flatMap(([kind, count]) => {
        const texts = shown.get(kind) ?? [];
        const more = count > texts.length ? [`  … and ${count - texts.length} more`] : [];
        return [`${kind}: ${count} ${DIFFERENCE_KINDS[kind]}`, ...texts.map((text) => `  ${text}`), ...more];
      }),
  };
}
