import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ClickhouseAddress, ClickhouseTls } from '../../clickhouse-schema/clickhouse-address.ts';
import { parseBrokerUrl, type BrokerAccess, type BrokerLogin } from '../../streams/log/jetstream/access.ts';
import type { StreamShape } from '../../streams/log/jetstream/stream-shape.ts';
import { STREAMS } from '../../streams/log/stream-definitions.ts';
import { parseProxies } from '../../core/kernel/caller-address.ts';
import { SETTINGS_LIMITS } from './limits.ts';

/**
 * Every setting with its default and bounds. The only file that reads `process.env` for the service; an invalid value
 * is a `ConfigError` that names the setting and the accepted values.
 */

/** The model package used unless MODEL_PATH is set. */
export const SHIPPED_MODEL = fileURLToPath(new URL('../../models/first-user-conversion', import.meta.url));

export type Role = 'gateway' | 'actors' | 'sinks';
const ROLES: readonly Role[] = ['gateway', 'actors', 'sinks'];

export interface Config {
  host: string;
  port: number;
  /** The port of `/metrics`; undefined: the main port. */
  metricsPort: number | undefined;
  /** Whether the main port serves `/metrics` to all callers instead of callers on this machine only. */
  metricsPublic: boolean;
  dataDir: string;
  roles: readonly Role[];
  /** Processes of the service that `npm start` runs; undefined: chosen by the machine's cores. */
  processes: number | undefined;
  /** This process's place among those that one `npm start` runs; undefined: it is the only one. */
  group: ProcessGroup | undefined;
  /** Applies at the first start of a deployment. Later it must be the same or undefined. */
  partitions: number | undefined;
  logLevel: string;
  natsUrl: string | undefined;
  /** Credentials and TLS files of the broker, besides those in NATS_URL. */
  natsAccess: BrokerAccess;
  /** Applies at the first start of a deployment. Later it must be the same or undefined. */
  natsReplicas: number | undefined;
  secrets: SecretsConfig;
  clickhouse: { url: string | undefined; user: string; password: string; database: string; tls?: ClickhouseTls };
  /** The account that statements of the console read ClickHouse with; undefined: there is none. */
  clickhouseReader: { user: string; password: string } | undefined;
  /** The identity provider of the console's users; undefined: there is none. */
  openId: { issuer: string; clientId: string; clientSecret: string | undefined } | undefined;
  embeddedNatsPort: number;
  embeddedClickhousePort: number;
  /** Whether the embedded ClickHouse may open its own files only, where the system can ensure it. */
  embeddedClickhouseConfined: boolean;
  /** Names by which other programs may address the embedded ClickHouse, besides those of this machine. */
  embeddedClickhouseHosts: readonly string[];
  /** Whether the programs of this machine may read the embedded ClickHouse without a token. */
  embeddedClickhouseOpen: boolean;
  /** Applies at the first start of a deployment. Later it is ignored with a warning if it differs. */
  factsMaxBytes: number | undefined;
  sessionTtlSeconds: number;
  sseHeartbeatSeconds: number;
  webhookRetryDelaysSeconds: readonly number[];
  webhookTimeoutSeconds: number;
  webhookAllowPrivateHosts: readonly string[];
  /** How often running experiments with guardrails are looked at. */
  guardrailSeconds: number;
  corsOrigins: readonly string[];
  /** Addresses and networks of proxies whose X-Forwarded-For counts. */
  trustedProxies: readonly string[];
  /** The folder of the scoring model's package, its challenger and its predecessor. */
  modelPath: string;
  /** Whether `npm start` started this process: it then creates the demo game and ends with the supervisor. */
  supervised: boolean;
}

/** The processes of the service that one `npm start` runs on one port, as one of them sees them. */
export interface ProcessGroup {
  /** From 1 to `count`. */
  number: number;
  count: number;
  /** DATA_DIR of `npm start`, which is also that of the first process. */
  dataDir: string;
}

/** The keys that seal secrets. Without `key` and `file`, a deployment on one machine uses a file below DATA_DIR. */
export interface SecretsConfig {
  key: string | undefined;
  /** Keys that open secrets and seal none. */
  previous: readonly string[];
  /** A file with one key a line; the first seals. */
  file: string | undefined;
  /** Id of a lost key whose secrets the operator gives up. */
  replaces: string | undefined;
}

/** The replicas that a broker cluster of 1 or at least 3 servers can hold. */
export const REPLICAS: readonly string[] = ['1', '3', '5'];

/** An invalid setting. The message names the setting and the accepted values. */
export class ConfigError extends Error {}

