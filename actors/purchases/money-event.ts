import { unitsText } from '../../core/kernel/money.ts';
import type { JsonText } from '../../core/kernel/text/json.ts';

type Present<T> = Readonly<Record<string, T | null | undefined>>;

/** The properties of an event about money: exact amounts, then other fields. Absent ones are left out. */
export function moneyEvent(amounts: Present<number>, fields: Present<string | number>): JsonText {
  const exact = Object.entries(amounts).flatMap(([name, amount]) =>
    typeof amount === 'number' ? [`"${name}":${unitsText(amount)}`] : [],
  );
  const others = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
  const rest = JSON.stringify(Object.fromEntries(others)).slice(1, -1);
  return `{${[...exact, ...(rest === '' ? [] : [rest])].join(',')}}`;
}
