import type { StreamName } from '../../../core/vocabulary/stream-name.ts';
import type { ConfirmedPosition } from '../../../clickhouse-schema/queries/confirmed-position.ts';
import { decodeJson } from '../../../core/codec/codec.ts';
import type { Log } from '../../log/log.ts';
import { parseRebuildMark, rebuildKey, type RebuildMark } from '../../facts/rebuild-mark.ts';
import { parseSinkPosition, storedPosition, type SinkPosition } from '../../positions/positions.ts';
import type { SinkName } from '../../positions/sink-registry.ts';

/* What ClickHouse should have by the positions in the log's cluster, beside what it has: for operators. */

type ReadableLog = Pick<Log, 'bucket' | 'info'>;

export interface CoverageSource {
  confirmedTo(stream: StreamName): Promise<ConfirmedPosition | undefined>;
  /** Players of a partition in `player_snapshots`, erased ones included. */
  countPlayers(partition: number): Promise<number>;
}

export interface StreamCoverage {
  stream: StreamName;
  /** The first sequence that the log still holds. */
  firstSequence: number;
  /** The sink's stored position; `undefined`: none in this incarnation of the stream. */
  position: SinkPosition | undefined;
  /** Up to where ClickHouse confirms this incarnation of the stream. */
  confirmedTo: number;
  isLost: boolean;
}

export interface PartitionCoverage {
  partition: number;
  mark: RebuildMark | undefined;
  /** Players in ClickHouse, erased ones included. */
  players: number;
  isLost: boolean;
}

const STREAMS = { FACTS: 'clickhouse', RECORDS: 'clickhouse-records' } as const satisfies Partial<
  Record<StreamName, SinkName>
>;

export async function streamCoverage(
  log: ReadableLog,
  source: CoverageSource,
  stream: keyof typeof STREAMS,
): Promise<StreamCoverage> {
  const { created, firstSequence } = await log.info(stream);
  const stored = await storedPosition(log, STREAMS[stream], parseSinkPosition).load();
  const position = stored?.stream === created ? stored : undefined;
  const confirmedTo = heldOf(created, await source.confirmedTo(stream));
  return { stream, firstSequence, position, confirmedTo, isLost: confirmedTo < (position?.confirmedTo ?? 0) };
}

/** The coverage of a partition by snapshots. Reads the mark first: what ClickHouse holds meanwhile only grows. */
export async function partitionCoverage(
  log: ReadableLog,
  source: CoverageSource,
  partition: number,
): Promise<PartitionCoverage> {
  const { created } = await log.info('FACTS');
  const entry = await log.bucket('POSITIONS').get(rebuildKey(partition));
  const stored = entry?.value === undefined ? undefined : parseRebuildMark(decodeJson(entry.value));
  const mark = stored?.stream === created ? stored : undefined;
  const confirmedTo = heldOf(created, await source.confirmedTo('FACTS'));
  const players = await source.countPlayers(partition);
  const isLost = confirmedTo < (mark?.confirmedTo ?? 0) || players < (mark?.players ?? 0);
  return { partition, mark, players, isLost };
}

/** Up to where ClickHouse confirms an incarnation of a stream. */
function heldOf(created: string, found: ConfirmedPosition | undefined): number {
  return found?.createdMs === Date.parse(created) ? found.sequence : 0;
}

export type RepairOutcome =
  | { kind: 'whole' }
  | { kind: 'repaired'; from: number; to: number }
  /** The log no longer holds the records between `confirmedTo` and `firstSequence`. Nothing was changed. */
  | { kind: 'gap'; confirmedTo: number; firstSequence: number }
  /** The sink moved the position meanwhile. Try again. */
  | { kind: 'taken' };

/**
 * Lets the sink write again what ClickHouse has lost of FACTS, if the log still holds all of it: deletes what stands
 * behind the position that ClickHouse confirms, and moves the sink's position back to it. The sink counts the rows of
 * each batch before it inserts it again, so no row can come twice.
 * @param removeAfter deletes the rows of FACTS behind a sequence, and resolves when they are gone
 */
export async function repairFacts(
  log: ReadableLog,
  source: CoverageSource,
  removeAfter: (sequence: number, createdMs: number) => Promise<void>,
): Promise<RepairOutcome> {
  const store = storedPosition(log, STREAMS.FACTS, parseSinkPosition);
  const { created, firstSequence } = await log.info('FACTS');
  const { confirmedTo, isLost } = await streamCoverage(log, source, 'FACTS');
  if (!isLost) return { kind: 'whole' };
  if (firstSequence > confirmedTo + 1) return { kind: 'gap', confirmedTo, firstSequence };
  await removeAfter(confirmedTo, Date.parse(created));
  // Loaded last: a sink that waits stores its position every few seconds.
  const position = await store.load();
  if (position === undefined) return { kind: 'taken' };
  const to = Math.max(position.intent?.to ?? 0, position.sequence, position.replayTo ?? 0);
  // An empty ClickHouse has no position to check until the sink has noted one.
  const noted = confirmedTo === 0 ? {} : { confirmedTo };
  const saved = await store.save({ stream: created, sequence: confirmedTo, ...noted, replayTo: to });
  return saved === 'saved' ? { kind: 'repaired', from: confirmedTo + 1, to } : { kind: 'taken' };
}
