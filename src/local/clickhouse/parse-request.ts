import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Caller } from '../../sql-gate/caller.ts';
import { RefusedRequest } from '../../../clickhouse-schema/queries/statements/exceptions.ts';
import { readerSetting, serviceSetting } from '../../sql-gate/allowed-settings.ts';
import { gameOfReader, type GameReader } from './game-readers.ts';
import { READER_USER, readerPassword } from './service-password.ts';
import { boundaryOf, formFields } from './wire/form-body.ts';
import { chosenEncoding, type Compression } from './wire/encodings.ts';

/** The statement, settings and parameters of one request, from its URL and headers. */
export interface StatementRequest {
  caller: Caller;
  /** The only game whose rows the caller reads; undefined: all of them. */
  game: string | undefined;
  /** The `query` parameter. The statement is this text, a line feed, and the body. */
  query: string;
  queryId: string | undefined;
  database: string | undefined;
  /** The format of a statement without a FORMAT clause. */
  defaultFormat: string;
  settings: Map<string, string>;
  parameters: Map<string, string>;
  /** How the response is compressed. */
  compression: Compression;
  /** Whether the body is compressed blocks of ClickHouse. */
  decompress: boolean;
  /** The revision of the Native format that the client reads; 0 if it does not say one. */
  revision: number;
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
/**
 * Throws for a request that a web page may have sent. Browsers send the page's origin in `Origin` and `Sec-Fetch-Site`.
 * `Host` reveals a page whose name resolves to this machine (DNS rebinding). Credentials must be in headers, because
 * URLs are stored in histories and logs.
 *
 * @param hosts names that the operator allows besides those of this machine
 */
export function refuseForeignRequest(
  request: IncomingMessage,
  search: URLSearchParams,
  hosts: ReadonlySet<string>,
): void {
  const site = header(request, 'sec-fetch-site') ?? 'none';
  if (request.headers.origin !== undefined || (site !== 'none' && site !== 'same-origin')) {
    throw new RefusedRequest('AUTHENTICATION_FAILED', 'Requests of web pages are not allowed (Origin, Sec-Fetch-Site)');
  }
  if (!isKnownHost(header(request, 'host') ?? '', hosts)) {
    throw new RefusedRequest(
      'AUTHENTICATION_FAILED',
      'The host of the address must be localhost, 127.0.0.1, [::1] or a name in EMBEDDED_CLICKHOUSE_HOSTS',
    );
  }
  const user = search.get('user') ?? '';
  if ((search.get('password') ?? '') !== '' || (user !== '' && user !== 'default')) {
    throw new RefusedRequest(
      'AUTHENTICATION_FAILED',
      'Credentials in the address are not allowed; use the headers X-ClickHouse-User and X-ClickHouse-Key, ' +
        'or Authorization',
    );
  }
}

const LOCAL_HOSTS = ['localhost', '127.0.0.1', '[::1]'];

function isKnownHost(host: string, hosts: ReadonlySet<string>): boolean {
  const name = host.toLowerCase();
  for (const known of [...LOCAL_HOSTS, ...hosts]) {
    if (name === known) return true;
    if (!name.startsWith(`${known}:`)) continue;
    const port = name.slice(known.length + 1);
    return port.length <= 5 && Number.isInteger(Number(port)) && port.trim() === port && port !== '';
  }
  return false;
}

/** Parses a request's URL and headers. Throws `RefusedRequest` for anything unsupported or not permitted. */
export function parseRequest(
  request: IncomingMessage,
  search: URLSearchParams,
  account: ServiceAccount,
  readers: Readers,
): StatementRequest {
  const { caller, game } = authenticate(request, account, readers);
  const settings = new Map<string, string>();
  const parameters = new Map<string, string>();
  for (const [name, value] of search) {
    if (name.startsWith('param_')) parameters.set(word(name.slice('param_'.length)), value);
    else if (!TRANSPORT.has(name)) {
      const allowed = allowedValue(caller, word(name), value);
      if (allowed !== undefined) settings.set(name, allowed);
    }
  }
  return {
    caller,
    game,
    query: search.get('query') ?? '',
    queryId: search.get('query_id') ?? header(request, 'x-clickhouse-query-id'),
    database: header(request, 'x-clickhouse-database') ?? search.get('database') ?? undefined,
    defaultFormat: word(header(request, 'x-clickhouse-format') ?? search.get('default_format') ?? 'TabSeparated'),
    settings,
    parameters,
    compression: isOn(search.get('compress'))
      ? 'blocks'
      : isOn(search.get('enable_http_compression'))
        ? chosenEncoding(header(request, 'accept-encoding') ?? '')
        : 'none',
    decompress: isOn(search.get('decompress')),
    revision: revision(search.get('client_protocol_version') ?? '0'),
  };
}

/** Takes statement and parameters out of a form. Returns the body that is left: the whole one if it is no form. */
export function takeForm(request: IncomingMessage, statement: StatementRequest, body: Buffer): Buffer {
  const boundary = boundaryOf(header(request, 'content-type') ?? '');
  if (boundary === undefined) return body;
  for (const [name, value] of formFields(body, boundary)) {
    if (name === 'query') statement.query += value;
    else if (name.startsWith('param_')) statement.parameters.set(word(name.slice('param_'.length)), value);
    else
      throw new RefusedRequest('BAD_ARGUMENTS', 'A form has the fields query and param_…; put settings into the URL');
  }
  return Buffer.alloc(0);
}

/** Those who may read besides the service. */
export interface Readers {
  /** Whether everybody on this machine may read, without a password. */
  open: boolean;
  /** Readers of one game each, as of now. */
  ofGames: () => readonly GameReader[];
}

function authenticate(
  request: IncomingMessage,
  account: ServiceAccount,
  readers: Readers,
): { caller: Caller; game: string | undefined } {
  const basic = basicCredentials(header(request, 'authorization') ?? '');
  const user = header(request, 'x-clickhouse-user') ?? basic?.user ?? READER_USER;
  const password = header(request, 'x-clickhouse-key') ?? basic?.password ?? '';
  if (user === account.user && sameText(password, account.password)) return { caller: 'service', game: undefined };
  const isReader = user === READER_USER || user === '';
  const isKnown = readers.open ? password === '' : sameText(password, readerPassword(account.password));
  if (isReader && isKnown) return { caller: 'analyst', game: undefined };
  const game = password === '' ? undefined : gameOfReader(readers.ofGames(), user, password);
  if (game !== undefined) return { caller: 'analyst', game };
  throw new RefusedRequest(
    'AUTHENTICATION_FAILED',
    `${user.slice(0, 100)}: Authentication failed: password is incorrect, or there is no user with such name`,
  );
}

function basicCredentials(authorization: string): { user: string; password: string } | undefined {
  if (authorization.slice(0, 6).toLowerCase() !== 'basic ') return undefined;
  const text = Buffer.from(authorization.slice(6), 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon === -1 ? undefined : { user: text.slice(0, colon), password: text.slice(colon + 1) };
}

function allowedValue(caller: Caller, name: string, value: string): string | undefined {
  const verdict = caller === 'analyst' ? readerSetting(name, value) : serviceSetting(name, value);
  if (verdict.kind === 'refused') throw new RefusedRequest('READONLY', verdict.why);
  return verdict.value;
}

function revision(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new RefusedRequest('BAD_ARGUMENTS', 'client_protocol_version is not a whole number');
}

/** Names become part of SQL text, so only letters, digits and underscores are allowed. */
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

/** Compares digests, so the time reveals neither content nor length. */
function sameText(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
