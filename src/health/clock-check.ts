import type { BrokerClock } from '../../streams/broker-clock.ts';
import type { Check } from './readiness.ts';

/**
 * Whether this process's clock agrees with the broker's. Not required: the broker's clock may be the wrong one, and
 * while processes agree with each other they can serve.
 */
export function clockCheck(brokerClock: BrokerClock): Check {
  return {
    name: 'clock',
    required: false,
    read() {
      const fault = brokerClock.fault();
      const info = { ahead_ms: brokerClock.aheadMs ?? null, ...(fault === undefined ? {} : { fault }) };
      return { ok: fault === undefined, info };
    },
  };
}
