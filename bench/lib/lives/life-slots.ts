import { openConnections, postRequests } from '../load/connections.ts';
import type { LifePlan, LifeStep, LifeStepKind } from './life-plan.ts';
import { createLifeBodies, LIFE_PATHS, type LifeRequest } from './life-requests.ts';
import type { PlayerIds } from '../load/player-ids.ts';

/** A step of a life and when it was due, on the monotonic clock in milliseconds. */
export interface LifeJob {
  step: LifeStep;
  dueMs: number;
}

/** The outcome of a job, reported exactly once. */
export interface LifeJobEvents {
  onSent: (job: LifeJob) => void;
  onAnswered: (job: LifeJob, status: number) => void;
  /** It got no answer: its connection was lost, its session was never opened, or it was abandoned. */
  onFailed: (job: LifeJob, reason: string) => void;
}

/**
 * The players who play side by side.
 *
 * Owns: the player and session of each slot, the steps that wait, and the connections.
 * Invariants
 * 1. A player has one request under way at most, and its steps go out in the order in which they were due.
 * 2. A due step waits only for the player's earlier steps and a free connection.
 */
export interface LifeSlots {
  due(job: LifeJob): void;
  /** Whether a connection is idle and no job waits for it. */
  readonly hasIdle: boolean;
  /** Jobs that are not completed yet. */
  readonly open: number;
  /** Fails the open jobs and all later ones, and closes the connections. */
  abandon(): void;
}

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
  const playing = Array.from({ length: players }, () => ({ playerId: '', sessionId: '' }));
  /** Jobs that wait for an earlier job of their slot; a slot without open jobs has no list. */
  const waiting = new Map<number, LifeJob[]>();
  const open = new Set<LifeJob>();
  /** Jobs that wait only for a connection, from `head` on. */
  let ready: LifeJob[] = [];
  let head = 0;
  let turn = 0;
  let abandoned = false;

  const connections = await openConnections<LifeJob>(options.baseUrl, options.connections, {
    onAnswer(job, status, body) {
      const { kind, slot } = job.step;
      const player = playing[slot];
      if (player !== undefined && kind !== 'sync') {
        player.sessionId = kind === 'init' && status < 300 ? sessionIn(body) : '';
      }
      complete(job);
      onAnswered(job, status);
      drain();
    },
    onFailed(job, reason) {
      if (!open.has(job)) return;
      complete(job);
      onFailed(job, reason);
      drain();
    },
  });

  function complete(job: LifeJob): void {
    open.delete(job);
    const { slot } = job.step;
    const next = waiting.get(slot)?.shift();
    if (next === undefined) waiting.delete(slot);
    else ready.push(next);
  }

  function drain(): void {
    for (let job = ready[head]; job !== undefined; job = ready[head]) {
      const isLost = sessionOf(job) === '';
      if (!isLost && !connections.hasIdle) return;
      takeReady();
      if (isLost) {
        complete(job);
        onFailed(job, 'no session');
      } else {
        send(job);
      }
    }
  }

  /** `undefined` for a step that needs none; empty when it was never opened. */
  function sessionOf({ step }: LifeJob): string | undefined {
    return step.kind === 'init' ? undefined : (playing[step.slot]?.sessionId ?? '');
  }

  function send(job: LifeJob): void {
    const { kind, slot, life } = job.step;
    const player = playing[slot];
    if (player === undefined) return;
    if (kind === 'init') {
      player.playerId = ids.at(plan.playerOf(slot, life));
      player.sessionId = '';
    }
    turn += 1;
    connections.send(requestOf({ ...player, kind, turn, wallMs: Date.now() }), job, kind === 'init');
    onSent(job);
  }

  function takeReady(): void {
    head += 1;
    // The array is cut only when half of it is past: taking one costs the same at any length.
    if (head * 2 < ready.length) return;
    ready = ready.slice(head);
    head = 0;
  }

  return {
    due(job) {
      if (abandoned) {
        onFailed(job, 'abandoned');
        return;
      }
      open.add(job);
      const queue = waiting.get(job.step.slot);
      if (queue !== undefined) {
        queue.push(job);
        return;
      }
      waiting.set(job.step.slot, []);
      ready.push(job);
      drain();
    },
    get hasIdle() {
      return open.size < options.connections && connections.hasIdle;
    },
    get open() {
      return open.size;
    },
    abandon() {
      abandoned = true;
      const left = [...open];
      open.clear();
      waiting.clear();
      ready = [];
      head = 0;
      for (const job of left) onFailed(job, 'unanswered');
      connections.close();
    },
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
