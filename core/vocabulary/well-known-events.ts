import type { FieldFault } from '../kernel/errors.ts';
import { SHARED_LIMITS } from '../kernel/limits.ts';

/*
 * Events of callers that views read: the economy of a game and its levels. An event that a view cannot read is tracked
 * as any other, and its sender learns why no view counts it.
 */

type Properties = Readonly<Record<string, unknown>>;

/** What a view needs of an event; the faults say what it cannot read. */
const NEEDS: Readonly<Record<string, (properties: Properties) => FieldFault[]>> = {
  currency_earned: currencyFaults,
  currency_spent: currencyFaults,
  level_started: levelFaults,
  level_failed: levelFaults,
  level_completed: levelFaults,
};

/** Why views leave an event out; empty: they count it, or read no event of this name. */
export function unreadByViews(eventName: string, properties: Properties): readonly FieldFault[] {
  return Object.hasOwn(NEEDS, eventName) ? (NEEDS[eventName]?.(properties) ?? NONE) : NONE;
}

const NONE: readonly FieldFault[] = [];

function currencyFaults({ currency, amount }: Properties): FieldFault[] {
  const faults: FieldFault[] = [];
  if (typeof currency !== 'string' || currency === '')
    faults.push({
      path: '/currency',
      message: 'must be the name of a currency, or economy_daily leaves the event out',
    });
  if (typeof amount !== 'number' || !(amount >= LEAST_AMOUNT && amount <= SHARED_LIMITS.purchaseAmount / LEAST_PARTS))
    faults.push({ path: '/amount', message: 'must be a number above 0, or economy_daily leaves the event out' });
  return faults;
}

/** The view keeps four decimals. */
const LEAST_PARTS = 10_000;
const LEAST_AMOUNT = 1 / LEAST_PARTS;

/** A game may have events of these names without levels. */
function levelFaults({ level }: Properties): FieldFault[] {
  if (level === undefined || typeof level === 'number' || (typeof level === 'string' && level !== '')) return [];
  return [{ path: '/level', message: 'must be a number or a text, or progression_by_level leaves the event out' }];
}
