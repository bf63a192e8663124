import { Counter, Gauge, type Registry } from 'prom-client';

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
  };
}
