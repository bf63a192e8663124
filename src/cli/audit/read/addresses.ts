import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  credsAuthenticator,
  tokenAuthenticator,
  usernamePasswordAuthenticator,
  type ConnectionOptions,
} from '@nats-io/transport-node';
import { AuditError } from '../audit-error.ts';

/** Where the audited deployment is: the settings of docs/settings.md, or else the service that runs on DATA_DIR. */
export interface Addresses {
  nats: ConnectionOptions;
  clickhouse: { url: string; user: string; password: string; database: string };
}

type Env = Readonly<Record<string, string | undefined>>;

export function addressesOf(env: Env): Addresses {
  const natsUrl = given(env, 'NATS_URL');
  const clickhouseUrl = given(env, 'CLICKHOUSE_URL');
  const local =
    natsUrl === undefined || clickhouseUrl === undefined ? runningOn(env['DATA_DIR'] ?? '.data') : undefined;
  const { CLICKHOUSE_USER: user = 'default' } = env;
  const password = secret(env, 'CLICKHOUSE_PASSWORD') ?? '';
  const database = env['CLICKHOUSE_DATABASE'] ?? 'default';
  const clickhouse = clickhouseUrl === undefined ? local?.clickhouse : { url: clickhouseUrl, user, password, database };
  const url = natsUrl ?? local?.nats_url;
  if (clickhouse === undefined || url === undefined) throw new AuditError('There is no address of NATS or ClickHouse.');
  return { nats: natsOptions(url, env), clickhouse };
}

interface Endpoints {
  nats_url: string;
  clickhouse: Addresses['clickhouse'];
}

/** What `npm start` writes for tools of the same machine. */
function runningOn(dataDir: string): Endpoints {
  try {
    const endpoints: Endpoints = JSON.parse(readFileSync(join(dataDir, 'endpoints.json'), 'utf8'));
    return endpoints;
  } catch {
    throw new AuditError(
      `No service is running on ${dataDir}. Start it with npm start, or set DATA_DIR, or NATS_URL and CLICKHOUSE_URL.`,
    );
  }
}

/** `[scheme://][userinfo@]host[:port]`; the last `@` ends the credentials. */
function partsOf(address: string): { scheme: string | undefined; userinfo: string | undefined; host: string } {
  const colon = address.indexOf('://');
  const rest = colon < 0 ? address : address.slice(colon + 3);
  const at = rest.lastIndexOf('@');
  return {
    scheme: colon < 0 ? undefined : address.slice(0, colon),
    userinfo: at < 0 ? undefined : rest.slice(0, at),
    host: rest.slice(at + 1),
  };
}

/** Servers joined by commas, each with or without credentials of its own in front of an `@`. */
function natsOptions(url: string, env: Env): ConnectionOptions {
  const parts = url.split(',').map((part) => partsOf(part.trim()));
  const servers = parts.map(({ host }) => host);
  const login = parts.map(({ userinfo }) => userinfo).find((userinfo) => userinfo !== undefined);
  const [certFile, keyFile] = [given(env, 'NATS_TLS_CERT'), given(env, 'NATS_TLS_KEY')];
  const caFile = given(env, 'NATS_TLS_CA');
  const isTls = [caFile, certFile].some((file) => file !== undefined) || parts.some(({ scheme }) => scheme === 'tls');
  const tls = {
    ...(caFile === undefined ? {} : { caFile }),
    ...(certFile === undefined || keyFile === undefined ? {} : { certFile, keyFile }),
  };
  return {
    servers,
    name: 'audit',
    timeout: CONNECT_MS,
    ...(isTls ? { tls } : {}),
    ...authenticatorOf(login, env),
  };
}

const CONNECT_MS = 10_000;

function authenticatorOf(login: string | undefined, env: Env): Pick<ConnectionOptions, 'authenticator'> {
  const [token, file] = [secret(env, 'NATS_TOKEN'), given(env, 'NATS_CREDS_FILE')];
  const [user, password] = [given(env, 'NATS_USER'), secret(env, 'NATS_PASSWORD')];
  if (login !== undefined) {
    const [name = '', ...rest] = login.split(':');
    const first = decodeURIComponent(name);
    const authenticator =
      rest.length === 0
        ? tokenAuthenticator(first)
        : usernamePasswordAuthenticator(first, decodeURIComponent(rest.join(':')));
    return { authenticator };
  }
  if (token !== undefined) return { authenticator: tokenAuthenticator(token) };
  if (file !== undefined) return { authenticator: credsAuthenticator(() => readFileSync(file)) };
  if (user !== undefined) return { authenticator: usernamePasswordAuthenticator(user, password) };
  return {};
}

/** A setting, or the content of the file that the setting with `_FILE` names. */
function secret(env: Env, name: string): string | undefined {
  const path = given(env, `${name}_FILE`);
  return path === undefined ? given(env, name) : readFileSync(path, 'utf8').replace(/\r?\n$/, '');
}

function given(env: Env, name: string): string | undefined {
  return env[name] === '' ? undefined : env[name];
}
