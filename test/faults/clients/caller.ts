import { setTimeout as delay } from 'node:timers/promises';
import type { DemoKeys } from '../../../src/process/demo.ts';
import type { Random } from '../random.ts';
import type { Tally } from './client-log.ts';

export interface Call {
  method: 'GET' | 'POST' | 'PATCH';
  path: string;
  key: 'server' | 'client';
  body?: unknown;
  idempotencyKey?: string;
}

/** The final answer to a call: any answer except 503, after which the call is retried. */
export interface Answered {
  status: number;
  text: string;
  data: Record<string, unknown>;
  /** The number of attempts. */
  attempts: number;
}

/** Retries a call until it is answered, as a client would. `undefined`: the caller was stopped. */
export interface Caller {
  call(call: Call): Promise<Answered | undefined>;
}

export interface CallerOptions {
  /** Each attempt goes to one of them. */
  baseUrls: readonly string[];
  keys: DemoKeys;
  random: Random;
  tally: Tally;
  /** The overall time limit: what is not acknowledged by then counts as never acknowledged. */
  giveUp: AbortSignal;
}

/** A short attempt ends before the gateway's own deadline, so that originals and retries overlap. */
const IMPATIENT_MS = 1_500;
const PATIENT_MS = 10_000;

export function createCaller({ baseUrls, keys, random, tally, giveUp }: CallerOptions): Caller {
  async function attempt(call: Call): Promise<Omit<Answered, 'attempts'> | undefined> {
    const timeoutMs = random.chance(0.3) ? IMPATIENT_MS : PATIENT_MS;
    const timeout = AbortSignal.timeout(timeoutMs);
    tally.requests += 1;
    try {
      const response = await fetch(random.pick(baseUrls) + call.path, {
        method: call.method,
        headers: {
          'X-API-Key': keys.live[call.key],
          ...(call.body === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...(call.idempotencyKey === undefined ? {} : { 'Idempotency-Key': call.idempotencyKey }),
        },
        ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
        signal: AbortSignal.any([timeout, giveUp]),
      });
      const text = await response.text();
      if (response.status === 503) {
        tally.unavailable += 1;
        return undefined;
      }
      return { status: response.status, text, data: dataOf(text) };
    } catch {
      if (timeout.aborted) tally.timedOut += 1;
      else tally.cut += 1;
      return undefined;
    }
  }

  return {
    async call(call) {
      for (let attempts = 1; !giveUp.aborted; attempts += 1) {
        if (attempts > 1) tally.retries += 1;
        const answered = await attempt(call);
        if (answered !== undefined) {
          tally.acked += 1;
          return { ...answered, attempts };
        }
        await delay(random.between(20, 300));
      }
      return undefined;
    },
  };
}

/** `data` of the envelope; empty when it is absent. */
function dataOf(text: string): Record<string, unknown> {
  try {
    const envelope: { data?: Record<string, unknown> } = JSON.parse(text);
    return envelope.data ?? {};
  } catch {
    return {};
  }
}
