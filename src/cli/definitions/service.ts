import { fetch, type Response } from 'undici';
import { type Clock, sleep } from '../../../core/kernel/clock.ts';
import { isObject, type Json, type JsonObject } from '../../../core/kernel/text/json.ts';
import { reasonHeader } from '../../api/input/change-reason.ts';
import { managedByHeader } from '../../api/input/managed-by.ts';
import { CliError } from '../cli-error.ts';
import { textOf } from './references.ts';
import { printable } from '../printable.ts';
import { DEFINITION_FILE_LIMITS } from './limits.ts';
import type { Target } from './targets.ts';

/* The HTTP API of one game and environment, as the commands that keep definitions in files use it. */

export interface Refusal {
  kind: 'refused';
  status: number;
  /** The message with the faults of fields, for a terminal. */
  text: string;
}

export type Answered = { kind: 'answered'; data: JsonObject } | Refusal;

export interface Change {
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  body?: JsonObject;
  /** The version on which it is based. */
  version?: number | undefined;
}

export interface GameService {
  get(path: string): Promise<Answered>;
  /** All pages of a list. */
  list(path: string, many: string, query?: string): Promise<JsonObject[]>;
  change(change: Change): Promise<Answered>;
}

export interface Said {
  reason: string;
  /** Marks what is written; undefined: the mark stays as it is. */
  managedBy: string | undefined;
}

export function connectService(
  { baseUrl, key, name }: Pick<Target, 'baseUrl' | 'key' | 'name'>,
  { reason, managedBy }: Said,
  clock: Clock,
): GameService {
  async function ask(
    method: string,
    path: string,
    body?: JsonObject,
    headers: Record<string, string> = {},
  ): Promise<Answered> {
    for (let retry = 0; ; retry += 1) {
      const response = await send(method, path, body, headers);
      const text = await response.text();
      const waitSeconds = Number(response.headers.get('retry-after') ?? Number.NaN);
      const isRated = response.status === 429 && waitSeconds <= DEFINITION_FILE_LIMITS.rateWaitSeconds;
      if (!isRated || retry === DEFINITION_FILE_LIMITS.rateRetries) return answerOf(response.status, text);
      await sleep(clock, waitSeconds * 1_000);
    }
  }

  async function send(
    method: string,
    path: string,
    body: JsonObject | undefined,
    headers: Record<string, string>,
  ): Promise<Response> {
    try {
      return await fetch(`${baseUrl}${path}`, {
        method,
        headers: { 'X-API-Key': key, 'Content-Type': 'application/json', ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        // Another host must not get the key.
        redirect: 'error',
        signal: AbortSignal.timeout(DEFINITION_FILE_LIMITS.requestMs),
      });
    } catch (error) {
      throw new CliError(`${name}: ${baseUrl} does not answer: ${reasonOf(error)}`);
    }
  }

  async function data(path: string): Promise<JsonObject> {
    const answered = await ask('GET', path);
    if (answered.kind === 'refused') throw new CliError(`${name}: GET ${path}: ${answered.text}`);
    return answered.data;
  }

  return {
    get: (path) => ask('GET', path),
    async list(path, many, query = '') {
      const found: JsonObject[] = [];
      let cursor: Json | undefined = null;
      do {
        const from: string = typeof cursor === 'string' ? `&cursor=${encodeURIComponent(cursor)}` : '';
        const page = await data(`${path}?limit=500${from}${query}`);
        const items: Json = page[many] ?? null;
        found.push(...(Array.isArray(items) ? items.filter(isObject) : []));
        cursor = page['next_cursor'];
      } while (typeof cursor === 'string');
      return found;
    },
    change({ method, path, body, version }) {
      const basis = version === undefined ? {} : { 'If-Match': `"${version}"` };
      const said = { ...reasonHeader(reason), ...(managedBy === undefined ? {} : managedByHeader(managedBy)) };
      return ask(method, path, body, { ...basis, ...said });
    },
  };
}

function answerOf(status: number, text: string): Answered {
  const body = parsed(text);
  if (status >= 200 && status < 300 && isObject(body['data'])) return { kind: 'answered', data: body['data'] };
  const error = isObject(body['error']) ? body['error'] : {};
  const { code, message, details } = error;
  const fields = isObject(details) && Array.isArray(details['fields']) ? details['fields'].filter(isObject) : [];
  const faults = fields.map(({ path, message: fault }) => `; ${textOf(path)} ${textOf(fault)}`);
  const words = `${status} ${textOf(code ?? '')}: ${textOf(message ?? text)}${faults.join('')}`;
  return { kind: 'refused', status, text: printable(words, 2_000) };
}

function parsed(text: string): JsonObject {
  try {
    const json: Json = JSON.parse(text);
    return isObject(json) ? json : {};
  } catch {
    return {};
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}
