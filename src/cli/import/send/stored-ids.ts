import type { Environment } from '../../../../core/vocabulary/documents/scope.ts';
import type { JetStreamLog } from '../../../../streams/log/jetstream/log-jetstream.ts';
import { readSinkPosition } from '../../../../streams/positions/positions.ts';
import { sleep, type Clock } from '../../../../core/kernel/clock.ts';
import { IMPORT_SEND_LIMITS } from './limits.ts';
import { literal, type QueryRows } from '../../export/clickhouse-rows.ts';

export interface IdScope {
  game: string;
  environment: Environment;
  /** Whether an id names one event of the game, or one of its player. */
  ids: 'game' | 'player';
}

/** The digests of a game's event ids that ClickHouse has: of all, or of those of `eventIds`. */
export function storedDigests(query: QueryRows, { game, environment, ids }: IdScope) {
  const text = ids === 'game' ? 'event_id' : 'concat(toString(player_id), event_id)';
  return (eventIds?: readonly string[]): AsyncIterable<Uint8Array> => {
    const named = eventIds === undefined ? '' : ` AND event_id IN (${eventIds.map(literal).join(', ')})`;
    const scope = `game_id = ${literal(game)} AND environment = ${literal(environment)}${named}`;
    const from = (table: string): string => `SELECT MD5(${text}) FROM ${table} WHERE ${scope}`;
    return query(`${from('events')} UNION ALL ${from('quarantined_events')}`, 'RowBinary');
  };
}

/** Resolves when ClickHouse has the rows of all facts that there are now. */
export async function whenSunk(log: JetStreamLog, clock: Clock): Promise<void> {
  const { lastSequence } = await log.info('FACTS');
  for (;;) {
    const position = await readSinkPosition(log, 'clickhouse');
    if (position === undefined ? lastSequence === 0 : position.sequence >= lastSequence) return;
    await sleep(clock, IMPORT_SEND_LIMITS.importRetryMs);
  }
}
