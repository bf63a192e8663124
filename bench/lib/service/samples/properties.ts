import { setTimeout as sleep } from 'node:timers/promises';
import { BenchError } from '../../bench.ts';
import { call, create } from '../../load/calls.ts';
import type { Service } from '../service.ts';

const PATH = '/v1/properties/properties';

/** Defines a computed property. */
export async function createProperty(service: Service, body: object): Promise<void> {
  await create(service, PATH, body);
}

export async function deleteProperty(service: Service, key: string): Promise<void> {
  await call(service, 'DELETE', `${PATH}/${key}`);
}

/** Between two reads of the progress. */
const CHECK_MS = 100;
const TIMEOUT_MS = 15 * 60 * 1000;

/** Waits until the past of a computed property is counted. @returns the time at which it was, of `performance.now()` */
export async function pastCounted(service: Service, key: string, signal: AbortSignal): Promise<number> {
  const untilMs = performance.now() + TIMEOUT_MS;
  while (performance.now() < untilMs) {
    const answer: { data: { past: { status: string } } } = JSON.parse(await call(service, 'GET', `${PATH}/${key}`));
    if (answer.data.past.status === 'counted') return performance.now();
    await sleep(CHECK_MS, undefined, { signal });
  }
  throw new BenchError(`the past of ${key} was not counted within ${TIMEOUT_MS / 60_000} minutes`);
}
