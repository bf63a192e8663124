import { pino } from 'pino';
import { STORE_DISCARDED } from '../../actors/runtime/membership/preparation.ts';
import { PARTITION_REFUSED } from '../../actors/runtime/membership/refusal.ts';
import { STORE_UNWRITABLE } from '../../actors/runtime/store/store-writer.ts';
import { OWNER_FAILED } from '../../actors/runtime/term/partition-owner.ts';
import { CLOCK_WRONG } from '../../streams/broker-clock.ts';
import type { Logger } from '../../core/kernel/logger.ts';
import { UNREADABLE_COMMANDS } from '../../actors/runtime/term/request-feed.ts';
import { FACTS_RESET } from '../../streams/sinks/live/live-feed.ts';
import { createRandom, type Random } from './random.ts';
import { createSimClock, type SimClock } from './machines/sim-clock.ts';

/** A violated invariant, found by one of the checks. */
export interface Violation {
  invariant: string;
  message: string;
}

export type OnLine = (message: string, fields: ReadonlyMap<string, unknown>) => void;

/** The state that all parts of one simulated world share. */
export interface World {
  readonly seed: number;
  readonly clock: SimClock;
  /** The log of one process, with a listener for its lines. */
  logger(process: string, onLine: OnLine): Logger;
  /** The first violation; it ends the run. */
  readonly violation: Violation | undefined;
  /** How often the run met each protocol branch and each fault. */
  readonly coverage: ReadonlyMap<string, number>;
  /** A hash of every observable step of the run. */
  readonly traceHash: number;
  /** The random choices of one part of the world. */
  random(part: string): Random;
  /** A tick: later calls return higher numbers. */
  tick(): number;
  violate(invariant: string, message: string): void;
  /** Records that a process's wall clock is wrong for a while. */
  wallClockWrong(durationMs: number): void;
  /** Whether any wall clock was wrong at some time between two (milliseconds of the monotonic clock). */
  wallWasWrong(fromMs: number, toMs: number): boolean;
  /** Records that something in the world is broken, for this long: it explains errors until shortly after. */
  cause(what: Cause, durationMs: number): void;
  /** Ends the causes of this kind now. */
  endCause(what: Cause): void;
  /** Whether a cause existed at some time between two (milliseconds of the monotonic clock). */
  wasCaused(what: Cause, fromMs: number, toMs: number): boolean;
  cover(what: string): void;
  /** Records a step; `text` is called only when the history is printed. */
  note(value: number, text: () => string): void;
}

/** Something that is broken in the world, and explains what the service does. */
export type Cause =
  | 'clickhouse'
  | 'clickhouse restored'
  | 'clock'
  | 'disk'
  | 'broken rows'
  | 'away'
  | 'facts full'
  | 'newer version';

/** How ERROR lines begin that a fault of the world explains, with that fault. Any other ERROR line is a violation. */
const EXPECTED_ERRORS: readonly { message: string; error?: RegExp; cause: Cause | 'any' }[] = [
  // A node without a usable store cannot load snapshots, or not write them; it tries again.
  { message: PARTITION_REFUSED, error: /^connection refused|cannot be rebuilt/, cause: 'clickhouse' },
  // Without an error: the owner's own line says why.
  { message: PARTITION_REFUSED, error: /^$|no space left/, cause: 'disk' },
  { message: OWNER_FAILED, error: /no space left/, cause: 'disk' },
  { message: STORE_UNWRITABLE, cause: 'disk' },
  { message: OWNER_FAILED, error: /^an entity of the local store cannot be read/, cause: 'broken rows' },
  { message: STORE_DISCARDED, error: /^an entity of the local store cannot be read/, cause: 'broken rows' },
  { message: PARTITION_REFUSED, error: /^an entity of the local store cannot be read/, cause: 'broken rows' },
  { message: CLOCK_WRONG, cause: 'clock' },
  { message: PARTITION_REFUSED, error: /cannot be rebuilt from ClickHouse/, cause: 'clickhouse restored' },
  { message: 'ClickHouse has lost rows of FACTS', cause: 'clickhouse restored' },
  // FACTS keeps only some seconds here: a process that was away for longer finds it trimmed.
  { message: FACTS_RESET, cause: 'any' },
  // No delivery waits for the log of attempts: it gives up after a lost write.
  { message: 'webhook delivery attempts are not stored', cause: 'any' },
  { message: UNREADABLE_COMMANDS, cause: 'newer version' },
];

