import type { ClickhouseAddress } from '../../clickhouse-schema/clickhouse-address.ts';
import { openClient } from '../../clickhouse-schema/open-client.ts';
import { nextTick, type Cancel, type Clock } from '../../core/kernel/clock.ts';
import type { Check } from './readiness.ts';

/** Pings ClickHouse again and again. The embedded one runs a statement for each ping. */
export interface ClickhouseCheck {
  /** Not required: no write waits for ClickHouse. */
  readonly check: Check;
  stop(): Promise<void>;
}

const PING_MS = 2_000;
/** An answer that takes longer is none. */
const PATIENCE_MS = 3_000;

export function createClickhouseCheck(address: ClickhouseAddress, clock: Clock): ClickhouseCheck {
  const client = openClient(address, 'readiness', PATIENCE_MS);
  let ok = true;
  let cancel: Cancel = () => {};
  let stopped = false;

  async function ping(): Promise<void> {
    ({ success: ok } = await client.ping());
    if (!stopped) cancel = nextTick(clock, PING_MS, () => void ping());
  }

  void ping();
  return {
    check: { name: 'clickhouse', required: false, read: () => ({ ok }) },
    async stop() {
      stopped = true;
      cancel();
      await client.close();
    },
  };
}
