import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseBrokerUrl, type BrokerAccess, type BrokerLogin } from '../streams/log/jetstream/access.ts';
import { parseProxies } from './gateway/caller-address.ts';

/** The only reader of `process.env`: every setting with its default and the clear error of a bad one. */

/** The package that is used when MODEL_PATH names no other. */
export const SHIPPED_MODEL = fileURLToPath(new URL('../models/first-user-conversion', import.meta.url));

export type Role = 'gateway' | 'actors' | 'sinks';
const ROLES: readonly Role[] = ['gateway', 'actors', 'sinks'];

export interface Config {
  host: string;
  port: number;
  /** Where `/metrics` is served when it is not on the main port. */
  metricsPort: number | undefined;
  /** Whether the main port serves `/metrics` to all callers instead of this machine only. */
  metricsPublic: boolean;
  dataDir: string;
  roles: readonly Role[];
  /** Requested at the first start of a deployment; afterwards it must match, or be left out. */
  partitions: number | undefined;
  logLevel: string;
  natsUrl: string | undefined;
  /** Credentials and TLS of the broker, apart from what NATS_URL holds. */
  natsAccess: BrokerAccess;
  natsReplicas: 1 | 3;
  secrets: SecretsConfig;
  clickhouse: { url: string | undefined; user: string; password: string; database: string };
  embeddedNatsPort: number;
  embeddedClickhousePort: number;
  factsMaxBytes: number;
  sessionTtlSeconds: number;
  sseHeartbeatSeconds: number;
  webhookRetryDelaysSeconds: readonly number[];
  webhookTimeoutSeconds: number;
  webhookAllowPrivateHosts: readonly string[];
  corsOrigins: readonly string[];
  /** Addresses and networks of proxies whose X-Forwarded-For counts. */
  trustedProxies: readonly string[];
  /** The folder of the scoring model's package, and of what may take its place. */
  modelPath: string;
  /** Whether `npm start` runs us: on one machine, for one developer, who wants the demo game. */
  supervised: boolean;
}

/** The keys that secrets are sealed with. Neither `key` nor `file`: the file below DATA_DIR, on one machine. */
export interface SecretsConfig {
  key: string | undefined;
  /** Also accepted, for secrets that were sealed with them. */
  previous: readonly string[];
  /** Holds a key a line; the first seals. */
  file: string | undefined;
  /** Id of a lost key. */
  replaces: string | undefined;
}

/** Thrown for a setting that cannot be used; the message names it and says what it takes. */
export class ConfigError extends Error {}

/** Exit code of a process that ended with a ConfigError (EX_CONFIG of sysexits.h): another start would end the same way. */
export const CONFIG_ERROR_EXIT = 78;

type Env = Readonly<Record<string, string | undefined>>;

