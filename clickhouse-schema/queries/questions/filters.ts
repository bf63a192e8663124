import { countedPlayers } from '../../counted-players.ts';
import type { Source } from '../../../core/vocabulary/metrics/metric.ts';
import { type Bindings, dayOf, ofGame } from './bindings.ts';
import { type Value, valueOf } from './dimensions.ts';
import type { Filter, Scope, Test } from './question.ts';

/**
 * Rows that pass all filters, as conditions that begin with AND. A filter on a value that the source's rows do not have
 * is none of theirs.
 */
export function passing(
  bindings: Bindings,
  filters: readonly Filter[],
  scope: Scope,
  source: Source = 'events',
): string {
  return filters.map((filter) => conditionOf(bindings, filter, scope, source)).join('');
}

function conditionOf(bindings: Bindings, { dimension, test }: Filter, scope: Scope, source: Source): string {
  const value = valueOf(bindings, source, dimension, scope);
  if (value === undefined) return '';
  const { holds, isNot } = testOf(bindings, value, test);
  if (value.from === 'row') return isNot ? ` AND NOT (${holds})` : ` AND ${holds}`;
  // Without a row of the day, or of the player, there is no value: `in` may name that by ''.
  const namesNone = !isNot && test.operator === 'in' && test.value.includes('');
  const { of, from } = value.from === 'day' ? dayRows(bindings, scope) : playerRows(bindings, scope);
  return namesNone
    ? ` AND ${of} NOT IN (${from} AND NOT (${holds}))`
    : ` AND ${of}${isNot ? ' NOT' : ''} IN (${from} AND ${holds})`;
}

/** A test as a condition, or as the condition that must not hold: that is so without a value, too. */
function testOf({ bind }: Bindings, value: Value, test: Test): { holds: string; isNot?: boolean } {
  switch (test.operator) {
    case 'in':
      return { holds: `${value.text} IN ${bind('Array(String)', test.value)}` };
    case 'is':
    case 'is_not': {
      const holds =
        typeof test.value === 'number'
          ? compared(value, '=', bind('Float64', test.value))
          : `${value.text} = ${bind('String', String(test.value))}`;
      return { holds, isNot: test.operator === 'is_not' };
    }
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return { holds: compared(value, SIGNS[test.operator], bind('Float64', test.value)) };
    case 'contains':
      return { holds: `position(${value.whole}, ${bind('String', test.value)}) > 0` };
    case 'is_set':
    case 'is_not_set':
      return { holds: `${value.text} != ''`, isNot: test.operator === 'is_not_set' };
  }
}

const SIGNS = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

const compared = ({ number }: Value, sign: string, other: string): string =>
  number === undefined ? '0' : `ifNull(${number} ${sign} ${other}, 0)`;

interface Rows {
  /** What names a row. */
  of: string;
  /** A statement that names rows, and takes further conditions. */
  from: string;
}

function dayRows(bindings: Bindings, scope: Scope): Rows {
  return {
    of: `(player_id, ${dayOf(bindings, 'happened_at', scope.zone)})`,
    from: `SELECT player_id, day FROM player_days FINAL WHERE ${daysInScope(bindings, scope)}`,
  };
}

function playerRows(bindings: Bindings, scope: Scope): Rows {
  return { of: 'player_id', from: `SELECT player_id FROM players WHERE ${ofGame(bindings, scope)}` };
}

/** The days of players who count that a range meets, of those who were active on the last one before the range ends. */
export function daysInScope(bindings: Bindings, scope: Scope): string {
  const { moment } = bindings;
  const { zone, fromMs, toMs } = scope;
  const own = ofGame(bindings, scope);
  return `${own}
    AND day >= ${dayOf(bindings, moment(fromMs), zone)} AND day <= ${dayOf(bindings, moment(toMs - 1), zone)}
    AND first_at < ${moment(toMs)} AND ${countedPlayers('', own)}`;
}
