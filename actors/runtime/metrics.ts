import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { fromZero, labelled } from '../../core/kernel/metrics/counter-from-zero.ts';
import { SECONDS } from '../../core/kernel/metrics/buckets.ts';

/** The metrics of a process's part in owning partitions. */
export function createOwnerMetrics(registers: Registry[]) {
  return {
    followedPartitions: new Gauge({
      name: 'owner_partitions_following',
      help: 'Partitions that this process prepares to own, or could own at once.',
      registers,
    }),
    refusedPartitions: new Gauge({
      name: 'owner_partitions_refused',
      help:
        'Partitions that this process must not own for now, by reason: rebuild (it cannot be rebuilt), store (the ' +
        'local store cannot be written), failed (the owner failed), clock (the clock is wrong: all partitions).',
      labelNames: ['reason'],
      registers,
    }),
    storeWriteFailures: new Counter({
      name: 'owner_store_write_failures_total',
      help: 'Failed writes to the local store by owners.',
      registers,
    }),
    storesDiscarded: new Counter({
      name: 'owner_stores_discarded_total',
      help: 'Local stores of partitions that were thrown away because their content was faulty.',
      registers,
    }),
    ownedPartitions: new Gauge({ name: 'owner_partitions', help: 'Partitions that this process owns.', registers }),
    stepDowns: new Counter({
      name: 'owner_step_downs_total',
      help: 'Partitions that this process stopped owning, by reason.',
      labelNames: ['reason'],
      registers,
    }),
    hotPlayers: new Gauge({
      name: 'owner_hot_players',
      help: 'Players in memory, by partition.',
      labelNames: ['partition'],
      registers,
    }),
    snapshotsWaiting: new Gauge({
      name: 'owner_snapshots_waiting',
      help: 'Players that changed since their latest snapshot, by partition.',
      labelNames: ['partition'],
      registers,
    }),
    rebuildProgress: new Gauge({
      name: 'owner_rebuild_progress',
      help: 'Share of the snapshots that a take-over without a local store has loaded, by partition, while it loads.',
      labelNames: ['partition'],
      registers,
    }),
    ...createCommitMetrics(registers),
  };
}

/** What the commits of owners hold, and what owners refused. */
function createCommitMetrics(registers: Registry[]) {
  return {
    commitFacts: new Histogram({
      name: 'owner_commit_facts',
      help: 'Facts per FACTS record.',
      buckets: [1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 5000],
      registers,
    }),
    commitDuration: new Histogram({
      name: 'owner_commit_duration_seconds',
      help: 'Time from an append to FACTS to its acknowledgement.',
      buckets: SECONDS,
      registers,
    }),
    conditionsOverBudget: fromZero(
      labelled('definition', ['segment', 'flag', 'campaign']),
      new Counter({
        name: 'owner_condition_budget_exceeded_total',
        help:
          'Evaluations of conditions that exceeded their step budget and counted as false, by the kind of definition: ' +
          'segment, flag, campaign.',
        labelNames: ['definition'],
        registers,
      }),
    ),
    commandsWithoutRoom: new Counter({
      name: 'owner_commands_without_room_total',
      help: 'Commands answered 503 because FACTS was full up to its reserve.',
      registers,
    }),
    flagExposures: new Counter({
      name: 'flag_exposures_total',
      help:
        'Exposures, by the origin of their variant: served, earlier, named, mismatch. unattributed counts events ' +
        'with a flag_key that recorded no exposure, because no variant was stored and the event named none.',
      labelNames: ['attribution'],
      registers,
    }),
  };
}

export type OwnerMetrics = ReturnType<typeof createOwnerMetrics>;