/** Reads and checks every setting. */
export function readConfig(env: Env = process.env): Config {
  return {
    host: env['HOST'] ?? '127.0.0.1',
    port: integer(env, 'PORT', 8080, 0, 65_535),
    metricsPort: env['METRICS_PORT'] === undefined ? undefined : integer(env, 'METRICS_PORT', 0, 0, 65_535),
    metricsPublic: oneOf(env, 'METRICS_PUBLIC', 'false', ['true', 'false']) === 'true',
    dataDir: env['DATA_DIR'] ?? '.data',
    roles: roles(env),
    partitions: env['PARTITIONS'] === undefined ? undefined : integer(env, 'PARTITIONS', 2, 1, 256),
    logLevel: oneOf(env, 'LOG_LEVEL', 'info', ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
    natsUrl: env['NATS_URL'],
    natsAccess: natsAccess(env),
    secrets: secrets(env),
    natsReplicas: integer(env, 'NATS_REPLICAS', 1, 1, 3) === 3 ? 3 : 1,
    clickhouse: {
      url: env['CLICKHOUSE_URL'],
      user: env['CLICKHOUSE_USER'] ?? 'default',
      password: env['CLICKHOUSE_PASSWORD'] ?? '',
      database: env['CLICKHOUSE_DATABASE'] ?? 'default',
    },
    embeddedNatsPort: integer(env, 'EMBEDDED_NATS_PORT', 4222, 1, 65_535),
    embeddedClickhousePort: integer(env, 'EMBEDDED_CLICKHOUSE_PORT', 8123, 0, 65_535),
    factsMaxBytes: integer(env, 'FACTS_MAX_BYTES', 64 * 1024 ** 3, 1024 * 1024, Number.MAX_SAFE_INTEGER),
    sessionTtlSeconds: integer(env, 'SESSION_TTL_SECONDS', 1800, 1, 7 * 86_400),
    sseHeartbeatSeconds: integer(env, 'SSE_HEARTBEAT_SECONDS', 30, 1, 3600),
    webhookRetryDelaysSeconds: numbers(env, 'WEBHOOK_RETRY_DELAYS_SECONDS', [60, 300, 1800, 7200]),
    webhookTimeoutSeconds: integer(env, 'WEBHOOK_TIMEOUT_SECONDS', 30, 1, 300),
    webhookAllowPrivateHosts: list(env['WEBHOOK_ALLOW_PRIVATE_HOSTS']),
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

/** Where the log is, and how it is kept. */
export function logAddress(config: Config): {
  url: string;
  access: BrokerAccess;
  replicas: 1 | 3;
  factsMaxBytes: number;
} {
  const url = config.natsUrl ?? `nats://127.0.0.1:${config.embeddedNatsPort}`;
  return { url, access: config.natsAccess, replicas: config.natsReplicas, factsMaxBytes: config.factsMaxBytes };
}

/** Where ClickHouse is, with the account that may write. */
export function clickhouseAddress(config: Config): { url: string; user: string; password: string; database: string } {
  return { ...config.clickhouse, url: config.clickhouse.url ?? `http://127.0.0.1:${config.embeddedClickhousePort}` };
}

function secrets(env: Env): SecretsConfig {
  const given = (name: string): string | undefined => (env[name] === '' ? undefined : env[name]);
  const [key, file] = [given('SECRETS_KEY'), given('SECRETS_KEY_FILE')];
  if (key !== undefined && file !== undefined) {
    throw new ConfigError('SECRETS_KEY and SECRETS_KEY_FILE are both set; keep one of them');
  }
  return { key, file, previous: list(env['SECRETS_KEY_PREVIOUS']), replaces: given('SECRETS_KEY_REPLACES') };
}

/** Throws when there is more than one login, or half of a pair. */
function natsAccess(env: Env): BrokerAccess {
  const given = (name: string): string | undefined => (env[name] === '' ? undefined : env[name]);
  const both = (first: string, second: string): [string, string] | undefined => {
    const [one, other] = [given(first), given(second)];
    if (one !== undefined && other !== undefined) return [one, other];
    if (one !== undefined || other !== undefined) throw new ConfigError(`${first} and ${second} must be set together`);
    return undefined;
  };
  const url = parseBrokerUrl(given('NATS_URL') ?? 'nats://127.0.0.1');
  if (typeof url === 'string') throw new ConfigError(url);
  const [token, file, pair] = [given('NATS_TOKEN'), given('NATS_CREDS_FILE'), both('NATS_USER', 'NATS_PASSWORD')];
  const logins: BrokerLogin[] = [
    ...(token === undefined ? [] : [{ kind: 'token', token } as const]),
    ...(file === undefined ? [] : [{ kind: 'creds', file } as const]),
    ...(pair === undefined ? [] : [{ kind: 'password', user: pair[0], password: pair[1] } as const]),
  ];
  if (logins.length + (url.access.login === undefined ? 0 : 1) > 1) {
    throw new ConfigError(
      'Credentials of NATS are set in more than one way; keep one of NATS_URL, NATS_TOKEN, NATS_USER, NATS_CREDS_FILE.',
    );
  }
  const [caFile, certificate] = [given('NATS_TLS_CA'), both('NATS_TLS_CERT', 'NATS_TLS_KEY')];
  const tls = {
    ...(caFile === undefined ? {} : { caFile }),
    ...(certificate === undefined ? {} : { certFile: certificate[0], keyFile: certificate[1] }),
  };
  return {
    ...(logins[0] === undefined ? {} : { login: logins[0] }),
    ...(Object.keys(tls).length === 0 ? {} : { tls }),
  };
}

/** The folder; the artifact in it names it, too. */
function modelPath(text: string | undefined): string {
  if (text === undefined || text === '') return SHIPPED_MODEL;
  return text.endsWith('.onnx') ? dirname(text) : text;
}

function integer(env: Env, name: string, fallback: number, min: number, max: number): number {
  const text = env[name];
  if (text === undefined || text === '') return fallback;
  const value = Number(text);
  if (!Number.isInteger(value) || value < min || value > max) {
    throw new ConfigError(`${name} must be a whole number from ${min} to ${max}, not "${text}"`);
  }
  return value;
}

function oneOf(env: Env, name: string, fallback: string, values: readonly string[]): string {
  const text = env[name] ?? fallback;
  if (!values.includes(text)) throw new ConfigError(`${name} must be one of ${values.join(', ')}, not "${text}"`);
  return text;
}

function list(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function numbers(env: Env, name: string, fallback: readonly number[]): readonly number[] {
  const text = env[name];
  if (text === undefined || text === '') return fallback;
  const values = list(text).map(Number);
  if (values.length === 0 || values.some((value) => !Number.isFinite(value) || value < 0)) {
    throw new ConfigError(`${name} must be a comma-separated list of seconds, not "${text}"`);
  }
  return values;
}

function roles(env: Env): readonly Role[] {
  const names = list(env['ROLES']);
  if (names.length === 0) return ROLES;
  return names.map((name) => {
    const role = ROLES.find((known) => known === name);
    if (role === undefined) throw new ConfigError(`ROLES must name some of ${ROLES.join(', ')}, not "${name}"`);
    return role;
  });
}