/** Exit code after a `ConfigError` (EX_CONFIG of sysexits.h): a restart would fail in the same way. */
export const CONFIG_ERROR_EXIT = 78;

type Env = Readonly<Record<string, string | undefined>>;

/** Reads and validates every setting. Throws `ConfigError`. */
export function readConfig(env: Env = process.env): Config {
  return {
    host: env['HOST'] ?? '127.0.0.1',
    port: integer(env, 'PORT', 8080, 0, 65_535),
    metricsPort: env['METRICS_PORT'] === undefined ? undefined : integer(env, 'METRICS_PORT', 0, 0, 65_535),
    metricsPublic: oneOf(env, 'METRICS_PUBLIC', 'false', ['true', 'false']) === 'true',
    dataDir: env['DATA_DIR'] ?? '.data',
    roles: roles(env),
    processes: optional(env, 'PROCESSES') && integer(env, 'PROCESSES', 1, 1, SETTINGS_LIMITS.processesMost),
    group: processGroup(env),
    partitions: optional(env, 'PARTITIONS') && integer(env, 'PARTITIONS', 2, 1, SETTINGS_LIMITS.partitionsMost),
    logLevel: oneOf(env, 'LOG_LEVEL', 'info', ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
    natsUrl: env['NATS_URL'],
    natsAccess: natsAccess(env),
    secrets: secrets(env),
    natsReplicas: optional(env, 'NATS_REPLICAS') && Number(oneOf(env, 'NATS_REPLICAS', '1', REPLICAS)),
    clickhouse: {
      url: env['CLICKHOUSE_URL'],
      user: env['CLICKHOUSE_USER'] ?? 'default',
      password: secretSetting(env, 'CLICKHOUSE_PASSWORD') ?? '',
      database: env['CLICKHOUSE_DATABASE'] ?? 'default',
      ...clickhouseTls(env),
    },
    clickhouseReader: reader(env['CLICKHOUSE_READER_USER'], secretSetting(env, 'CLICKHOUSE_READER_PASSWORD')),
    openId: openId(env),
    embeddedNatsPort: integer(env, 'EMBEDDED_NATS_PORT', 4222, 1, 65_535),
    embeddedClickhousePort: integer(env, 'EMBEDDED_CLICKHOUSE_PORT', 8123, 0, 65_535),
    embeddedClickhouseConfined: oneOf(env, 'EMBEDDED_CLICKHOUSE_CONFINEMENT', 'on', ['on', 'off']) === 'on',
    embeddedClickhouseHosts: hostNames(env, 'EMBEDDED_CLICKHOUSE_HOSTS'),
    embeddedClickhouseOpen: oneOf(env, 'EMBEDDED_CLICKHOUSE_READERS', 'all', ['all', 'tokens']) === 'all',
    factsMaxBytes:
      optional(env, 'FACTS_MAX_BYTES') &&
      integer(env, 'FACTS_MAX_BYTES', 0, SETTINGS_LIMITS.factsSmallestBytes, Number.MAX_SAFE_INTEGER),
    sessionTtlSeconds: integer(env, 'SESSION_TTL_SECONDS', 1800, 1, 7 * 86_400),
    sseHeartbeatSeconds: integer(env, 'SSE_HEARTBEAT_SECONDS', 30, 1, 3600),
    webhookRetryDelaysSeconds: numbers(env, 'WEBHOOK_RETRY_DELAYS_SECONDS', [60, 300, 1800, 7200]),
    webhookTimeoutSeconds: integer(env, 'WEBHOOK_TIMEOUT_SECONDS', 30, 1, 300),
    webhookAllowPrivateHosts: list(env['WEBHOOK_ALLOW_PRIVATE_HOSTS']),
    guardrailSeconds: integer(env, 'GUARDRAIL_SECONDS', SETTINGS_LIMITS.guardrailSeconds, 1, 3600),
    corsOrigins: env['CORS_ORIGINS'] === undefined ? ['*'] : list(env['CORS_ORIGINS']),
    trustedProxies: proxies(env['TRUSTED_PROXIES']),
    modelPath: modelPath(env['MODEL_PATH']),
    supervised: env['SUPERVISED'] === '1',
  };
}

function proxies(text: string | undefined): string[] {
  const parts = list(text);
  try {
    parseProxies(parts);
  } catch (error) {
    throw new ConfigError(`TRUSTED_PROXIES: ${error instanceof Error ? error.message : String(error)}`);
  }
  return parts;
}

/** The address of the log, and the shape of streams that do not exist yet. */
export function logAddress(config: Config): { url: string; access: BrokerAccess } & StreamShape {
  const url = config.natsUrl ?? `nats://127.0.0.1:${config.embeddedNatsPort}`;
  const { natsAccess: access, natsReplicas: replicas = 1, factsMaxBytes = STREAMS.FACTS.maxBytes } = config;
  return { url, access, replicas, factsMaxBytes };
}

/** The address of ClickHouse, with the account of the service. */
export function clickhouseAddress(config: Config): ClickhouseAddress {
  return { ...config.clickhouse, url: config.clickhouse.url ?? `http://127.0.0.1:${config.embeddedClickhousePort}` };
}

/** The same with the account of statements of the console; undefined: there is none. */
export function readerAddress(config: Config): ClickhouseAddress | undefined {
  return config.clickhouseReader && { ...clickhouseAddress(config), ...config.clickhouseReader };
}

/** The settings with secrets; each may be in a file instead, whose path is in the setting with `_FILE` at its end. */
export const SECRET_SETTINGS = [
  'NATS_TOKEN',
  'NATS_PASSWORD',
  'CLICKHOUSE_PASSWORD',
  'CLICKHOUSE_READER_PASSWORD',
  'OIDC_CLIENT_SECRET',
] as const;

/** A secret, or the content of its file without the line break at its end. Throws for both, and for a missing file. */
function secretSetting(env: Env, name: (typeof SECRET_SETTINGS)[number]): string | undefined {
  const [value, path] = [env[name], env[`${name}_FILE`]].map((text) => (text === '' ? undefined : text));
  if (path === undefined) return value;
  if (value !== undefined) throw new ConfigError(`${name} and ${name}_FILE are both set. Set only one of them.`);
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? String(error.code) : 'an error';
    throw new ConfigError(`${name}_FILE is "${path}", which cannot be read (${why}). Mount the file, or set ${name}.`);
  }
}

