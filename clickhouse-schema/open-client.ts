import { ClickHouseLogLevel, createClient, type ClickHouseClient } from '@clickhouse/client';
import type { ClickhouseAddress } from './clickhouse-address.ts';

/**
 * A client of ClickHouse as every part of the service makes it. `purpose` shows in ClickHouse's own list of clients. A request
 * that is silent for `timeoutMs` fails. The client logs nothing: what fails is logged once, where it matters.
 */
export function openClient(address: ClickhouseAddress, purpose: string, timeoutMs: number): ClickHouseClient {
  return createClient({
    url: address.url,
    username: address.user,
    password: address.password,
    database: address.database,
    application: `player-analytics ${purpose}`,
    request_timeout: timeoutMs,
    log: { level: ClickHouseLogLevel.OFF },
  });
}
