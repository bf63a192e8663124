import type { Clock } from '../../../../src/kernel/clock.ts';

/**
 * How a receiver was when a job ended: `well` took it, `failing` answered but did not take it, `hanging` gave no answer (in
 * time), `unknown` was not asked.
 */
export type Health = 'well' | 'failing' | 'hanging' | 'unknown';

/** Work for one lane. */
export interface Job {
  /** Never rejects. */
  run(): Promise<Health>;
  /** Called instead of `run` when the job waited, and its place won't come soon after all. */
  defer(): void;
}

export interface ConcurrencyLimiterOptions {
  clock: Clock;
  /** Jobs running at once over all lanes. */
  total: number;
  /** Jobs running at once in the lanes of one group. */
  perGroup: number;
  /** Jobs running at once in a lane that is well. */
  perLane: number;
  /** Jobs waiting in a lane that is well; fewer while its window is small. */
  waitingPerLane: number;
  /** A lane that made no progress for this long keeps nobody waiting. */
  progressMs: number;
  /** A lane that made no progress for this long is taken to hang, before its job has run out of time. */
  silentMs: number;
  /** ConcurrencyLimiter remembered; beyond it the idle ones are forgotten. */
  maxLanes: number;
}

/** Shares places in flight among receivers and among groups of them (games), so that none can take them all. */
export interface ConcurrencyLimiter {
  /** `false`: there is no place for it, nor room to wait; neither of its functions will be called. */
  offer(lane: string, group: string, job: Job): boolean;
  /** Puts off what waits in lanes that make no progress. To be called now and then. */
  sweep(): void;
  readonly running: number;
  /** ConcurrencyLimiter whose receiver gives no answer: their circuit is open but for one job at a time. */
  readonly hanging: number;
  /** Whether the receiver gave no answer last, or has been silent for long. */
  isHanging(lane: string): boolean;
  /** Whether the receiver took what it got last, and has nothing that it should have answered by now; of one nobody knows, true. */
  isWell(lane: string): boolean;
  /** How many jobs of a lane went well within a second, as of the last one or two. */
  paceOf(lane: string): number;
}

interface Lane {
  name: string;
  group: Group;
  running: number;
  /** How many may run at once: one more with every success, half with a failure, 1 once it hangs. */
  window: number;
  /** Whether the last job got no answer. */
  hanging: boolean;
  /** Whether the last job got an answer that says no. */
  failing: boolean;
  /** When a job last ended; in a lane that was idle, when one came. */
  progressAtMs: number;
  waiting: Job[];
  /** Jobs that went well since `secondFromMs`, and in the second before. */
  wellNow: number;
  wellBefore: number;
  secondFromMs: number;
}

interface Group {
  name: string;
  /** ConcurrencyLimiter of this group that are remembered. */
  lanes: number;
  running: number;
  /** ConcurrencyLimiter with waiting jobs and room in their window, in the order of their turns. */
  ready: Set<Lane>;
}

/** A receiver nobody knows yet gets this many at first: enough to begin well, little if it hangs. */
const FIRST_WINDOW = 4;
/** Jobs that may wait for each place of the window. */
const WAITING_PER_PLACE = 16;
const SECOND_MS = 1_000;

/**
 * One lane per receiver, with a window like a congestion window. A lane that does not hang may also keep jobs waiting for
 * a moment. Groups take turns at free places, and lanes take turns within their group.
 *
 * Invariants
 * 1. At most `total` jobs run, at most `perGroup` of one group, and at most `window` (1 to `perLane`) of one lane.
 * 2. A lane that hangs keeps nobody waiting: what waited is put off at once, or with the next sweep while it is not certain.
 * 3. ConcurrencyLimiter with waiting jobs and room in their window are in their group's `ready`, and only they. Groups with ready lanes and
 *    fewer than `perGroup` running jobs are in `ready`, and only they.
 */
