import { setTimeout as sleep } from 'node:timers/promises';
import { BenchError } from '../../bench.ts';
import { call, create } from '../../load/calls.ts';
import type { Service } from '../service.ts';

const PATH = '/v1/segments/segments';

/** How far the players are evaluated under a segment's newest version. */
interface Evaluation {
  status: 'done' | 'running';
  players_total: number;
}

/** @returns its id */
export async function createSegment(service: Service, body: object): Promise<string> {
  const answer: { data: { segment_id: string } } = JSON.parse(await create(service, PATH, body));
  return answer.data.segment_id;
}

/** Changes a segment; resolves when the change is in effect, not when its players are evaluated. */
export async function putSegment(service: Service, id: string, body: object): Promise<void> {
  await call(service, 'PUT', `${PATH}/${id}`, JSON.stringify(body));
}

/** Between two reads of the progress. */
const CHECK_MS = 100;
const TIMEOUT_MS = 10 * 60 * 1000;

/** Waits until the players are evaluated under the segment's newest version. Throws when that takes too long. */
export async function evaluated(service: Service, id: string, signal: AbortSignal): Promise<Evaluation> {
  const untilMs = performance.now() + TIMEOUT_MS;
  while (performance.now() < untilMs) {
    const answer: { data: { evaluation: Evaluation } } = JSON.parse(await call(service, 'GET', `${PATH}/${id}`));
    if (answer.data.evaluation.status === 'done') return answer.data.evaluation;
    await sleep(CHECK_MS, undefined, { signal });
  }
  throw new BenchError(`the players were not evaluated under segment ${id} within ${TIMEOUT_MS / 1000} s`);
}
