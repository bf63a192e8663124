import { times } from '../figures/statistics.ts';
import { postRequests } from '../load/connections.ts';
import type { PlayerIds } from '../load/traffic/player-ids.ts';
import { openScheduler, type Job, type Scheduler } from '../load/scheduler.ts';
import type { LifePlan, LifeStep, LifeStepKind } from './life-plan.ts';
import { createLifeBodies, LIFE_PATHS, type LifeRequest } from './life-requests.ts';

/** A step of a life. */
export interface LifeJob extends Job {
  step: LifeStep;
}

/** The outcome of a job, reported exactly once. */
export interface LifeJobEvents {
  onSent: (job: LifeJob) => void;
  onAnswered: (job: LifeJob, status: number) => void;
  /** It got no answer: its connection was lost, its session was never opened, or the load was over. */
  onFailed: (job: LifeJob, reason: string) => void;
}

/**
 * The players who play side by side.
 *
 * Owns: the player and session of each slot, and the steps that wait for an earlier one of their slot.
 * Invariants
 * 1. A player has one request under way at most, and its steps go out in the order in which they were due.
 * 2. A due step waits only for the player's earlier steps and a free connection.
 */
export interface LifeSlots extends Pick<Scheduler<LifeJob>, 'due' | 'hasIdle' | 'run'> {}

export interface LifeSlotsOptions extends LifeJobEvents {
  baseUrl: URL;
  key: string;
  plan: LifePlan;
  ids: PlayerIds;
  players: number;
  connections: number;
}

/** Opens the connections. Rejects when one can't be opened. */
export async function openLifeSlots(options: LifeSlotsOptions): Promise<LifeSlots> {
  const { plan, ids, players, onSent, onAnswered, onFailed } = options;
  const requestOf = createRequests(options);
  const playing = times(players, () => ({ playerId: '', sessionId: '' }));
  /** Jobs that wait for an earlier job of their slot; a slot without open jobs has no list. */
  const waiting = new Map<number, LifeJob[]>();
  /** Jobs without an outcome. */
  let open = 0;
  let turn = 0;

  const scheduler = await openScheduler<LifeJob>(options.baseUrl, options.connections, {
    requestOf({ step: { kind, slot, life } }) {
      const player = playerOf(slot);
      if (kind === 'init') {
        player.playerId = ids.at(plan.playerOf(slot, life));
        player.sessionId = '';
      }
      turn += 1;
      return requestOf({ ...player, kind, turn, wallMs: Date.now() });
    },
    wantsBody: ({ step }) => step.kind === 'init',
    onSent,
    onAnswered(job, status, body) {
      const { kind, slot } = job.step;
      if (kind !== 'sync') playerOf(slot).sessionId = kind === 'init' && status < 300 ? sessionIn(body) : '';
      onAnswered(job, status);
      complete(job);
    },
    onFailed: fail,
  });

  function playerOf(slot: number): { playerId: string; sessionId: string } {
    const player = playing[slot];
    if (player === undefined) throw new Error(`there is no slot ${slot}`);
    return player;
  }

  function fail(job: LifeJob, reason: string): void {
    onFailed(job, reason);
    complete(job);
  }

  function complete({ step: { slot } }: LifeJob): void {
    open -= 1;
    const next = waiting.get(slot)?.shift();
    if (next === undefined) waiting.delete(slot);
    else release(next);
  }

  /** The slot has no earlier job: its session was opened by now, or never will be. */
  function release(job: LifeJob): void {
    const { kind, slot } = job.step;
    if (kind !== 'init' && playerOf(slot).sessionId === '') fail(job, 'no session');
    else scheduler.due(job);
  }

  return {
    due(job) {
      open += 1;
      const queue = waiting.get(job.step.slot);
      if (queue !== undefined) {
        queue.push(job);
        return;
      }
      waiting.set(job.step.slot, []);
      release(job);
    },
    get hasIdle() {
      return open < options.connections && scheduler.hasIdle;
    },
    run: (startMs, paces) => scheduler.run(startMs, paces),
  };
}

function createRequests({ baseUrl, key }: LifeSlotsOptions): (request: LifeRequest) => Buffer {
  const bodyOf = createLifeBodies();
  const to = (kind: LifeStepKind) => postRequests(baseUrl, key, LIFE_PATHS[kind]);
  const post = { init: to('init'), sync: to('sync'), end: to('end') };
  return (request) => post[request.kind](bodyOf(request));
}

/** Not JSON.parse, for one field: the generator shares the machine with the service it measures. */
function sessionIn(body: string): string {
  return /"session_id":"([^"]+)"/.exec(body)?.[1] ?? '';
}
