import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { DemoKeys } from '../../../src/process/demo.ts';
import { bodyOf, type ApiBody } from '../wire/api-body.ts';
import { environmentWithTables, launch, stopAndRemove, untilReady, type Supervised } from './supervised.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const run = promisify(execFile);

/** An answer with its body read. */
export interface Answer {
  status: number;
  headers: Headers;
  body: ApiBody;
}

/** The whole service as `npm start` runs it, on its own ports and folder. */
export interface RunningService {
  readonly supervised: Supervised;
  readonly url: string;
  readonly keys: DemoKeys;
  /** Sends a JSON request; a string is sent unchanged. */
  call(
    key: string | undefined,
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer>;
  /** Registers a player, or finds an existing one; returns its id. */
  player(key: string, externalId: string): Promise<string>;
  /** Rows of a query on the embedded ClickHouse's own port, without user and password. Throws ClickHouse's error. */
  sql<T>(query: string): Promise<T[]>;
  /** Runs an operator's command; returns its standard output, trimmed. */
  cli(...line: string[]): Promise<string>;
  /** Stops it in order and removes its folder. */
  stop(): Promise<void>;
}

/** Starts one; resolves when it is ready. */
export async function startService(env: Readonly<Record<string, string>> = {}): Promise<RunningService> {
  const supervised = launch({ env: { ...(await environmentWithTables()), ...env } });
  let keys: DemoKeys;
  try {
    await untilReady(supervised);
    keys = JSON.parse(readFileSync(join(supervised.dataDir, 'demo-keys.json'), 'utf8'));
  } catch (error) {
    await stopAndRemove(supervised);
    throw error;
  }
  const url = supervised.baseUrl;

  const call: RunningService['call'] = async (key, method, path, body, headers = {}) => {
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(key === undefined ? {} : { 'X-API-Key': key }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, body: await bodyOf(response) };
  };

  return {
    supervised,
    url,
    keys,
    call,
    async player(key, externalId) {
      const { status, body } = await call(key, 'POST', '/v1/players/players', { external_id: externalId });
      if (status !== 201 && status !== 200) throw new Error(`register answered ${status}: ${JSON.stringify(body)}`);
      return String(body.data['id']);
    },
    sql: (query) => queryAsReader(supervised.clickhouseUrl, query),
    async cli(...line) {
      const { stdout } = await run(process.execPath, [join(ROOT, 'src/cli/main.ts'), ...line], {
        env: { ...supervised.env },
        cwd: ROOT,
      });
      return stdout.trim();
    },
    stop: () => stopAndRemove(supervised),
  };
}

/** Rows of a query, sent without user and password, as any local process may. Throws ClickHouse's error. */
export async function queryAsReader<T>(clickhouseUrl: string, query: string): Promise<T[]> {
  const response = await fetch(`${clickhouseUrl}/?default_format=JSONEachRow`, { method: 'POST', body: query });
  const text = await response.text();
  if (response.status !== 200) throw new Error(text);
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line): T => JSON.parse(line));
}