/** Two settings that belong together; undefined if neither is set. Throws for half of a pair. */
function pairOf(
  first: readonly [name: string, value: string | undefined],
  second: readonly [name: string, value: string | undefined],
): [string, string] | undefined {
  if (first[1] !== undefined && second[1] !== undefined) return [first[1], second[1]];
  if (first[1] === undefined && second[1] === undefined) return undefined;
  throw new ConfigError(`Set ${first[0]} and ${second[0]} together.`);
}

function clickhouseTls(env: Env): { tls?: ClickhouseTls } {
  const given = (name: string): [string, string | undefined] => [name, env[name] === '' ? undefined : env[name]];
  const [, caFile] = given('CLICKHOUSE_TLS_CA');
  const pair = pairOf(given('CLICKHOUSE_TLS_CERT'), given('CLICKHOUSE_TLS_KEY'));
  if (pair !== undefined && caFile === undefined) {
    throw new ConfigError('CLICKHOUSE_TLS_CERT needs CLICKHOUSE_TLS_CA, the CA of the server.');
  }
  if (caFile === undefined) return {};
  return { tls: { caFile, ...(pair === undefined ? {} : { certFile: pair[0], keyFile: pair[1] }) } };
}

function reader(user: string | undefined, password = ''): Config['clickhouseReader'] {
  return user === undefined ? undefined : { user, password };
}

function openId(env: Env): Config['openId'] {
  const given = (name: string): string | undefined => (env[name] === '' ? undefined : env[name]);
  const [issuer, clientId] = [given('OIDC_ISSUER'), given('OIDC_CLIENT_ID')];
  const clientSecret = secretSetting(env, 'OIDC_CLIENT_SECRET');
  if (issuer === undefined && clientId === undefined) return undefined;
  if (issuer === undefined || clientId === undefined) {
    throw new ConfigError('OIDC_ISSUER and OIDC_CLIENT_ID belong together. Set both of them.');
  }
  const url = URL.parse(issuer);
  const isLocal = url?.protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  if (url?.protocol !== 'https:' && !isLocal) {
    throw new ConfigError(`OIDC_ISSUER is "${issuer}". It must be an https URL, or http on this machine.`);
  }
  return { issuer, clientId, clientSecret };
}

function secrets(env: Env): SecretsConfig {
  const given = (name: string): string | undefined => (env[name] === '' ? undefined : env[name]);
  const [key, file] = [given('SECRETS_KEY'), given('SECRETS_KEY_FILE')];
  if (key !== undefined && file !== undefined) {
    throw new ConfigError('SECRETS_KEY and SECRETS_KEY_FILE are both set. Set only one of them.');
  }
  return { key, file, previous: list(env['SECRETS_KEY_PREVIOUS']), replaces: given('SECRETS_KEY_REPLACES') };
}

