import { setTimeout as sleep } from 'node:timers/promises';
import { createLifePlan, type LifePlanOptions } from './life-plan.ts';
import { openLifeSlots } from './life-slots.ts';
import { createLifeTally, type LifeFigures } from './life-tally.ts';
import { CHECK_MS, LAST_ANSWERS_MS } from '../load/open-loop.ts';
import { asConnectionsAllow, atRate, type Pace } from '../load/pace.ts';
import { readPlayerIds } from '../load/player-ids.ts';
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

const nowMs = (): number => performance.now();

/** The generator of players' lives, in a process of its own. It is ready once every first session was requested. */
export const lives = defineWorker(import.meta.url, async (spec: LivesSpec) => {
  const { players, syncsPerSecond, seconds, turnSeconds } = spec;
  const plan = createLifePlan(spec);
  let tally = createLifeTally(0, nowMs);
  let sendDue = (): boolean => false;
  const slots = await openLifeSlots({
    ...spec,
    baseUrl: new URL(spec.baseUrl),
    plan,
    ids: readPlayerIds(spec.idsFile),
    onSent: (job) => tally.onSent(job),
    onAnswered(job, status) {
      tally.onAnswered(job, status);
      sendDue();
    },
    onFailed: (job, reason) => tally.onFailed(job, reason),
  });

  /** One step of every player, at an even rate. */
  async function everybody(kind: 'init' | 'end'): Promise<LifeFigures> {
    const startMs = nowMs();
    const begin = (slot: number, dueMs: number): void =>
      slots.due({ step: { kind, slot, life: 0 }, dueMs: startMs + dueMs });
    tally = createLifeTally(startMs, nowMs);
    await run(startMs, atRate(players, players / turnSeconds, begin));
    return tally.figures();
  }

  async function load(): Promise<LivesResult> {
    const startedMs = Date.now();
    const startMs = nowMs();
    let ticks = 0;
    function begin(tick: number, dueMs: number): void {
      ticks = tick + 1;
      for (const step of plan.at(tick)) slots.due({ step, dueMs: startMs + dueMs });
    }
    tally = createLifeTally(startMs + spec.settlingSeconds * 1000, nowMs);
    const pace =
      syncsPerSecond === undefined
        ? asConnectionsAllow(seconds, () => slots.hasIdle, begin)
        : atRate(Math.round(syncsPerSecond * seconds), syncsPerSecond, begin);
    await run(startMs, pace);
    return { ...tally.figures(), seconds, startedMs, lives: plan.livesIn(ticks) };
  }

  /** Runs until nothing more will be due and everything is answered, or the last answers took too long. */
  async function run(startMs: number, pace: Pace): Promise<void> {
    sendDue = () => pace(nowMs() - startMs);
    while (sendDue()) await sleep(CHECK_MS);
    sendDue = () => false;
    const lastMs = nowMs() + LAST_ANSWERS_MS;
    while (slots.open > 0 && nowMs() < lastMs) await sleep(CHECK_MS);
    if (slots.open > 0) slots.abandon();
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
