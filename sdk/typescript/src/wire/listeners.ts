import type { FlagState, Intervention } from '../flags/answers.ts';
import type { ReportProblem } from './problems.ts';
import { textOf } from './text-of.ts';

/* The game's listeners. One that throws or rejects is reported and disturbs nothing else. */

export interface Listeners<Values extends readonly unknown[]> {
  /** @returns removes the listener */
  add(listener: (...values: Values) => void): () => void;
  emit: (...values: Values) => void;
  readonly size: number;
}

export function createListeners<Values extends readonly unknown[]>(onProblem: ReportProblem): Listeners<Values> {
  const listeners = new Set<(...values: Values) => void>();
  return {
    add(listener) {
      // A wrapper, so that adding the same function twice gives two listeners.
      const own = (...values: Values) => listener(...values);
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    emit(...values) {
      for (const listener of listeners) guarded(() => listener(...values), onProblem);
    },
    get size() {
      return listeners.size;
    },
  };
}

/** Runs code of the game, which may be an async function. */
export function guarded(run: () => unknown, onProblem: ReportProblem): void {
  const report = (cause: unknown) =>
    onProblem({ kind: 'listener', message: `A callback threw: ${textOf(cause)}`, cause });
  try {
    const result = run();
    if (result instanceof Promise) result.catch(report);
  } catch (cause) {
    report(cause);
  }
}

/** Whether the flags are those of the service, with listeners of changes. */
export function createFreshFlags(onProblem: ReportProblem) {
  const listeners = createListeners<[boolean]>(onProblem);
  let isFresh = false;
  return {
    ...listeners,
    get isFresh() {
      return isFresh;
    },
    set(fresh: boolean): void {
      if (fresh !== isFresh) listeners.emit((isFresh = fresh));
    },
  };
}

/** Messages to show. Those that arrive before the game listens wait, within a bound. */
export function createInterventions(onProblem: ReportProblem) {
  const listeners = createListeners<[Intervention]>(onProblem);
  let waiting: Intervention[] = [];
  return {
    add(listener: (intervention: Intervention) => void): () => void {
      const remove = listeners.add(listener);
      for (const intervention of waiting.splice(0)) listeners.emit(intervention);
      return remove;
    },
    offer(offered: readonly Intervention[]): void {
      if (listeners.size === 0) waiting = [...waiting, ...offered].slice(-MOST_WAITING);
      else for (const intervention of offered) listeners.emit(intervention);
    },
    clear() {
      waiting = [];
    },
  };
}

/** As many as the service keeps for a player. */
const MOST_WAITING = 32;

/** The flags that differ, as they are now; undefined for one that is gone. */
export function changedFlags(
  before: Readonly<Record<string, FlagState>>,
  now: Readonly<Record<string, FlagState>>,
): [key: string, flag: FlagState | undefined][] {
  const keys = new Set([...Object.keys(before), ...Object.keys(now)]);
  return [...keys].flatMap((key): [string, FlagState | undefined][] => {
    const flag = now[key];
    return JSON.stringify(before[key]) === JSON.stringify(flag) ? [] : [[key, flag]];
  });
}
