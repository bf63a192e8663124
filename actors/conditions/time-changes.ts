import { isObject, type Json } from '../../core/kernel/text/json.ts';
import { DAY_MS, elapsedDays } from '../../core/kernel/days.ts';
import type { PlayerState } from '../../core/vocabulary/state/state.ts';
import type { FieldClock } from './fields.ts';

/** When a condition may change by time alone: epoch milliseconds after `nowMs`; `undefined`: never. */
export type TimeChange = (player: PlayerState, nowMs: number) => number | undefined;

/**
 * When a condition on one field may change. A count changes when a day leaves its window. A number of days changes the
 * result only at its operand's bounds ("at least 7" at 7, "at most 7" at 8), so no evaluation is needed on other days.
 * @param operand the field's operand, which compiled without faults
 */
export function timeChange(clock: FieldClock, operand: Json): TimeChange | undefined {
  if (clock.kind === 'count') return clock.changesAt;
  const { sinceMs } = clock;
  if (turnsDaily(operand)) {
    return (player, nowMs) => {
      const since = sinceMs(player);
      return since === undefined ? undefined : dayAfter(since, elapsedDays(since, nowMs) + 1);
    };
  }
  const turns = [...new Set(turnsOf(operand))].filter((day) => day > 0).toSorted((a, b) => a - b);
  if (turns.length === 0) return undefined;
  return (player, nowMs) => {
    const since = sinceMs(player);
    if (since === undefined) return undefined;
    const days = elapsedDays(since, nowMs);
    const next = turns.find((turn) => turn > days);
    return next === undefined ? undefined : dayAfter(since, next);
  };
}

/** Combines changes: the earliest of them. */
export function earliest(changes: readonly TimeChange[]): TimeChange {
  if (changes.length === 0) return () => undefined;
  return (player, nowMs) => {
    let first: number | undefined;
    for (const change of changes) {
      const at = change(player, nowMs);
      if (at !== undefined && (first === undefined || at < first)) first = at;
    }
    return first;
  };
}

/** `undefined` for a day outside the range of dates: a definition may contain any number. */
function dayAfter(sinceMs: number, days: number): number | undefined {
  const at = sinceMs + days * DAY_MS;
  return Number.isSafeInteger(at) ? at : undefined;
}

/** The day counts at which the condition on a growing number of days may differ from the day before. */
function turnsOf(operand: Json): number[] {
  if (typeof operand === 'number') return [Math.ceil(operand), Math.floor(operand) + 1];
  if (!isObject(operand)) return [];
  return Object.entries(operand).flatMap(([operator, argument]) => TURNS.get(operator)?.(argument) ?? []);
}

const TURNS: ReadonlyMap<string, (argument: Json) => number[]> = new Map<string, (argument: Json) => number[]>([
  ['$eq', turnsOf],
  ['$ne', turnsOf],
  ['$not', turnsOf],
  ['$in', turnsOfList],
  ['$nin', turnsOfList],
  ['$ini', turnsOfList],
  ['$nini', turnsOfList],
  ['$gte', (argument) => [Math.ceil(Number(argument))]],
  ['$lt', (argument) => [Math.ceil(Number(argument))]],
  ['$gt', (argument) => [Math.floor(Number(argument)) + 1]],
  ['$lte', (argument) => [Math.floor(Number(argument)) + 1]],
]);

function turnsOfList(list: Json): number[] {
  return Array.isArray(list) ? list.filter((item) => typeof item === 'number').flatMap(turnsOf) : [];
}

/** Whether an operand may change on any day. That is assumed of an operator without an entry in `TURNS`. */
function turnsDaily(operand: Json): boolean {
  if (!isObject(operand)) return false;
  return Object.entries(operand).some(([operator, argument]) =>
    operator === '$not' ? turnsDaily(argument) : !TURNS.has(operator) && !TIMELESS.has(operator),
  );
}

/** Operators with the same result for every number of days. */
const TIMELESS: ReadonlySet<string> = new Set(['$exists', '$type', '$size', '$all', '$alli', '$elemMatch']);
