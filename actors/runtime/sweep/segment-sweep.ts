import type { Clock } from '../../../src/kernel/clock.ts';
import { LIMITS } from '../../../src/kernel/limits.ts';
import type { ScheduleWindow } from '../../campaigns/campaign-set.ts';
import type { LiveDefinitions } from '../definitions.ts';
import type { ProgressWriter } from './segment-progress.ts';
import type { PartitionStore } from '../store/store.ts';
import { createSweepTurns } from './sweep-turns.ts';
import type { Swept } from './swept.ts';

/**
 * Looks at every player of a partition after a segment was made, changed or deleted, and once after take-over, as nobody
 * may have been there to do it.
 *
 * Tenants with expensive segments do not hold up others: sweep-turns.ts.
 *
 * It also looks at everybody once a campaign's scheduled time has come, up to a day late. How far these are done is kept with
 * the progress; what was lost of that is done again, and changes nothing: players know what they got.
 *
 * States: idle → noted (an edit is in effect) → running (the store holds every player there was at that moment) → idle. A
 * further edit begins anew.
 * Invariants
 * 1. An edit is noted between two commits: what is decided later is decided under it, whatever was before is committed.
 * 2. Running begins with a write of the store that began after that. So the store, in order of its keys, shows everybody
 *    who may have been judged by older definitions; who comes later is judged by the new ones anyway.
 * 3. An entity counts as looked at once what follows from it is committed.
 */
export interface SegmentSweep {
  start(): void;
  /** Entities to look at in the commit being built; to be called for every one. */
  take(backlogTaken: boolean): readonly string[];
  /** Whether a player that was taken is to be evaluated now; others were already, or will be in a later pass. */
  wants(tenant: string, entityId: string): boolean;
  /** The scheduled times of campaigns that have come for those who were taken. */
  readonly schedules: ScheduleWindow | undefined;
  /** The first ones taken are done. */
  done(swept: Swept): void;
  /** A write of the store begins; the answer is to be called when it has succeeded. */
  storing(): () => void;
  stop(): void;
}

export interface SegmentSweepOptions {
  clock: Clock;
  store: PartitionStore;
  definitions: LiveDefinitions;
  progress: ProgressWriter;
  /** There may be something to take now. */
  onWork: () => void;
}

const NOTHING: readonly string[] = [];

export function createSegmentSweep(options: SegmentSweepOptions): SegmentSweep {
  const { clock, store, definitions, progress, onWork } = options;
  let state: 'idle' | 'noted' | 'running' = 'idle';
  /** The definitions noted last. The ones at take-over count as new: see `start`. */
  let version = definitions.wantsSweep ? -1 : definitions.segmentsVersion;
  let revision = 0;
  let ids: string[] = [];
  let last: string | undefined;
  const turns = createSweepTurns();
  const overBudget = new Map<string, number>();
  /** The scheduled times that a sweep under way is for, and until when all are done; `undefined`: not read yet. */
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
    ids = store.idsAfter(last, LIMITS.sweepEntities);
    last = ids.at(-1);
    if (ids.length > 0) return;
    last = turns.endPass();
    if (last !== undefined) {
      // From the first one when that tenant has not been looked at.
      ids = store.idsAfter(last === '' ? undefined : last, LIMITS.sweepEntities);
      last = ids.at(-1);
      report();
      if (ids.length > 0) return;
    }
    state = 'idle';
    schedulesUpTo = schedules?.until ?? schedulesUpTo;
    schedules = undefined;
    report();
  }

  /** The scheduled times that have come and that nobody was looked at for; `undefined`: none, or not now. */
  function dueSchedules(): ScheduleWindow | undefined {
    if (state !== 'idle' || schedulesUpTo === undefined) return undefined;
    const until = clock.wallMs();
    const window = { after: Math.max(schedulesUpTo, until - LIMITS.scheduleLateMs), until };
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
      const restMs = Math.max(LIMITS.sweepPauseMs, LIMITS.sweepRest * tookMs, LIMITS.sweepChangeMs * changed);
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

  /** Without segments only their former members are to be looked at, and there never were any without progress. */
  function begin(hadProgress: boolean, doneUpTo = 0): void {
    schedulesUpTo = Math.max(doneUpTo, clock.wallMs() - LIMITS.scheduleLateMs);
    if (!hadProgress || stopped || state !== 'idle') return;
    version = -1;
    onWork();
  }
}
