import type { StateHead } from '../../../core/vocabulary/state/state-outline.ts';

/** Players by tenant: `<game>/<environment>`. */
export type PlayerCounts = ReadonlyMap<string, number>;

export const tenantOf = ({ game, environment }: Pick<StateHead, 'game' | 'environment'>): string =>
  `${game}/${environment}`;

/** Counts one entity's change from `before` to `after`, if it is a player. Returns whether the counts changed. */
export function recount(counts: Map<string, number>, before: StateHead | undefined, after: StateHead): boolean {
  const was = before?.kind === 'player' ? tenantOf(before) : undefined;
  const is = after.kind === 'player' ? tenantOf(after) : undefined;
  if (was === is) return false;
  if (was !== undefined) add(counts, was, -1);
  if (is !== undefined) add(counts, is, 1);
  return true;
}

function add(counts: Map<string, number>, tenant: string, change: number): void {
  const count = (counts.get(tenant) ?? 0) + change;
  if (count > 0) counts.set(tenant, count);
  else counts.delete(tenant);
}
