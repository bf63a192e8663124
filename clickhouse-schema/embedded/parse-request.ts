import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Caller } from './engine.ts';
import { RefusedRequest } from './exceptions.ts';
import { refusedSetting } from './reader-settings.ts';

/** What the URL and headers of one request ask for. */
export interface StatementRequest {
  caller: Caller;
  /** The `query` parameter; the statement is this, a line feed, and the body. */
  query: string;
  queryId: string | undefined;
  database: string | undefined;
  /** Format of a result whose statement names none. */
  defaultFormat: string;
  settings: Map<string, string>;
  parameters: Map<string, string>;
  /** Whether the answer may be compressed with gzip. */
  gzip: boolean;
}

/** The account that may write. */
export interface ServiceAccount {
  user: string;
  password: string;
}

/** Parameters of ClickHouse's HTTP interface that are not settings of the statement, or that have no effect here. */
const TRANSPORT = new Set(
  `query query_id database default_format user password session_id session_timeout session_check role quota_key stacktrace
  wait_end_of_query buffer_size enable_http_compression http_zlib_compression_level send_progress_in_http_headers
  http_headers_progress_interval_ms add_http_cors_header client_protocol_version compress decompress log_comment log_queries
  cancel_http_readonly_queries_on_client_close http_response_headers http_write_exception_in_output_format`.split(
    /\s+/,
  ),
);
/** Settings clients add to every request that change nothing for a user who can only read. */
const MEANINGLESS_TO_READERS = new Set(['readonly', 'async_insert', 'wait_for_async_insert']);

/** Reads a request's URL and headers. Throws `RefusedRequest` for what this interface or the caller's rights refuse. */
export function parseRequest(
  request: IncomingMessage,
  search: URLSearchParams,
  account: ServiceAccount,
): StatementRequest {
  const caller = authenticate(request, search, account);
  for (const name of ['compress', 'decompress']) {
    if (isOn(search.get(name))) {
      throw new RefusedRequest('UNSUPPORTED_METHOD', `${name}=1 is not supported here; use HTTP compression (gzip)`);
    }
  }
  const settings = new Map<string, string>();
  const parameters = new Map<string, string>();
  for (const [name, value] of search) {
    if (name.startsWith('param_')) parameters.set(word(name.slice('param_'.length)), value);
    else if (!TRANSPORT.has(name) && !(caller === 'analyst' && MEANINGLESS_TO_READERS.has(name)))
      settings.set(word(name), allowed(caller, name, value));
  }
  return {
    caller,
    query: search.get('query') ?? '',
    queryId: search.get('query_id') ?? undefined,
    database: header(request, 'x-clickhouse-database') ?? search.get('database') ?? undefined,
    defaultFormat: word(header(request, 'x-clickhouse-format') ?? search.get('default_format') ?? 'TabSeparated'),
    settings,
    parameters,
    gzip: isOn(search.get('enable_http_compression')) && /\bgzip\b/.test(header(request, 'accept-encoding') ?? ''),
  };
}

/** The read-only user needs no password, but only a client of this machine that names this machine gets it. */
function authenticate(request: IncomingMessage, search: URLSearchParams, account: ServiceAccount): Caller {
  const basic = /^Basic (.+)$/i.exec(header(request, 'authorization') ?? '')?.[1];
  const [, basicUser, basicPassword] =
    /^([^:]*):([\s\S]*)$/.exec(basic === undefined ? '' : Buffer.from(basic, 'base64').toString('utf8')) ?? [];
  const user = header(request, 'x-clickhouse-user') ?? basicUser ?? search.get('user') ?? 'default';
  const password = header(request, 'x-clickhouse-key') ?? basicPassword ?? search.get('password') ?? '';
  if (user === account.user && sameText(password, account.password)) return 'service';
  // The Host header is what a page in a browser cannot forge, whatever name it made point at 127.0.0.1.
  const local = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i.test(header(request, 'host') ?? '');
  if ((user === 'default' || user === '') && password === '' && local) return 'analyst';
  throw new RefusedRequest(
    'AUTHENTICATION_FAILED',
    `${user}: Authentication failed: password is incorrect, or there is no user with such name`,
  );
}

function allowed(caller: Caller, name: string, value: string): string {
  const why = caller === 'analyst' ? refusedSetting(name, value) : undefined;
  if (why !== undefined) throw new RefusedRequest('READONLY', why);
  return value;
}

/** Names reach SQL text: letters, digits and underscores only. */
function word(name: string): string {
  if (!/^\w{1,128}$/.test(name)) throw new RefusedRequest('BAD_ARGUMENTS', 'A name in the URL is not a plain word');
  return name;
}

function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

function isOn(value: string | null): boolean {
  return value === '1' || value === 'true';
}

/** Compares digests, so that neither content nor length shows in the time it takes. */
function sameText(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
