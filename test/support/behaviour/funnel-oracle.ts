import { byPlayer, type PastEvent } from './histories.ts';

/*
 * Funnels by brute force: every attempt of every player, event by event, as docs/analytics-queries.md defines them. It
 * shares nothing with the SQL.
 */

export interface OracleStep {
  name: string;
  mode?: string | undefined;
}

export interface OracleFunnel {
  order: 'ordered' | 'strict' | 'any_order';
  steps: readonly OracleStep[];
  exclusions: readonly (OracleStep & { afterStep?: number | undefined })[];
  windowMs: number;
  fromMs: number;
  toMs: number;
  nowMs: number;
  by?: 'country' | undefined;
}

export interface OraclePlayer {
  player: number;
  key: string;
  level: number;
  inside: boolean;
  times: number[];
}

interface Attempt {
  /** Places of its first event, and of the one that brought it furthest. */
  start: number;
  end: number;
  times: number[];
  hasEnded: boolean;
}

/** Each player with an attempt, and its best one. */
export function funnelPlayersOf(events: readonly PastEvent[], funnel: OracleFunnel): OraclePlayer[] {
  return byPlayer(events).flatMap((own) => {
    const read = own.filter(({ happenedMs }) => happenedMs >= funnel.fromMs);
    const attempts = read.flatMap((event, place) =>
      event.happenedMs < funnel.toMs && begins(event, funnel) ? [attemptFrom(read, place, funnel)] : [],
    );
    const [first] = attempts;
    if (first === undefined) return [];
    const best = attempts.reduce((one, other) => (isBetter(other, one) ? other : one));
    const level = best.times.length;
    const isOpen = (attempt: Attempt): boolean =>
      !attempt.hasEnded && (attempt.times[0] ?? 0) + funnel.windowMs > funnel.nowMs;
    const key = funnel.by === undefined ? '' : (read[first.start]?.country ?? '');
    const inside = level < funnel.steps.length && attempts.some(isOpen);
    return [{ player: own[0]?.player ?? 0, key, level, inside, times: best.times }];
  });
}

function begins(event: PastEvent, { order, steps }: OracleFunnel): boolean {
  return (order === 'any_order' ? steps : steps.slice(0, 1)).some((step) => satisfies(event, step));
}

function isBetter(one: Attempt, other: Attempt): boolean {
  if (one.times.length !== other.times.length) return one.times.length > other.times.length;
  return one.end === other.end ? one.start > other.start : one.end < other.end;
}

function attemptFrom(events: readonly PastEvent[], start: number, funnel: OracleFunnel): Attempt {
  return funnel.order === 'any_order' ? anyOrderFrom(events, start, funnel) : orderedFrom(events, start, funnel);
}

function orderedFrom(events: readonly PastEvent[], start: number, funnel: OracleFunnel): Attempt {
  const beganMs = events[start]?.happenedMs ?? 0;
  const attempt: Attempt = { start, end: start, times: [beganMs], hasEnded: false };
  for (const [place, event] of events.entries()) {
    if (place <= start) continue;
    const level = attempt.times.length;
    const next = funnel.steps[level];
    if (next === undefined || event.happenedMs > beganMs + funnel.windowMs) break;
    if (satisfies(event, next)) {
      attempt.times.push(event.happenedMs);
      attempt.end = place;
      continue;
    }
    const isExcluded = funnel.exclusions.some(
      (exclusion) => satisfies(event, exclusion) && (exclusion.afterStep ?? level) === level,
    );
    if (isExcluded || funnel.order === 'strict') {
      attempt.hasEnded = true;
      break;
    }
  }
  if (attempt.times.length === funnel.steps.length) attempt.hasEnded = true;
  return attempt;
}

/** An event counts for the first step that it satisfies, unless the attempt has that one as often as it stands. */
function anyOrderFrom(events: readonly PastEvent[], start: number, funnel: OracleFunnel): Attempt {
  const beganMs = events[start]?.happenedMs ?? 0;
  const attempt: Attempt = { start, end: start, times: [], hasEnded: false };
  const done: OracleStep[] = [];
  const isSame = (one: OracleStep, other: OracleStep): boolean => one.name === other.name && one.mode === other.mode;
  for (const [place, event] of events.entries()) {
    if (place < start) continue;
    if (event.happenedMs > beganMs + funnel.windowMs) break;
    const step = funnel.steps.find((each) => satisfies(event, each));
    if (step === undefined) {
      if (!funnel.exclusions.some((exclusion) => satisfies(event, exclusion))) continue;
      attempt.hasEnded = true;
      break;
    }
    const wanted = funnel.steps.filter((each) => isSame(each, step)).length;
    if (done.filter((each) => isSame(each, step)).length >= wanted) continue;
    done.push(step);
    attempt.times.push(event.happenedMs);
    attempt.end = place;
  }
  return attempt;
}

const satisfies = (event: PastEvent, { name, mode }: OracleStep): boolean =>
  event.name === name && (mode === undefined || event.mode === mode);

/** What the statement of a funnel says of such players, by their key. */
export function funnelFiguresOf(players: readonly OraclePlayer[], steps: number) {
  const groups = [...Map.groupBy(players, ({ key }) => key)];
  const order = Array.from({ length: steps }, (_, place) => place);
  return groups
    .map(([key, own]) => ({
      key,
      total: own.length,
      reached: order.map((place) => own.filter(({ level }) => level > place).length),
      waiting: order.map((place) => own.filter(({ level, inside }) => level === place + 1 && inside).length),
      from_previous: reachedSteps(own, order).map((place) => durations(own, place, Math.max(0, place - 1))),
      from_first: reachedSteps(own, order).map((place) => durations(own, place, 0)),
    }))
    .toSorted((one, other) => other.total - one.total || (one.key < other.key ? -1 : 1));
}

const reachedSteps = (players: readonly OraclePlayer[], order: readonly number[]): number[] =>
  order.filter((place) => players.some(({ level }) => level > place));

/** Median and 90th percentile of the times between two steps. */
function durations(players: readonly OraclePlayer[], place: number, since: number): (number | null)[] {
  const sorted = players
    .filter(({ level }) => level > place)
    .map(({ times }) => (times[place] ?? 0) - (times[since] ?? 0))
    .toSorted((one, other) => one - other);
  return [0.5, 0.9].map((share) => percentile(sorted, share));
}

/** Between the two nearest values, as PERCENTILE.INC of spreadsheets, with one decimal; null: there is none. */
function percentile(sorted: readonly number[], share: number): number | null {
  const at = share * (sorted.length - 1);
  const [low, high] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  return low === undefined || high === undefined
    ? null
    : Math.round((low + (high - low) * (at - Math.floor(at))) * 10) / 10;
}
