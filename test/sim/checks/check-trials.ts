import { TABLES } from '../../../clickhouse-schema/rows/tables/tables.ts';
import type { FlagsServed } from '../../../core/vocabulary/facts/flag-facts.ts';
import type { Trial } from '../../../core/vocabulary/facts/flag-reason.ts';
import type { ServedFlag } from '../../../core/vocabulary/state/player.ts';
import type { FakeClickhouse } from '../machines/fake-clickhouse.ts';
import type { FlagHistory } from '../model/flags/flag-history.ts';
import { isVariant } from '../model/flags/model-experiments.ts';
import type { Observer } from '../observer.ts';
import type { World } from '../world.ts';

/**
 * Nobody's variant changes while an experiment is active: from the first answer that assigned one to the end of the
 * experiment, or of the player, every record has the same variant and phase. The only other end is that the experiment
 * does not have the variant any more.
 */
export function checkTrials(world: World, observer: Observer, flags: FlagHistory): void {
  /** By player and flag: the variant, and the revision by which it was assigned. */
  const assigned = new Map<string, { trial: Trial; revision: number }>();
  for (const { record } of observer.commits) {
    for (const fact of record.facts) {
      if (fact.kind === 'PlayerErased') {
        for (const id of assigned.keys()) if (id.startsWith(`${fact.entityId} `)) assigned.delete(id);
      }
      if (fact.kind === 'FlagsServed') for (const flag of fact.flags) take(fact, flag, record.configRevision);
    }
  }

  function take({ entityId }: FlagsServed, { flagKey, trial }: ServedFlag, revision: number): void {
    const id = `${entityId} ${flagKey}`;
    const before = assigned.get(id);
    const mark = trial === undefined ? 'none' : isVariant(trial) ? 'a variant' : trial.variant;
    if (trial !== undefined) world.cover(`assigned: ${mark}`);
    if (trial !== undefined && trial.phase > 1) world.cover('assigned: in a later phase');
    if (before !== undefined && isSame(before.trial, trial)) return;
    if (trial !== undefined && isVariant(trial)) assigned.set(id, { trial, revision });
    else assigned.delete(id);
    if (before === undefined) return;
    // An evaluation is recorded under the same or a later revision, and no record has an older one than the last.
    const sets = [...flags.since(before.revision, revision)].map(({ experiments }) => experiments?.get(flagKey));
    const isOver = sets.some((one) => one?.key !== before.trial.experiment);
    const isWithout = sets.some((one) => one?.variants.every(({ key }) => key !== before.trial.variant));
    world.cover(`assignment ended: ${mark}`);
    if (isOver || (trial?.variant === 'dropped' && isWithout)) return;
    world.violate('kept-variant', `${id} had ${JSON.stringify(before.trial)} and has ${JSON.stringify(trial)}`);
  }
}

/** The rows that results read say in which experiment, phase and stratum a player saw which variant. */
export function checkTrialRows(world: World, clickhouse: FakeClickhouse, { commits }: Observer): void {
  const facts = commits.flatMap(({ record }) => record.facts);
  const erased = new Set(facts.flatMap((fact) => (fact.kind === 'PlayerErased' ? [fact.entityId] : [])));
  const exposures = wordsOf(clickhouse, 'flag_exposures', [...OF_PLAYER, 'variant_key', 'stratum']);
  const mixed = wordsOf(clickhouse, 'flag_mixed_players', OF_PLAYER);
  for (const fact of facts) {
    if (fact.kind === 'FlagExposed' && fact.trial !== undefined && !erased.has(fact.entityId)) {
      const { entityId, flagKey, stratum = 0, trial } = fact;
      const { experiment, phase, variant } = trial;
      world.cover('row of an experiment checked');
      expectRow('flag_exposures', exposures, [entityId, flagKey, experiment, phase, variant, stratum]);
    }
    if (fact.kind !== 'FlagsServed' || erased.has(fact.entityId)) continue;
    for (const { flagKey, trial } of fact.flags) {
      if (trial === undefined || !fact.mixed.includes(flagKey)) continue;
      world.cover('mixed row of an experiment checked');
      expectRow('flag_mixed_players', mixed, [fact.entityId, flagKey, trial.experiment, trial.phase]);
    }
  }

  function expectRow(table: string, rows: ReadonlySet<string>, wanted: readonly (string | number)[]): void {
    if (!rows.has(wanted.join(' '))) world.violate('experiment-rows', `${table} has no row ${wanted.join(' ')}`);
  }
}

const OF_PLAYER = ['player_id', 'flag_key', 'experiment', 'period'];

/** The named columns of every row. */
function wordsOf(
  clickhouse: FakeClickhouse,
  table: 'flag_exposures' | 'flag_mixed_players',
  names: readonly string[],
): ReadonlySet<string> {
  const places = names.map((name) => TABLES[table].columns.indexOf(name));
  return new Set(
    clickhouse.rows(table).map((row) => {
      const cells = row.split('\t');
      return places.map((place) => cells[place]).join(' ');
    }),
  );
}

function isSame(one: Trial, other: Trial | undefined): boolean {
  return one.experiment === other?.experiment && one.phase === other.phase && one.variant === other.variant;
}
