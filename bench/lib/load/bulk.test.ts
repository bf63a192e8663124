import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { bulk, type BulkProgress, type BulkSpec } from './bulk.ts';
import { readPlayerIds } from './traffic/player-ids.ts';

let folder: string;
let server: Server;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'player-analytics-bench-test-'));
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

const idOf = (index: number) => `00000000-0000-5000-8000-${String(index).padStart(12, '0')}`;

/** A service that knows players by what they are registered with. @param refuses a request by its number */
async function serve(refuses: (turn: number) => number | undefined) {
  const read: string[] = [];
  let turn = 0;
  server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      const refused = refuses((turn += 1));
      if (refused === undefined && request.method === 'GET') read.push((request.url ?? '').split('/').at(-1) ?? '');
      const externalId: string = text === '' ? '' : JSON.parse(text).external_id;
      const json = JSON.stringify({ success: true, data: { id: idOf(Number(externalId.replace('bench-', ''))) } });
      response.writeHead(refused ?? 200, { 'Content-Length': json.length }).end(json);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { baseUrl: `http://127.0.0.1:${port}`, read };
}

function run(baseUrl: string, changed: Partial<BulkSpec>): Promise<BulkProgress> {
  const idsFile = join(folder, 'ids');
  const spec: BulkSpec = { task: 'register', baseUrl, key: 'k', idsFile, from: 0, to: 300, connections: 8, ...changed };
  return bulk.use(new AbortController().signal, spec, (process) => process.ask('run'));
}

test('players are registered, their ids kept each in its place, and more can follow; what is refused is repeated', async () => {
  const { baseUrl, read } = await serve((turn) => (turn % 7 === 0 ? 503 : undefined));
  const first = await run(baseUrl, { to: 300 });
  expect(first).toMatchObject({ done: 300 });
  expect(first.repeated).toBeGreaterThan(40);
  await run(baseUrl, { from: 300, to: 500 });
  const ids = readPlayerIds(join(folder, 'ids'));
  expect(ids.count).toBe(500);
  expect(Array.from({ length: 500 }, (_, index) => ids.at(index))).toEqual(
    Array.from({ length: 500 }, (_, index) => idOf(index)),
  );

  await run(baseUrl, { task: 'read', from: 100, to: 400 });
  expect(read.toSorted()).toEqual(Array.from({ length: 300 }, (_, index) => idOf(100 + index)));
});

test('an answer that repeating would not mend ends it', async () => {
  const { baseUrl } = await serve((turn) => (turn === 20 ? 403 : undefined));
  await expect(run(baseUrl, {})).rejects.toThrow('was answered 403');
});
