import { setTimeout as sleep } from 'node:timers/promises';
import { openConnections } from './connections.ts';
import type { Pace } from './pace.ts';

/** One request of a load. */
export interface Job {
  /** When it is due, in milliseconds of `performance.now()`. */
  dueMs: number;
}

/** Makes the requests of a load and takes their outcomes. Each job has exactly one outcome. */
export interface JobHandlers<J extends Job> {
  /** Called when the request goes out. */
  requestOf: (job: J) => Buffer;
  /** Whether `onAnswered` needs the body; no body when left out. */
  wantsBody?: (job: J) => boolean;
  onSent?: (job: J) => void;
  onAnswered: (job: J, status: number, body: string) => void;
  /** There was no answer: the connection was lost, or the last answers took too long. */
  onFailed: (job: J, reason: string) => void;
}

/**
 * Sends requests when they are due.
 *
 * Owns: the connections, and the jobs that wait for one.
 * Invariants
 * 1. A due job waits for nothing but a free connection: a stall of the server delays every job that is due meanwhile.
 * 2. Jobs go out in the order in which they came due.
 */
export interface Scheduler<J extends Job> {
  /** Sends the job now, or as soon as a connection is free. */
  due(job: J): void;
  /** Whether a connection is free and no job waits for one. */
  readonly hasIdle: boolean;
  /** Jobs without an outcome. */
  readonly open: number;
  /**
   * Runs paces until they have ended and all jobs have an outcome. Jobs that are open too long after that fail, and so
   * does every later job.
   */
  run(startMs: number, paces: readonly Pace[], lastAnswersMs?: number): Promise<void>;
  /** Closes the connections; jobs without an outcome fail. */
  close(): void;
}

/** How long a load waits for the last answers: longer than the service's deadline and grace. */
const LAST_ANSWERS_MS = 8_000;
/** How often the paces are checked; they are checked after each answer as well. */
const CHECK_MS = 1;
/** The reason why a job failed that waited for a connection until the load was over. */
export const NEVER_SENT = 'never sent';

/** Opens the connections. Rejects when one cannot be opened. */
export async function openScheduler<J extends Job>(
  url: URL,
  count: number,
  handlers: JobHandlers<J>,
): Promise<Scheduler<J>> {
  /** Jobs that wait for a connection, from `head` on. */
  let waiting: J[] = [];
  let head = 0;
  let underWay = 0;
  let closed = false;
  let check = (): boolean => false;

  const connections = await openConnections<J>(url, count, {
    onAnswer(job, status, body) {
      underWay -= 1;
      handlers.onAnswered(job, status, body);
      check();
      drain();
    },
    onFailed(job, reason) {
      underWay -= 1;
      handlers.onFailed(job, reason);
      drain();
    },
  });

  function drain(): void {
    for (let job = waiting[head]; job !== undefined && connections.hasIdle; job = waiting[head]) {
      head += 1;
      underWay += 1;
      connections.send(handlers.requestOf(job), job, handlers.wantsBody?.(job));
      handlers.onSent?.(job);
    }
    // The array is cut only when half of it is past: taking a job costs the same at any length.
    if (head * 2 < waiting.length) return;
    waiting = waiting.slice(head);
    head = 0;
  }

  function close(): void {
    closed = true;
    const left = waiting.slice(head);
    waiting = [];
    head = 0;
    for (const job of left) handlers.onFailed(job, NEVER_SENT);
    connections.close();
  }

  const scheduler: Scheduler<J> = {
    due(job) {
      if (closed) {
        handlers.onFailed(job, NEVER_SENT);
        return;
      }
      waiting.push(job);
      drain();
    },
    get hasIdle() {
      return head === waiting.length && connections.hasIdle;
    },
    get open() {
      return waiting.length - head + underWay;
    },
    async run(startMs, paces, lastAnswersMs = LAST_ANSWERS_MS) {
      // Every pace is checked, also after one that goes on.
      check = () => paces.filter((pace) => pace(performance.now() - startMs)).length > 0;
      while (check()) await sleep(CHECK_MS);
      check = () => false;
      const lastMs = performance.now() + lastAnswersMs;
      while (scheduler.open > 0 && performance.now() < lastMs) await sleep(CHECK_MS);
      if (scheduler.open > 0) close();
    },
    close,
  };
  return scheduler;
}
