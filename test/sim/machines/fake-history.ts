import type { EventHistory, PastEvent, PastEvents } from '../../../core/vocabulary/event-history.ts';
import { ROW_STEP } from '../../../clickhouse-schema/rows/common-columns.ts';
import { TABLES } from '../../../clickhouse-schema/rows/tables/tables.ts';
import { partitionOf } from '../../../core/kernel/partition.ts';

export interface FakeHistoryOptions {
  /** The rows of `events`, each as its text. */
  rows: () => readonly string[];
  confirmedTo: () => { createdMs: number; sequence: number } | undefined;
  /** Runs one request: it is answered late, or rejected. */
  request: <T>(act: () => T) => Promise<T>;
}

const ROWS_AT_ONCE = 3;

/** Past events as ClickHouse returns them. The engine reads the table as it was when the query began. */
export function createFakeHistory({ rows, confirmedTo, request }: FakeHistoryOptions): EventHistory {
  const { columns } = TABLES.events;
  const place = (column: string): number => columns.indexOf(column);

  function select(wanted: PastEvents): (PastEvent & { index: number })[] {
    return rows()
      .map((row) => row.split('\t'))
      .filter((row) => row[place('game_id')] === wanted.game && row[place('environment')] === wanted.environment)
      .map((row) => ({
        playerId: row[place('player_id')] ?? '',
        eventName: row[place('event_name')] ?? '',
        atMs: Date.parse(`${row[place('received_at')]?.replace(' ', 'T') ?? ''}Z`),
        sequence: Number(row[place('facts_sequence')]),
        index: Number(row[place('facts_index')]),
        properties: (row[place('properties')] ?? '').replaceAll('\\\\', '\\'),
      }))
      .filter(({ eventName, atMs }) => wanted.eventNames.includes(eventName) && atMs >= wanted.sinceMs)
      .filter(({ sequence }) => sequence < wanted.beforeSequence)
      .filter(({ playerId }) => partitionOf(playerId, wanted.partitions) === wanted.partition);
  }

  return {
    confirmedTo: () => request(confirmedTo),
    count: (wanted) => request(() => select(wanted).length),
    async *load(wanted, part, parts) {
      const found = await request(() =>
        select(wanted)
          .filter(({ playerId }) => Math.floor(Number.parseInt(playerId.slice(0, 8), 16) / (2 ** 32 / parts)) === part)
          .toSorted(
            (one, other) =>
              compare(one.playerId, other.playerId) ||
              one.atMs - other.atMs ||
              one.sequence - other.sequence ||
              (one.index % ROW_STEP) - (other.index % ROW_STEP) ||
              one.index - other.index,
          ),
      );
      for (let from = 0; from < found.length; from += ROWS_AT_ONCE) {
        yield await request(() => found.slice(from, from + ROWS_AT_ONCE).map(withoutIndex));
      }
    },
  };
}

function withoutIndex({ playerId, eventName, atMs, sequence, properties }: PastEvent): PastEvent {
  return { playerId, eventName, atMs, sequence, properties };
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