/** Throws for more than one kind of credentials, and for half of a pair. */
function natsAccess(env: Env): BrokerAccess {
  const given = (name: string): string | undefined => (env[name] === '' ? undefined : env[name]);
  const url = parseBrokerUrl(given('NATS_URL') ?? 'nats://127.0.0.1');
  if (typeof url === 'string') throw new ConfigError(url);
  const [token, file] = [secretSetting(env, 'NATS_TOKEN'), given('NATS_CREDS_FILE')];
  const password = secretSetting(env, 'NATS_PASSWORD') || undefined;
  const pair = pairOf(['NATS_USER', given('NATS_USER')], ['NATS_PASSWORD', password]);
  const logins: BrokerLogin[] = [
    ...(token === undefined ? [] : [{ kind: 'token', token } as const]),
    ...(file === undefined ? [] : [{ kind: 'creds', file } as const]),
    ...(pair === undefined ? [] : [{ kind: 'password', user: pair[0], password: pair[1] } as const]),
  ];
  if (logins.length + (url.access.login === undefined ? 0 : 1) > 1) {
    throw new ConfigError(
      'NATS credentials are set more than once. Set only one of NATS_URL (with credentials), NATS_TOKEN, ' +
        'NATS_USER and NATS_PASSWORD, NATS_CREDS_FILE.',
    );
  }
  const caFile = given('NATS_TLS_CA');
  const certificate = pairOf(['NATS_TLS_CERT', given('NATS_TLS_CERT')], ['NATS_TLS_KEY', given('NATS_TLS_KEY')]);
  const tls = {
    ...(caFile === undefined ? {} : { caFile }),
    ...(certificate === undefined ? {} : { certFile: certificate[0], keyFile: certificate[1] }),
  };
  return {
    ...(logins[0] === undefined ? {} : { login: logins[0] }),
    ...(Object.keys(tls).length === 0 ? {} : { tls }),
  };
}

/** MODEL_PATH may be the folder or the artifact in it. */
function modelPath(text: string | undefined): string {
  if (text === undefined || text === '') return SHIPPED_MODEL;
  return text.endsWith('.onnx') ? dirname(text) : text;
}

function integer(env: Env, name: string, fallback: number, min: number, max: number): number {
  const text = env[name];
  if (text === undefined || text === '') return fallback;
  const value = Number(text);
  if (!Number.isInteger(value) || value < min || value > max) {
    throw new ConfigError(`${name} is "${text}"; it must be a whole number from ${min} to ${max}.`);
  }
  return value;
}

function oneOf(env: Env, name: string, fallback: string, values: readonly string[]): string {
  const text = env[name] ?? fallback;
  if (!values.includes(text)) throw new ConfigError(`${name} is "${text}"; it must be one of ${values.join(', ')}.`);
  return text;
}

/** `true` if the setting has a value, else `undefined`. */
const optional = (env: Env, name: string): true | undefined => (env[name] ?? '') !== '' || undefined;

function list(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function hostNames(env: Env, name: string): string[] {
  const names = list(env[name]).map((host) => host.toLowerCase());
  const wrong = names.find((host) => !/^[a-z0-9.-]{1,253}$/.test(host));
  if (wrong !== undefined) throw new ConfigError(`${name} contains "${wrong}"; list host names without ports.`);
  return names;
}

function numbers(env: Env, name: string, fallback: readonly number[]): readonly number[] {
  const text = env[name];
  if (text === undefined || text === '') return fallback;
  const values = list(text).map(Number);
  if (values.length === 0 || values.some((value) => !Number.isFinite(value) || value < 0)) {
    throw new ConfigError(`${name} is "${text}"; it must be a comma-separated list of seconds.`);
  }
  return values;
}

/** PROCESS_OF_GROUP is "2/5" in the second of five processes. */
function processGroup(env: Env): ProcessGroup | undefined {
  const [number = Number.NaN, count = Number.NaN] = (env['PROCESS_OF_GROUP'] ?? '').split('/').map(Number);
  return count > 1 ? { number, count, dataDir: env['GROUP_DATA_DIR'] ?? '.data' } : undefined;
}

function roles(env: Env): readonly Role[] {
  const names = list(env['ROLES']);
  if (names.length === 0) return ROLES;
  return names.map((name) => {
    const role = ROLES.find((known) => known === name);
    if (role === undefined) throw new ConfigError(`ROLES contains "${name}"; the roles are ${ROLES.join(', ')}.`);
    return role;
  });
}
