import type { Json, JsonObject } from '../../../core/kernel/text/json.ts';
import type { AnswerOf, BodyOf } from '../frame/api.ts';
import { isObject, isSameJson } from '../parts/editors/json-text.ts';
import { isTime } from '../parts/zoned-time.ts';

/* Changes that are planned: what a person enters, and what the service makes of it. */

/** The kinds of definitions that can be changed later, with the path of one and the name of its id. */
export const BASES = {
  flag: { base: '/v1/flags/flags/{key}', idName: 'key' },
  segment: { base: '/v1/segments/segments/{id}', idName: 'id' },
  experiment: { base: '/v1/experiments/experiments/{key}', idName: 'key' },
  campaign: { base: '/v1/campaigns/campaigns/{id}', idName: 'id' },
} as const;
export type ScheduledKind = keyof typeof BASES;
export const isScheduledKind = (kind: string): kind is ScheduledKind => Object.hasOwn(BASES, kind);
type Base = (typeof BASES)[ScheduledKind]['base'];

export type Plan = BodyOf<'POST /v1/flags/flags/{key}/schedule'>;
export type Change = AnswerOf<`GET ${Base}/schedule`>['changes'][number];

/** Where requests about the schedule of a definition go. */
export function placeOf(of: ScheduledKind, id: string): { base: Base; path: Record<string, string> } {
  const { base, idName } = BASES[of];
  return { base, path: { [idName]: id } };
}

export const UNITS = ['m', 'h', 'd'] as const;
type Unit = (typeof UNITS)[number];
const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const satisfies Record<Unit, number>;

/** A step of a roll-out as a person edits it. */
export interface EditedStep {
  id: number;
  /** undefined or NaN: not given yet. */
  percentage: number | undefined;
  /** Time after the step before; of the first step it does not count. */
  amount: number | undefined;
  unit: Unit;
}

const USUAL_STEPS = [5, 20, 50, 100];
const MOST_AMOUNT = 99_999;

/** The usual steps above a percentage, a day apart. */
export function firstSteps(now: number): EditedStep[] {
  return USUAL_STEPS.filter((percentage) => percentage > now).map((percentage, id) => ({
    id,
    percentage,
    amount: 1,
    unit: 'd',
  }));
}

/** The steps with one more, half as far from 100 % as the last one. */
export function withStep(steps: readonly EditedStep[]): EditedStep[] {
  const id = 1 + Math.max(-1, ...steps.map((each) => each.id));
  const { percentage: last = 0, ...rest } = steps.at(-1) ?? { amount: 1, unit: 'd' as const };
  const percentage = Number.isNaN(last) || last >= 100 ? undefined : Math.ceil((last + 100) / 2);
  return [...steps, { ...rest, id, percentage }];
}

interface EditedRollout {
  /** Place of the rule, from 1. */
  rule: number;
  /** When the first step is made: ISO 8601; empty: at once. */
  begins: string;
  steps: readonly EditedStep[];
}

/**
 * The plan of a roll-out; undefined: something is not given yet, or a percentage is not higher than the one before.
 * @param now the percentage of the rule
 */
export function rolloutOf({ rule, begins, steps }: EditedRollout, now: number): Plan | undefined {
  if (steps.length === 0 || (begins !== '' && !isTime(begins))) return undefined;
  const isRising = steps.every(({ percentage = NaN }, place) => {
    const before = steps[place - 1]?.percentage ?? now;
    return percentage > before && percentage <= 100;
  });
  const isTimed = steps
    .slice(1)
    .every(({ amount = 0 }) => Number.isInteger(amount) && amount > 0 && amount <= MOST_AMOUNT);
  if (!isRising || !isTimed) return undefined;
  const first = begins === '' ? {} : { at: begins };
  return {
    rollout: {
      rule,
      steps: steps.map(({ percentage = 0, amount = 0, unit }, place) => ({
        percentage,
        ...(place === 0 ? first : { after: `${amount}${unit}` }),
      })),
    },
  };
}

/** The roll-out that was held last and can go on: the name of its rule and its steps. undefined: there is none. */
export function heldRollout(changes: readonly Change[]): { rule: string; steps: EditedStep[] } | undefined {
  if (changes.some(({ state, step }) => state === 'pending' && step !== null)) return undefined;
  const steps = changes.filter(({ step }) => step !== null);
  const last = steps.toSorted((one, other) => (one.ended_at ?? '').localeCompare(other.ended_at ?? '')).at(-1);
  const held = steps.filter(({ plan_id: plan, state }) => plan === last?.plan_id && state === 'held');
  const [first] = held;
  if (last?.state !== 'held' || first === undefined) return undefined;
  return {
    rule: first.step?.rule ?? '',
    steps: held.map(({ step, at }, id) => ({
      id,
      percentage: step?.percentage,
      ...durationOf(Date.parse(at) - Date.parse(held[id - 1]?.at ?? at)),
    })),
  };
}

/** A time in the largest unit of which it is a multiple, in whole minutes. */
function durationOf(ms: number): Pick<EditedStep, 'amount' | 'unit'> {
  const minutes = Math.max(1, Math.round(ms / UNIT_MS.m));
  const unit = (['d', 'h'] as const).find((each) => (minutes * UNIT_MS.m) % UNIT_MS[each] === 0) ?? 'm';
  return { amount: (minutes * UNIT_MS.m) / UNIT_MS[unit], unit };
}

/**
 * The merge patch (RFC 7396) between two definitions; undefined: it would need a null within an object, where null
 * removes a field.
 */
export function mergePatchOf(before: JsonObject, after: JsonObject): JsonObject | undefined {
  const patch = new Map<string, Json>();
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [held, wanted = null] = [before[name], after[name]];
    if (isSameJson(held ?? null, wanted)) continue;
    const part = isObject(wanted) ? partOf(isObject(held) ? held : {}, wanted) : wanted;
    if (part === undefined) return undefined;
    patch.set(name, part);
  }
  return Object.fromEntries(patch);
}

function partOf(held: JsonObject, wanted: JsonObject): JsonObject | undefined {
  const removed = Object.keys(held).filter((name) => !Object.hasOwn(wanted, name));
  const patch = new Map<string, Json>(removed.map((name) => [name, null]));
  for (const [name, value] of Object.entries(wanted)) {
    const before = held[name];
    if (before !== undefined && isSameJson(before, value)) continue;
    if (value === null) return undefined;
    const part = isObject(value) ? partOf(isObject(before) ? before : {}, value) : value;
    if (part === undefined) return undefined;
    patch.set(name, part);
  }
  return Object.fromEntries(patch);
}

const LEAST_MS = 1_000;
const MOST_MS = 15_000;

/** How long until the schedule is read again: around the time at which its next change is made. */
export function readAgainMs(changes: readonly Change[], nowMs: number): number {
  const next = changes.find(({ state }) => state === 'pending');
  if (next === undefined) return MOST_MS;
  return Math.min(MOST_MS, Math.max(LEAST_MS, Date.parse(next.at) - nowMs + LEAST_MS));
}