/** An error may follow its cause after this time: the longest reply of a slow ClickHouse, and a retry. */
const AFTER_CAUSE_MS = 8_000;

/** @param onLine receives the history, line by line */
export function createWorld(seed: number, onLine?: (line: string) => void): World {
  const random = createRandom(seed);
  const clock = createSimClock(random.fork('clock'));
  const coverage = new Map<string, number>();
  let violation: Violation | undefined;
  let ticks = 0;
  const wrongTimes: { fromMs: number; toMs: number }[] = [];
  const causes: { what: Cause; fromMs: number; untilMs: number }[] = [];
  let traceHash = 0x811c9dc5;

  const mix = (value: number): void => {
    traceHash = Math.imul(traceHash ^ value, 0x01000193) ^ (traceHash >>> 15);
  };
  const world: World = {
    seed,
    clock,
    logger: (process, onLine) =>
      pino({ level: 'debug', hooks: { logMethod: (args, _method, level) => onLogLine(process, level, args, onLine) } }),
    get violation() {
      return violation;
    },
    coverage,
    get traceHash() {
      return traceHash >>> 0;
    },
    random: (part) => random.fork(part),
    tick: () => ++ticks,
    violate(invariant, message) {
      if (violation === undefined) onLine?.(`*** ${invariant}: ${message}`);
      violation ??= { invariant, message };
    },
    wallClockWrong(durationMs) {
      wrongTimes.push({ fromMs: clock.monotonicMs(), toMs: clock.monotonicMs() + durationMs });
      world.cause('clock', durationMs);
    },
    wallWasWrong: (fromMs, toMs) => wrongTimes.some((time) => time.fromMs <= toMs && time.toMs >= fromMs),
    cause(what, durationMs) {
      const fromMs = clock.monotonicMs();
      causes.push({ what, fromMs, untilMs: fromMs + durationMs });
    },
    endCause(what) {
      const nowMs = clock.monotonicMs();
      for (const cause of causes) if (cause.what === what) cause.untilMs = Math.min(cause.untilMs, nowMs);
    },
    wasCaused: (what, fromMs, toMs) =>
      causes.some((cause) => cause.what === what && cause.fromMs <= toMs && cause.untilMs >= fromMs),
    cover: (what) => void coverage.set(what, (coverage.get(what) ?? 0) + 1),
    note(value, text) {
      mix(value | 0);
      mix(Math.round(clock.monotonicMs() * 16));
      onLine?.(`${clock.monotonicMs().toFixed(1).padStart(9)} ${text()}`);
    },
  };

  function onLogLine(process: string, level: number, args: readonly unknown[], listener: OnLine): void {
    const message = args.find((arg): arg is string => typeof arg === 'string') ?? '';
    if (level >= 40) world.cover(`log: ${message}`);
    onLine?.(`${clock.monotonicMs().toFixed(1).padStart(9)} log ${process}: ${message} ${show(args[0])}`);
    listener(message, new Map<string, unknown>(Object.entries(args[0] ?? {})));
    if (level >= 50 && !isExplained(message, args[0])) world.violate('no-alarm', `${message} ${show(args[0])}`);
  }
  function isExplained(message: string, fields: unknown): boolean {
    const error = new Map<string, unknown>(Object.entries(fields ?? {})).get('err');
    const text = error instanceof Error ? error.message : '';
    const nowMs = clock.monotonicMs();
    return EXPECTED_ERRORS.some(
      (expected) =>
        message.startsWith(expected.message) &&
        (expected.error?.test(text) ?? true) &&
        (expected.cause === 'any' || world.wasCaused(expected.cause, nowMs - AFTER_CAUSE_MS, nowMs)),
    );
  }
  return world;
}

function show(value: unknown): string {
  if (typeof value !== 'object' || value === null) return '';
  const parts = Object.entries(value).map(([key, part]: [string, unknown]) => {
    if (part instanceof Error) return `${key}=${part.stack ?? part.message}`;
    return `${key}=${JSON.stringify(part)}`;
  });
  return parts.join(' ').slice(0, 900);
}
