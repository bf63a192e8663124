import { request, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compressedBlocks } from '../../../src/local/clickhouse/wire/compressed-blocks.ts';
import { CLICKHOUSE_CONNECT } from '../../fixtures/tool-requests/clickhouse-connect.ts';
import { GRAFANA } from '../../fixtures/tool-requests/grafana.ts';
import { DBEAVER, JAVA_CLIENT, METABASE } from '../../fixtures/tool-requests/java.ts';
import type { ToolRequest } from '../../fixtures/tool-requests/tool-request.ts';
import { runSql, type TestClickhouse } from '../../support/servers/clickhouse.ts';
import { startWithTables } from '../../support/wire/made-tables.ts';
import { nativeAnswer, plain, rowBinaryAnswer } from '../../support/wire/tool-answer.ts';

/* What analysts' tools send, by their code, and whether they can read the answers. */

let clickhouse: TestClickhouse;
beforeAll(async () => {
  clickhouse = await startWithTables();
  const row = {
    event_id: 'e-1',
    game_id: 'demo',
    environment: 'live',
    player_id: '00000000-0000-5000-8000-000000000001',
    event_name: 'level_up',
    properties: '{"level":2}',
    timestamp: 1_768_473_000_000,
    received_at: 1_768_473_000_000,
  };
  const written = await runSql(clickhouse, 'INSERT INTO events FORMAT JSONEachRow', { body: JSON.stringify(row) });
  expect(written).toMatchObject({ status: 200 });
});
afterAll(() => clickhouse.close());

describe.each([
  ['Grafana', GRAFANA],
  ['the Java client', JAVA_CLIENT],
  ['DBeaver', DBEAVER],
  ['Metabase', METABASE],
  ['clickhouse-connect', CLICKHOUSE_CONNECT],
])('what %s sends is answered so that it can read it', (_, requests) => {
  it.each(requests)('$name', async (sent) => {
    const { status, headers, body } = await send(sent);
    if (status !== 200) throw new Error(body.toString('utf8'));
    const bytes = plain(body, headers['content-encoding'], sent.search['compress'] === '1');
    const answer =
      headers['x-clickhouse-format'] === 'Native'
        ? nativeAnswer(bytes, Number(sent.search['client_protocol_version'] ?? 0))
        : rowBinaryAnswer(bytes);
    expect(answer.names.slice(0, sent.columns.length)).toEqual(sent.columns);
    expect(answer.hasRows).toBe(sent.hasRows);
  });
});

describe('an answer in the Native format', () => {
  const native = (revision: string, sql: string) =>
    send({
      name: '',
      search: { client_protocol_version: revision, default_format: 'Native' },
      headers: {},
      body: sql,
      columns: [],
      hasRows: true,
    });

  it.each(['0', '54405', '54460'])('has the form of revision %s', async (revision) => {
    const { body } = await native(revision, 'SELECT 1 AS check');
    const info = revision === '0' ? '' : '010002ffffffff00';
    const serialization = revision === '54460' ? '00' : '';
    expect(body.toString('hex')).toBe(
      `${info}010105${Buffer.from('check').toString('hex')}05${Buffer.from('UInt8').toString('hex')}${serialization}01`,
    );
  });

  it('names the time zone of a DateTime from revision 1 on, as clickhouse-connect expects it', async () => {
    const sql = "SELECT toDateTime(0, 'Europe/Berlin') AS time, 1 AS one";
    const { body } = await native('54460', sql);
    expect(nativeAnswer(body, 54_460)).toMatchObject({ types: ["DateTime('Europe/Berlin')", 'UInt8'] });
  });

  it('is refused at a revision for a type whose size nobody but the engine knows', async () => {
    const { status, body } = await native('54460', 'SELECT uniqState(1) AS state');
    expect([status, body.toString('utf8')]).toEqual([501, expect.stringContaining('The column state has the type')]);
  });
});

describe('a compressed body', () => {
  const search = { decompress: '1' };
  const packed = Buffer.concat([...compressedBlocks(Buffer.from('SELECT 42'))]);

  it.each([
    ['whole', packed, 200],
    ['cut', packed.subarray(0, -1), 400],
    ['without its head', packed.subarray(0, 20), 400],
    ['with a wrong checksum', Buffer.concat([Buffer.from([1]), packed.subarray(1)]), 400],
    ['with an unknown method', withMethod(packed, 7), 400],
    ['that says it is larger than a statement may be', withSize(packed, 300 * 1024), 413],
    ['that is not compressed', Buffer.from('SELECT 42 AS the_answer'), 400],
  ])('%s is answered %#', async (_, data, status) => {
    const answer = await send({
      name: '',
      search,
      headers: {},
      body: data.toString('latin1'),
      columns: [],
      hasRows: true,
    });
    expect([answer.status, answer.body.toString().slice(0, 5)]).toEqual([status, status === 200 ? '42\n' : 'Code:']);
  });
});

function withMethod(block: Buffer, method: number): Buffer {
  const copy = Buffer.from(block);
  copy[16] = method;
  return copy;
}

function withSize(block: Buffer, size: number): Buffer {
  const copy = Buffer.from(block);
  copy.writeUInt32LE(size, 21);
  return copy;
}

async function send(sent: ToolRequest): Promise<{ status: number; headers: Record<string, string>; body: Buffer }> {
  const text = Buffer.from(sent.body, sent.search['decompress'] === '1' ? 'latin1' : 'utf8');
  const data = sent.compressBody === true ? Buffer.concat([...compressedBlocks(text)]) : text;
  const url = `${clickhouse.url}/?${new URLSearchParams(sent.search).toString()}`;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url, { method: 'POST', headers: sent.headers }, resolve).on('error', reject).end(data);
  });
  const parts: Buffer[] = [];
  for await (const part of response) parts.push(Buffer.from(part));
  const headers = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
  return { status: response.statusCode ?? 0, headers: Object.fromEntries(headers), body: Buffer.concat(parts) };
}
