import { Type } from 'typebox';
import { RATE_COUNTS_SUBJECT } from '../../../../streams/subjects.ts';
import type { Log } from '../../../../streams/log/log.ts';
import { compile } from '../../../../core/kernel/validation/validation.ts';
import type { Cancel, Clock } from '../../../../core/kernel/clock.ts';
import type { Ids } from '../../../../core/kernel/ids.ts';
import { GATEWAY_LIMITS } from '../../limits.ts';
import type { RateCount, RateLimiter } from './rate-limiter.ts';

/** One message between gateways. `to` is set in the reply to a new gateway's `ask`. */
const Message = Type.Object({
  from: Type.String({ description: 'The sending gateway; it ignores its own messages.' }),
  to: Type.Optional(Type.String({ description: 'The receiving gateway; default: all.' })),
  ask: Type.Optional(Type.Boolean({ description: 'Requests the counts of the other gateways of the last minute.' })),
  counts: Type.Array(Type.Tuple([Type.String(), Type.Number(), Type.Number()]), {
    description: 'Key, age in seconds, requests.',
  }),
});
const check = compile(Message);

const SWEEP_MS = 60_000;

/**
 * Exchanges a limiter's counts with the other gateways over plain messages, several times a second while requests come.
 * A lost message only loosens a limit for a minute.
 * @returns the function that stops the exchange
 */
export function startRateExchange(deps: { log: Log; limiter: RateLimiter; clock: Clock; ids: Ids }): Cancel {
  const { log, limiter, clock } = deps;
  const self = deps.ids.uuidv4();
  let cancelTimer: Cancel | undefined;
  let cancelSweep: Cancel = () => {};
  let hasRequested = false;

  function send(counts: RateCount[], to?: string): void {
    for (let i = 0; i < counts.length; i += GATEWAY_LIMITS.rateCountsPerMessage) {
      publish({
        ...(to === undefined ? {} : { to }),
        counts: counts.slice(i, i + GATEWAY_LIMITS.rateCountsPerMessage),
      });
    }
  }

  function publish(message: { to?: string; ask?: boolean; counts: RateCount[] }): void {
    log.publish(RATE_COUNTS_SUBJECT, Buffer.from(JSON.stringify({ from: self, ...message })));
  }

  function onMessage(data: Uint8Array): void {
    const message = read(data);
    if (!check.accepts(message) || message.from === self) return;
    if (message.to !== undefined && message.to !== self) return;
    limiter.merge(message.counts);
    if (message.ask === true) send(limiter.recent(), message.from);
  }

  function exchange(): void {
    cancelTimer = undefined;
    // While the broker is unavailable, counts accumulate for the first exchange afterwards.
    if (!log.connected) {
      soon();
      return;
    }
    if (!hasRequested) publish({ ask: true, counts: [] });
    hasRequested = true;
    send(limiter.drain());
  }

  function soon(): void {
    cancelTimer ??= clock.timer(GATEWAY_LIMITS.rateExchangeMs, exchange);
  }

  function sweep(): void {
    limiter.sweep();
    cancelSweep = clock.timer(SWEEP_MS, sweep);
  }

  const unsubscribe = log.subscribe(RATE_COUNTS_SUBJECT, onMessage);
  limiter.onCounted(soon);
  cancelTimer = clock.timer(0, exchange);
  cancelSweep = clock.timer(SWEEP_MS, sweep);
  return () => {
    cancelTimer?.();
    cancelSweep();
    limiter.onCounted(() => {});
    unsubscribe();
  };
}

function read(data: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(data).toString('utf8'));
  } catch {
    return undefined;
  }
}
