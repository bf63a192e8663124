import { createLifePlan, type LifePlanOptions } from './life-plan.ts';
import { openLifeSlots } from './life-slots.ts';
import { createLifeTally, type LifeFigures } from './life-tally.ts';
import { asConnectionsAllow, atRate } from '../load/pace.ts';
import { readPlayerIds } from '../load/traffic/player-ids.ts';
import { defineWorker } from '../service/worker.ts';

export interface LivesSpec extends LifePlanOptions {
  /** Without a path. */
  baseUrl: string;
  key: string;
  /** See `readPlayerIds`. */
  idsFile: string;
  /** Undefined: a closed loop, with every connection busy. */
  syncsPerSecond?: number | undefined;
  seconds: number;
  /** Requests due this early are sent and counted, but their latencies are left out. */
  settlingSeconds: number;
  /** How long it takes to open every player's first session before the load, and to end the last ones after it. */
  turnSeconds: number;
  connections: number;
}

export interface LivesResult extends LifeFigures {
  seconds: number;
  /** Wall time of the load's begin, in milliseconds since the epoch. */
  startedMs: number;
  /** Lives that every slot has had at most. */
  lives: number;
}

/** The generator of players' lives, in a process of its own. It is ready once every first session was requested. */
export const lives = defineWorker(import.meta.url, async (spec: LivesSpec) => {
  const { players, syncsPerSecond, seconds, turnSeconds } = spec;
  const plan = createLifePlan(spec);
  let tally = createLifeTally(0);
  const slots = await openLifeSlots({
    ...spec,
    baseUrl: new URL(spec.baseUrl),
    plan,
    ids: readPlayerIds(spec.idsFile),
    onSent: (job) => tally.onSent(job),
    onAnswered: (job, status) => tally.onAnswered(job, status),
    onFailed: (job, reason) => tally.onFailed(job, reason),
  });

  /** One step of every player, at an even rate. */
  async function everybody(kind: 'init' | 'end'): Promise<LifeFigures> {
    const startMs = performance.now();
    const begin = (slot: number, dueMs: number): void =>
      slots.due({ step: { kind, slot, life: 0 }, dueMs: startMs + dueMs });
    tally = createLifeTally(startMs);
    await slots.run(startMs, [atRate(players, players / turnSeconds, begin)]);
    return tally.figures();
  }

  async function load(): Promise<LivesResult> {
    const startedMs = Date.now();
    const startMs = performance.now();
    let ticks = 0;
    function begin(tick: number, dueMs: number): void {
      ticks = tick + 1;
      for (const step of plan.at(tick)) slots.due({ step, dueMs: startMs + dueMs });
    }
    tally = createLifeTally(startMs + spec.settlingSeconds * 1000);
    const pace =
      syncsPerSecond === undefined
        ? asConnectionsAllow(Infinity, seconds, () => slots.hasIdle, begin)
        : atRate(Math.round(syncsPerSecond * seconds), syncsPerSecond, begin);
    await slots.run(startMs, [pace]);
    return { ...tally.figures(), seconds, startedMs, lives: plan.livesIn(ticks) };
  }

  const { endpoints } = await everybody('init');
  const opened = endpoints.init.answered - endpoints.init.refused;
  return {
    /** Players whose first session was opened. */
    opened: () => opened,
    /** The load. Once. */
    load,
    /** Ends the sessions that are left. Once, after the load. */
    end: () => everybody('end'),
  };
});
