import { setTimeout as sleep } from 'node:timers/promises';
import { BenchError } from '../bench-error.ts';
import { call } from '../service/call.ts';
import type { Service } from '../service/service.ts';

const PATH = '/v1/segments/segments';

/** What the service tells of how far the players are evaluated under a segment's newest version. */
export interface Evaluation {
  status: 'done' | 'running';
  players_evaluated: number;
  players_total: number;
}

/** @returns its id */
export async function createSegment(service: Service, body: object): Promise<string> {
  const answer: { data: { segment_id: string } } = JSON.parse(await call(service, 'POST', PATH, JSON.stringify(body)));
  return answer.data.segment_id;
}

/** Changes a segment, whole; resolves when the change is in effect, not when its players are evaluated. */
export async function putSegment(service: Service, id: string, body: object): Promise<void> {
  await call(service, 'PUT', `${PATH}/${id}`, JSON.stringify(body));
}

async function evaluationOf(service: Service, id: string): Promise<Evaluation> {
  const answer: { data: { evaluation: Evaluation } } = JSON.parse(await call(service, 'GET', `${PATH}/${id}`));
  return answer.data.evaluation;
}

/** How often the progress is asked for: finer than it is written, coarse beside the work itself. */
const LOOK_MS = 100;
/** After this long without an end the bench gives up. */
const TIMEOUT_MS = 10 * 60 * 1000;

/** Resolves when the players are evaluated under the segment's newest version. Throws when that takes too long. */
export async function evaluated(service: Service, id: string, signal: AbortSignal): Promise<Evaluation> {
  const untilMs = performance.now() + TIMEOUT_MS;
  while (performance.now() < untilMs) {
    const evaluation = await evaluationOf(service, id);
    if (evaluation.status === 'done') return evaluation;
    await sleep(LOOK_MS, undefined, { signal });
  }
  throw new BenchError(`the players were not evaluated under segment ${id} within ${TIMEOUT_MS / 1000} s`);
}
