import { ClickHouseLogLevel, createClient, type ClickHouseClient } from '@clickhouse/client';
import { certificatesOf, type ClickhouseAddress } from './clickhouse-address.ts';

/**
 * Opens a ClickHouse client; every part of the service uses this function. `purpose` appears in ClickHouse's list of
 * clients. A request without data for `timeoutMs` fails. The client logs nothing, because the caller logs failures.
 */
export function openClient(address: ClickhouseAddress, purpose: string, timeoutMs: number): ClickHouseClient {
  return createClient({
    url: address.url,
    username: address.user,
    password: address.password,
    database: address.database,
    application: `player-analytics ${purpose}`,
    request_timeout: timeoutMs,
    ...tlsOf(address),
    log: { level: ClickHouseLogLevel.OFF },
  });
}

function tlsOf({ tls }: ClickhouseAddress) {
  if (tls === undefined) return {};
  const { ca: ca_cert, cert, key } = { cert: undefined, key: undefined, ...certificatesOf(tls) };
  return { tls: cert === undefined || key === undefined ? { ca_cert } : { ca_cert, cert, key } };
}
