import type { Random } from './random.ts';
import { TARGETS, type Target } from './rig.ts';

/** The next fault. Times are milliseconds. */
export type Fault =
  | { kind: 'kill'; target: Target }
  /** The second node dies and loses its local store. */
  | { kind: 'wipe_peer' }
  /** A second process dies while the first is still restarting. */
  | { kind: 'two_kills'; target: Target; second: Target; gapMs: number }
  | { kind: 'pause'; target: Target; durationMs: number }
  /** The second process dies while the first is stopped. */
  | { kind: 'pause_and_kill'; target: Target; second: Target; durationMs: number };

/** A lease is 3 s and a contender waits 0.5 s longer: some pauses end well before a take-over, some well after it. */
const SHORT_PAUSE_MS = [50, 2_000] as const;
const LONG_PAUSE_MS = [4_500, 12_000] as const;

const KINDS = { kill: 66, wipe_peer: 4, two_kills: 10, pause: 15, pause_and_kill: 5 } as const;
const WEIGHTS = { service: 35, nats: 25, clickhouse: 15, supervisor: 10, peer: 15 } as const;

/** Chooses the next fault. It never hits `spared`. */
export function nextFault(random: Random, spared: readonly Target[] = []): Fault {
  const kind = random.weighted(KINDS);
  const target = anyBut(random, spared);
  switch (kind) {
    case 'kill':
      return { kind, target };
    case 'wipe_peer':
      return { kind };
    case 'two_kills':
      return { kind, target, second: anyBut(random, spared), gapMs: random.between(0, 800) };
    case 'pause':
      return { kind, target, durationMs: someDuration(random) };
    case 'pause_and_kill':
      return { kind, target, second: anyBut(random, [...spared, target]), durationMs: someDuration(random) };
  }
}

/** The number of processes that a fault kills. */
export function killsOf(fault: Fault): readonly Target[] {
  switch (fault.kind) {
    case 'kill':
      return [fault.target];
    case 'wipe_peer':
      return ['peer'];
    case 'two_kills':
      return [fault.target, fault.second];
    case 'pause':
      return [];
    case 'pause_and_kill':
      return [fault.second];
  }
}

function anyBut(random: Random, spared: readonly Target[]): Target {
  for (;;) {
    const target = random.weighted(WEIGHTS);
    if (!spared.includes(target) || TARGETS.every((known) => spared.includes(known))) return target;
  }
}

function someDuration(random: Random): number {
  const [min, max] = random.chance(0.5) ? SHORT_PAUSE_MS : LONG_PAUSE_MS;
  return random.between(min, max);
}
