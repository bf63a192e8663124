import type { Adjustable } from '../../../core/kernel/adjustable.ts';
import { REBUILD_LIMITS } from './limits.ts';
import { decodeJson } from '../../../core/codec/codec.ts';
import type { Log, StreamBounds } from '../../../streams/log/log.ts';
import { parseRebuildMark, rebuildKey, type RebuildMark } from '../../../streams/facts/rebuild-mark.ts';
import { loadSnapshots, type LoadOptions } from './load-snapshots.ts';
import type { RebuildSlot } from './rebuild-slot.ts';

/** A log message. The simulation reads it. */
export const STORE_MISMATCH = 'the local store does not fit the log: rebuilding';
const REPLAY_INSTEAD = 'snapshots cannot be read: replaying FACTS instead, which takes longer';

export interface RebuildOptions extends LoadOptions {
  log: Log;
  /** Partitions of the deployment: they share FACTS. */
  partitions: number;
  /** One for all partitions of the process. */
  rebuilds: RebuildSlot;
  /** What the store holds is faulty. */
  discard: boolean;
  limits?: RebuildLimits | undefined;
}

export type RebuildLimits = LoadOptions['limits'] &
  Partial<Adjustable<typeof REBUILD_LIMITS, 'rebuildReplayBytes' | 'rebuildEntityBytes'>>;

/**
 * Makes the store ready to be brought up to date from FACTS: clears it if FACTS cannot do that, and loads snapshots
 * where FACTS no longer reaches back or replaying it would take longer. Rejects when snapshots are needed and cannot be
 * used.
 * @param highest the highest sequence of FACTS that the store may have applied
 */
export async function prepareStore(options: RebuildOptions, bounds: StreamBounds, highest: number): Promise<void> {
  const { store, logger, partition, discard } = options;
  const mark = discard ? undefined : store.mark();
  const isUsable =
    mark !== undefined &&
    mark.factsCreated === bounds.created &&
    bounds.firstSequence <= mark.appliedSeq + 1 &&
    Math.max(mark.appliedSeq, mark.aheadTo ?? 0) <= highest;
  if (mark !== undefined && !isUsable) logger.warn({ partition, mark, bounds }, STORE_MISMATCH);
  const covered = await rebuildMark(options.log, partition, bounds.created);
  // A usable store, or a FACTS that was never trimmed, can do without snapshots.
  if (isUsable || bounds.firstSequence === 1) {
    if (!isUsable) await store.clear();
    await loadIfShorter(options, bounds, isUsable ? mark.appliedSeq : 0, covered);
    return;
  }
  if (covered === undefined || covered.coveredTo + 1 < bounds.firstSequence) {
    throw new Error(
      `partition ${partition} cannot be rebuilt: FACTS begins at ${bounds.firstSequence}, ` +
        `snapshots cover it up to ${covered?.coveredTo ?? 0}`,
    );
  }
  await inTurn(options, () => load(options, 0, covered));
}

async function load(options: RebuildOptions, appliedSeq: number, mark: RebuildMark): Promise<void> {
  const { source, store, partition } = options;
  await checkConfirmed(options, mark);
  checkPlayers(partition, mark, await source.countPlayers(partition));
  // Only now: if ClickHouse lost rows, a store that cannot be used may hold the last copy of most players.
  if (appliedSeq === 0) await store.clear();
  await loadSnapshots(options, {
    factsCreated: mark.stream,
    appliedSeq,
    coveredTo: mark.coveredTo,
    // ClickHouse may have been restored from an older backup since the checks above.
    async confirm(players) {
      if (appliedSeq === 0) checkPlayers(partition, mark, players);
      await checkConfirmed(options, mark);
    },
  });
}

/** Rejects if ClickHouse no longer holds the records that the mark counts on: the store would miss changes. */
async function checkConfirmed(
  { source, partition }: RebuildOptions,
  { stream, confirmedTo }: RebuildMark,
): Promise<void> {
  const held = await source.confirmedTo();
  const isHeld = held !== undefined && held.createdMs === Date.parse(stream) && held.sequence >= confirmedTo;
  if (!isHeld) {
    const found =
      held === undefined ? 'nothing' : `FACTS of ${new Date(held.createdMs).toISOString()} up to ${held.sequence}`;
    throw new Error(
      `partition ${partition} cannot be rebuilt from ClickHouse: its mark needs FACTS of ${stream} up to ${confirmedTo}, ` +
        `ClickHouse holds ${found}. ${REMEDY}`,
    );
  }
}

/** Throws if ClickHouse has fewer players than the mark counts: the store would miss players. */
function checkPlayers(partition: number, { players }: RebuildMark, found: number): void {
  if (found < players) {
    throw new Error(
      `partition ${partition} cannot be rebuilt from ClickHouse: its mark counts ${players} players, ` +
        `player_snapshots has ${found}. ${REMEDY}`,
    );
  }
}

const REMEDY =
  'ClickHouse was restored from an older backup, or lost rows. Restore a newer backup, or see "ClickHouse lost rows" in ' +
  'docs/operations.md.';

/** Loads snapshots if that is estimated to be shorter than replaying FACTS. Replays FACTS if they cannot be read. */
async function loadIfShorter(
  options: RebuildOptions,
  bounds: StreamBounds,
  appliedSeq: number,
  mark: RebuildMark | undefined,
): Promise<void> {
  const { source, store, partition, logger, limits = {} } = options;
  const { rebuildReplayBytes: replayBytes = REBUILD_LIMITS.rebuildReplayBytes } = limits;
  const { rebuildEntityBytes: entityBytes = REBUILD_LIMITS.rebuildEntityBytes } = limits;
  const skipped = bytesBetween(bounds, appliedSeq, mark?.coveredTo ?? 0) / options.partitions;
  if (mark === undefined || skipped <= replayBytes) return;
  try {
    const entities = await source.count(partition, appliedSeq);
    if (skipped <= replayBytes + entities * entityBytes) return;
    await inTurn(options, () => load(options, appliedSeq, mark));
  } catch (error) {
    logger.warn({ err: error, partition }, REPLAY_INSTEAD);
    if (store.mark()?.factsCreated === '') await store.clear();
  }
}

/** An estimate: records of all sizes are spread evenly over FACTS. */
function bytesBetween({ firstSequence, lastSequence, sizeBytes }: StreamBounds, after: number, upTo: number): number {
  const from = Math.max(firstSequence, after + 1);
  return (sizeBytes * Math.max(0, upTo + 1 - from)) / Math.max(1, lastSequence + 1 - firstSequence);
}

/** Waits for the process's only slot. Does nothing when the term is stopped meanwhile. */
async function inTurn({ rebuilds, clock, stopped }: RebuildOptions, work: () => Promise<void>): Promise<void> {
  const release = await rebuilds.take(clock, stopped);
  if (release === undefined) return;
  try {
    await work();
  } finally {
    release();
  }
}

/** How far snapshots in ClickHouse hold the partition's changes, as stored by the ClickHouse sink. */
async function rebuildMark(log: Log, partition: number, created: string): Promise<RebuildMark | undefined> {
  const entry = await log.bucket('POSITIONS').get(rebuildKey(partition));
  const mark = entry?.value === undefined ? undefined : parseRebuildMark(decodeJson(entry.value));
  return mark?.stream === created ? mark : undefined;
}
