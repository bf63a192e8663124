import type { Audit } from './audit.ts';

/** The result of an audit as text. */
export function reportOf({ facts, factCount, compared, players, differences, skipped }: Audit): string {
  const rows = [...compared].map(([table, count]) => `  ${table.padEnd(22)} ${String(count).padStart(12)}`);
  return [
    `FACTS ${facts.firstSequence} to ${facts.lastSequence}: ${factCount} facts`,
    'rows compared:',
    ...rows,
    `players: ${players.inLog} in the log, ${players.compared} compared, ${players.snapshots} snapshots added up again`,
    ...differences.lines(),
    ...skipped,
    differences.total === 0 ? 'No difference.' : `${differences.total} differences.`,
  ].join('\n');
}