export function createConcurrencyLimiter(options: ConcurrencyLimiterOptions): ConcurrencyLimiter {
  const { clock, total, perGroup, perLane, waitingPerLane, progressMs, silentMs, maxLanes } = options;
  const lanes = new Map<string, Lane>();
  const groups = new Map<string, Group>();
  const ready = new Set<Group>();
  let running = 0;
  let hanging = 0;

  function groupOf(name: string): Group {
    const group = groups.get(name) ?? { name, lanes: 0, running: 0, ready: new Set() };
    groups.set(name, group);
    return group;
  }

  function laneOf(name: string, groupName: string): Lane {
    const known = lanes.get(name);
    if (known !== undefined) return known;
    if (lanes.size >= maxLanes) {
      for (const lane of lanes.values()) if (lane.running === 0 && lane.waiting.length === 0) forget(lane);
    }
    const nowMs = clock.monotonicMs();
    const group = groupOf(groupName);
    group.lanes += 1;
    const lane: Lane = {
      name,
      group,
      running: 0,
      window: FIRST_WINDOW,
      hanging: false,
      failing: false,
      progressAtMs: nowMs,
      waiting: [],
      wellNow: 0,
      wellBefore: 0,
      secondFromMs: nowMs,
    };
    lanes.set(name, lane);
    return lane;
  }

  function forget(lane: Lane): void {
    if (lane.hanging) hanging -= 1;
    lanes.delete(lane.name);
    lane.group.lanes -= 1;
    if (lane.group.lanes === 0) groups.delete(lane.group.name);
  }

  function mayWait(lane: Lane): boolean {
    const room = Math.min(waitingPerLane, lane.window * WAITING_PER_PLACE);
    return !lane.hanging && lane.waiting.length < room && !isStuck(lane, progressMs);
  }

  function isStuck(lane: Lane, forMs: number): boolean {
    return lane.running + lane.waiting.length > 0 && clock.monotonicMs() - lane.progressAtMs >= forMs;
  }

  function deferWaiting(lane: Lane): void {
    const waiting = lane.waiting;
    lane.waiting = [];
    for (const job of waiting) job.defer();
    settle(lane);
  }

  function start(lane: Lane, job: Job): void {
    if (lane.running === 0) lane.progressAtMs = clock.monotonicMs();
    lane.running += 1;
    lane.group.running += 1;
    running += 1;
    void job.run().then((health) => finished(lane, health));
  }

  function finished(lane: Lane, health: Health): void {
    lane.running -= 1;
    lane.group.running -= 1;
    running -= 1;
    lane.progressAtMs = clock.monotonicMs();
    lane.window = nextWindow(lane.window, health, perLane);
    turnSecond(lane);
    if (health === 'well') lane.wellNow += 1;
    if (health !== 'unknown') {
      hanging += Number(health === 'hanging') - Number(lane.hanging);
      lane.hanging = health === 'hanging';
      lane.failing = health === 'failing';
    }
    if (lane.hanging) deferWaiting(lane);
    settle(lane);
    pump();
  }

  /** Begins a new second when the last one is over. */
  function turnSecond(lane: Lane): void {
    const passedMs = clock.monotonicMs() - lane.secondFromMs;
    if (passedMs < SECOND_MS) return;
    lane.wellBefore = passedMs < 2 * SECOND_MS ? lane.wellNow : 0;
    lane.wellNow = 0;
    lane.secondFromMs += passedMs;
  }

  function settle(lane: Lane): void {
    const { group } = lane;
    if (lane.waiting.length > 0 && lane.running < lane.window) group.ready.add(lane);
    else group.ready.delete(lane);
    if (group.ready.size > 0 && group.running < perGroup) ready.add(group);
    else ready.delete(group);
  }

  function pump(): void {
    while (running < total) {
      const [group] = ready;
      const [lane] = group?.ready ?? [];
      if (group === undefined || lane === undefined) return;
      // Both go to the end of their line, so that groups and lanes take turns.
      ready.delete(group);
      group.ready.delete(lane);
      const next = lane.waiting.shift();
      if (next !== undefined) start(lane, next);
      settle(lane);
    }
  }

  return {
    get running() {
      return running;
    },
    get hanging() {
      return hanging;
    },
    paceOf(name) {
      const lane = lanes.get(name);
      if (lane === undefined) return 0;
      turnSecond(lane);
      return Math.max(lane.wellNow, lane.wellBefore);
    },
    isHanging(name) {
      const lane = lanes.get(name);
      return lane !== undefined && (lane.hanging || isStuck(lane, silentMs));
    },
    isWell(name) {
      const lane = lanes.get(name);
      return lane === undefined || !(lane.hanging || lane.failing || isStuck(lane, progressMs));
    },
    offer(name, group, job) {
      const lane = laneOf(name, group);
      const hasPlace = running < total && lane.group.running < perGroup && lane.running < lane.window;
      if (hasPlace && lane.waiting.length === 0) {
        start(lane, job);
        return true;
      }
      if (!mayWait(lane)) return false;
      if (lane.running + lane.waiting.length === 0) lane.progressAtMs = clock.monotonicMs();
      lane.waiting.push(job);
      settle(lane);
      return true;
    },
    sweep() {
      for (const lane of lanes.values()) if (lane.waiting.length > 0 && isStuck(lane, progressMs)) deferWaiting(lane);
    },
  };
}

function nextWindow(window: number, health: Health, most: number): number {
  switch (health) {
    case 'well':
      return Math.min(most, window + 1);
    case 'failing':
      return Math.max(1, Math.floor(window / 2));
    case 'hanging':
      return 1;
    case 'unknown':
      return window;
  }
}
