import { Agent, fetch, type Response } from 'undici';
import { certificatesOf, type ClickhouseAddress } from '../../clickhouse-schema/clickhouse-address.ts';

/** Sends a statement as the account of the service. Rejects if ClickHouse cannot be reached. */
export function fetchClickhouse(
  { user, password, tls }: ClickhouseAddress,
  target: URL,
  statement: string,
): Promise<Response> {
  return fetch(target, {
    method: 'POST',
    body: statement,
    headers: { 'X-ClickHouse-User': user, 'X-ClickHouse-Key': password },
    ...(tls === undefined ? {} : { dispatcher: new Agent({ connect: certificatesOf(tls) }) }),
  });
}
