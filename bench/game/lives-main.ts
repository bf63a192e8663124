import { setTimeout as sleep } from 'node:timers/promises';
import { helperSpec, onAsked, tellParent } from '../helpers/helper-process.ts';
import { createLifePlan, type LifePlanOptions } from './life-plan.ts';
import { openLifeSlots } from './life-slots.ts';
import { createLifeTally, type LifeFigures } from './life-tally.ts';
import { asRoomIs, atRate, type Pace } from './pace.ts';
import { readPlayerIds } from './player-ids.ts';

/** What the generator of players' lives is told at its start. */
export interface LivesSpec extends LifePlanOptions {
  /** Without a path. */
  baseUrl: string;
  key: string;
  /** See `readPlayerIds`. */
  idsFile: string;
  /** Left out: as many as are answered, with every connection busy (a closed loop). */
  syncsPerSecond?: number | undefined;
  seconds: number;
  /** Requests due this early are sent and counted, but their latencies are not told. */
  settlingSeconds: number;
  /** How long it takes to open everybody's first session before the load, and to end the last ones after it. */
  turnSeconds: number;
  connections: number;
}

/** What it says first, when everybody plays: sessions that were opened. Then it waits to be asked for the load. */
export interface LivesOpened {
  opened: number;
}

/** What it says after the load. Then it waits to be asked to end the sessions. */
export interface LivesResult extends LifeFigures {
  seconds: number;
  /** Wall time of the load's begin, in milliseconds since the epoch. */
  startedMs: number;
  /** Lives that every slot has had at most. */
  lives: number;
}

/** How long the last answers are waited for; past the service's deadline and grace. */
const LAST_ANSWERS_MS = 8_000;
/** How often it looks what is due; answers make it look, too. */
const LOOK_MS = 1;
const nowMs = (): number => performance.now();

/** Lets players live: opens a session for each, then the load, then ends the sessions; the last two when it is asked. */
async function live(spec: LivesSpec): Promise<void> {
  const { players, syncsPerSecond, seconds, turnSeconds } = spec;
  const plan = createLifePlan(spec);
  let tally = createLifeTally(0, nowMs);
  let look = (): boolean => false;
  const slots = await openLifeSlots({
    ...spec,
    baseUrl: new URL(spec.baseUrl),
    plan,
    ids: readPlayerIds(spec.idsFile),
    onSent: (job) => tally.onSent(job),
    onAnswered(job, status) {
      tally.onAnswered(job, status);
      look();
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
        ? asRoomIs(seconds, () => slots.hasRoom, begin)
        : atRate(Math.round(syncsPerSecond * seconds), syncsPerSecond, begin);
    await run(startMs, pace);
    return { ...tally.figures(), seconds, startedMs, lives: plan.livesIn(ticks) };
  }

  /** Goes on until nothing more will be due and everything has been answered, or was waited for in vain. */
  async function run(startMs: number, pace: Pace): Promise<void> {
    look = () => pace(nowMs() - startMs);
    while (look()) await sleep(LOOK_MS);
    look = () => false;
    const lastMs = nowMs() + LAST_ANSWERS_MS;
    while (slots.open > 0 && nowMs() < lastMs) await sleep(LOOK_MS);
    if (slots.open > 0) slots.abandon();
  }

  const { endpoints } = await everybody('init');
  const opened: LivesOpened = { opened: endpoints.init.answered - endpoints.init.refused };
  tellParent(opened);
  await asked();
  tellParent(await load());
  await asked();
  tellParent(await everybody('end'));
}

/** Resolves when the parent asks. To be awaited at once after it was told something: it asks no sooner. */
function asked(): Promise<void> {
  return new Promise((resolve) => {
    wake = resolve;
  });
}

// The parent ends this process once it has the figures.
let wake = (): void => {};
onAsked(() => wake());
const spec: LivesSpec = JSON.parse(helperSpec());
await live(spec);
