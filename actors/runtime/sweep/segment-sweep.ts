import type { ScheduleWindow } from '../../decision/definitions.ts';
import type { Clock } from '../../../core/kernel/clock.ts';
import { OWNER_LIMITS } from '../limits.ts';
import type { LiveDefinitions } from '../definitions/live-definitions.ts';
import type { ProgressWriter } from './segment-progress.ts';
import type { PartitionStore } from '../store/store.ts';
import { createSweepTurns } from './sweep-turns.ts';
import type { Swept } from './swept.ts';

/**
 * Evaluates every player of a partition after a change of a segment, and once after take-over, because a change may
 * have come while the partition had no owner. Tenants take turns (`sweep-turns.ts`).
 *
 * A sweep also evaluates every player once a campaign's scheduled time has come, up to a day late. `SegmentProgress`
 * stores how far scheduled times are done. Work after the last stored progress is repeated without effect, as a
 * player's state holds what the player got.
 *
 * States: idle → noted (a change is in effect) → running (the store holds every player that existed then) → idle. A
 * further change begins anew.
 * Invariants
 * 1. A change is noted between two commits: later commands are decided under it, and earlier ones are committed.
 * 2. Running begins after a write of the store that began after that. So the store holds every player that was
 *    evaluated under older definitions; players who come later are evaluated under the new ones anyway.
 * 3. An entity counts as done once its changes are committed.
 */
export interface SegmentSweep {
  start(): void;
  /** Entities for the commit being built. Call it for every commit. */
  take(backlogTaken: boolean): readonly string[];
  /** Whether to evaluate a taken player now: others are done, or deferred to a later pass. */
  wants(tenant: string, entityId: string): boolean;
  /** The scheduled times of campaigns that the taken players have reached. */
  readonly schedules: ScheduleWindow | undefined;
  /** Reports the outcome of the first taken entities. */
  done(swept: Swept): void;
  /** Call when a write of the store begins, and the returned function when it has succeeded. */
  storing(): () => void;
  stop(): void;
}

export interface SegmentSweepOptions {
  clock: Clock;
  store: PartitionStore;
  definitions: LiveDefinitions;
  progress: ProgressWriter;
  /** Called when there may be entities to take. */
  onWork: () => void;
}

const NOTHING: readonly string[] = [];

export function createSegmentSweep(options: SegmentSweepOptions): SegmentSweep {
  const { clock, store, definitions, progress, onWork } = options;
  let state: 'idle' | 'noted' | 'running' = 'idle';
  /** The definitions noted last. Those at take-over count as new: see `start`. */
  let version = definitions.wantsSweep ? -1 : definitions.segmentsVersion;
  let revision = 0;
  let ids: string[] = [];
  let last: string | undefined;
  const turns = createSweepTurns();
  const overBudget = new Map<string, number>();
  /** The scheduled times of the current sweep, and the time up to which all are done; `undefined`: not read yet. */
  let schedules: ScheduleWindow | undefined;
  let schedulesUpTo: number | undefined;
  let resting = false;
  let stopped = false;
  const stopListening = definitions.onSegments(onWork);

  function note(): void {
    version = definitions.segmentsVersion;
    state = 'noted';
    ({ revision } = definitions);
    ids = [];
    last = undefined;
    turns.begin(store.players());
    overBudget.clear();
    report();
  }

  function report(): void {
    progress.report({
      revision,
      done: state === 'idle',
      firstPassDone: turns.firstPassDone,
      tenants: turns.progress(),
      overBudget: Object.fromEntries(overBudget),
      ...(schedulesUpTo === undefined ? {} : { schedulesUpTo }),
    });
  }

  function more(): void {
    ids = store.idsAfter(last, OWNER_LIMITS.sweepEntities);
    last = ids.at(-1);
    if (ids.length > 0) return;
    last = turns.endPass();
    if (last !== undefined) {
      // From the first id if that tenant has no evaluated player.
      ids = store.idsAfter(last === '' ? undefined : last, OWNER_LIMITS.sweepEntities);
      last = ids.at(-1);
      report();
      if (ids.length > 0) return;
    }
    state = 'idle';
    schedulesUpTo = schedules?.until ?? schedulesUpTo;
    schedules = undefined;
    report();
  }

  /** Scheduled times that have come and had no sweep; `undefined`: none, or a sweep is running. */
  function dueSchedules(): ScheduleWindow | undefined {
    if (state !== 'idle' || schedulesUpTo === undefined) return undefined;
    const until = clock.wallMs();
    const window = { after: Math.max(schedulesUpTo, until - OWNER_LIMITS.scheduleLateMs), until };
    return definitions.isScheduledIn(window) ? window : undefined;
  }

  return {
    start() {
      if (version === -1) onWork();
      void progress.load().then(
        (found) => begin(found !== undefined, found?.schedulesUpTo),
        () => begin(true, undefined),
      );
    },
    take(backlogTaken) {
      if (version !== definitions.segmentsVersion) note();
      const due = dueSchedules();
      if (due !== undefined) {
        schedules = due;
        note();
      }
      if (state !== 'running' || !backlogTaken || resting) return NOTHING;
      if (ids.length === 0) more();
      return ids;
    },
    wants: (tenant, entityId) => turns.wants(tenant, entityId),
    get schedules() {
      return schedules;
    },
    done({ count, tenants, overBudget: over, changed, tookMs }) {
      if (count === 0) return;
      ids.splice(0, count);
      turns.took(tenants);
      for (const segment of over) overBudget.set(segment, (overBudget.get(segment) ?? 0) + 1);
      report();
      const restMs = Math.max(
        OWNER_LIMITS.sweepPauseMs,
        OWNER_LIMITS.sweepRest * tookMs,
        OWNER_LIMITS.sweepChangeMs * changed,
      );
      resting = true;
      clock.timer(restMs, () => {
        resting = false;
        onWork();
      });
    },
    storing() {
      if (dueSchedules() !== undefined) onWork();
      const noted = state === 'noted' ? version : undefined;
      return () => {
        if (noted === undefined || noted !== version || state !== 'noted') return;
        state = 'running';
        turns.recount(store.players());
        onWork();
      };
    },
    stop() {
      stopped = true;
      stopListening();
      progress.stop();
    },
  };

  /** Without segments only former members need a sweep, and without stored progress there are none. */
  function begin(hadProgress: boolean, doneUpTo = 0): void {
    schedulesUpTo = Math.max(doneUpTo, clock.wallMs() - OWNER_LIMITS.scheduleLateMs);
    if (!hadProgress || stopped || state !== 'idle') return;
    version = -1;
    onWork();
  }
}
