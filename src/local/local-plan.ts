import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { engineCommand } from './clickhouse/engine/engine-command.ts';
import { READER_USER, readerPassword, SERVICE_USER, writeServicePassword } from './clickhouse/service-password.ts';
import { migrate } from '../../clickhouse-schema/migrations/migrate.ts';
import type { Config } from '../settings/config.ts';
import type { Ids } from '../../core/kernel/ids.ts';
import { answersOk, isSilent } from './answers-ok.ts';
import type { ChildSpec } from './processes/launch-child.ts';
import { firstFactsBytes } from './nats/first-log-size.ts';
import { freePort } from './free-port.ts';
import { ensureLocalKey } from '../settings/secrets-key.ts';
import { natsAnswers, natsArguments, writeNatsConfig } from './nats/nats-process.ts';
import { findNatsServer } from './nats/nats-server.ts';
import type { PortClaim } from './ports.ts';
import { processCount } from './processes/process-count.ts';
import type { Endpoints } from './processes/run-files.ts';
import { serviceProcesses, thisMachine } from './processes/service-processes.ts';
import type { Plan } from './processes/supervisor.ts';

const LOCAL = '127.0.0.1';
/** The variables that the engine's process inherits. NODE_OPTIONS could name a file that it may not open. */
const CLICKHOUSE_ENVIRONMENT =
  'PATH TMPDIR TZ LANG LC_ALL LD_LIBRARY_PATH LOG_LEVEL EMBEDDED_CLICKHOUSE_HOSTS EMBEDDED_CLICKHOUSE_READERS'.split(
    ' ',
  );
/** Credentials of a broker other than the local one. */
const NATS_LOGIN = [
  'NATS_TOKEN',
  'NATS_TOKEN_FILE',
  'NATS_USER',
  'NATS_PASSWORD',
  'NATS_PASSWORD_FILE',
  'NATS_CREDS_FILE',
  'NATS_TLS_CA',
  'NATS_TLS_CERT',
  'NATS_TLS_KEY',
] as const;
const SECRET_KEYS = ['SECRETS_KEY', 'SECRETS_KEY_PREVIOUS'] as const;

export interface LocalPlanOptions {
  config: Config;
  /** The environment the children inherit. */
  env: Readonly<Record<string, string | undefined>>;
  /** The folder's real path. */
  dataDir: string;
  ids: Ids;
  report: (line: string) => void;
  /** Plans one process of the service whatever the settings are. */
  onlyOne?: boolean;
}

/**
 * Plans the service with a local broker and a local ClickHouse, each unless the configuration names another.
 * @returns an error message if nats-server is not available
 */
export async function localPlan(options: LocalPlanOptions): Promise<Plan | string> {
  const { config, dataDir } = options;
  const count = options.onlyOne === true ? 1 : processCount(config, thisMachine());
  if (count > 1) options.report(`${count} processes of the service`);
  const ports: PortClaim[] = [];
  const dependencies: ChildSpec[] = [];

  const nats = await localNats(options);
  if (typeof nats === 'string') return nats;
  if (nats.child !== undefined) {
    dependencies.push(nats.child);
    ports.push({ host: LOCAL, port: config.embeddedNatsPort, variable: 'EMBEDDED_NATS_PORT' });
  }

  let readerEnv = {};
  let clickhouse: Endpoints['clickhouse'] = { ...config.clickhouse, url: config.clickhouse.url ?? '' };
  if (clickhouse.url === '') {
    ports.push({ host: LOCAL, port: config.embeddedClickhousePort, variable: 'EMBEDDED_CLICKHOUSE_PORT' });
    clickhouse = {
      url: `http://${LOCAL}:${config.embeddedClickhousePort}`,
      user: SERVICE_USER,
      password: Buffer.from(options.ids.bytes(24)).toString('base64url'),
      database: config.clickhouse.database,
    };
    writeServicePassword(dataDir, clickhouse.password);
    // Every local program may read the embedded ClickHouse as this user without a password, unless all need a token.
    readerEnv = {
      CLICKHOUSE_READER_USER: READER_USER,
      CLICKHOUSE_READER_PASSWORD: config.embeddedClickhouseOpen ? '' : readerPassword(clickhouse.password),
      CLICKHOUSE_READER_PASSWORD_FILE: undefined,
    };
    dependencies.push(clickhouseSpec(options, clickhouse, count));
  }

  const port = config.port === 0 ? await freePort() : config.port;
  ports.push({ host: config.host, port, variable: 'PORT', shared: count > 1 });
  if (config.metricsPort !== undefined && config.metricsPort !== 0) {
    ports.push({ host: config.host, port: config.metricsPort, variable: 'METRICS_PORT', shared: count > 1 });
  }
  const baseUrl = `http://${reachable(config.host)}:${port}`;
  const serviceEnv = {
    ...options.env,
    DATA_DIR: dataDir,
    PORT: String(port),
    SUPERVISED: '1',
    ...nats.env,
    NATS_URL: nats.url,
    CLICKHOUSE_URL: clickhouse.url,
    CLICKHOUSE_USER: clickhouse.user,
    CLICKHOUSE_PASSWORD: clickhouse.password,
    CLICKHOUSE_PASSWORD_FILE: undefined,
    CLICKHOUSE_DATABASE: clickhouse.database,
    ...readerEnv,
  };
  return {
    ports,
    dependencies,
    async prepare() {
      const applied = await migrate(clickhouse);
      if (applied.length > 0) options.report(`applied ${applied.length} tables and views of ClickHouse`);
    },
    ...serviceProcesses({ config, count, dataDir, env: serviceEnv, baseUrl, ids: options.ids }),
    endpoints: { base_url: baseUrl, nats_url: nats.url, clickhouse },
  };
}

interface LocalNats {
  url: string;
  /** The broker; none if the configuration names another. */
  child?: ChildSpec;
  /** What the service needs besides its address. */
  env: ChildSpec['env'];
}

/** @returns an error message if nats-server is not available */
async function localNats(options: LocalPlanOptions): Promise<LocalNats | string> {
  const { config, dataDir, ids } = options;
  if (config.natsUrl !== undefined && config.natsUrl !== '') return { url: config.natsUrl, env: {} };
  const factsBytes = config.factsMaxBytes ?? firstFactsBytes(dataDir);
  const token = Buffer.from(ids.bytes(32)).toString('base64url');
  const child = await natsSpec(options, token);
  if (typeof child === 'string') return child;
  const { key, file } = config.secrets;
  return {
    url: `nats://${token}@${LOCAL}:${config.embeddedNatsPort}`,
    child,
    env: {
      ...(factsBytes === undefined ? {} : { FACTS_MAX_BYTES: String(factsBytes) }),
      ...unset(NATS_LOGIN),
      // Because NATS_URL is set, the service would not use the local key file by default.
      ...(key === undefined && file === undefined ? { SECRETS_KEY_FILE: ensureLocalKey(dataDir, ids) } : {}),
    },
  };
}

/** @param token the clients' token; it appears neither on the command line nor in the environment */
async function natsSpec(
  { config, env, dataDir, report }: LocalPlanOptions,
  token: string,
): Promise<ChildSpec | string> {
  const server = await findNatsServer({ env, report });
  if (server.kind === 'missing') return server.message;
  const port = config.embeddedNatsPort;
  report(`nats-server ${server.version} on port ${port}`);
  const storeDir = join(dataDir, 'nats');
  mkdirSync(storeDir, { recursive: true });
  return {
    name: 'nats',
    command: server.path,
    args: natsArguments({ port, storeDir, config: writeNatsConfig(dataDir, token) }),
    env: { ...env, ...unset([...NATS_LOGIN, ...SECRET_KEYS]) },
    logFile: join(dataDir, 'logs', 'nats.log'),
    isReady: () => natsAnswers(port),
  };
}

function clickhouseSpec(
  { config, env, dataDir, report }: LocalPlanOptions,
  to: Endpoints['clickhouse'],
  processes: number,
): ChildSpec {
  const port = config.embeddedClickhousePort;
  const { command, args, unconfined } = engineCommand({
    dataDir,
    port,
    confine: config.embeddedClickhouseConfined,
    libraries: env['LD_LIBRARY_PATH'],
  });
  report(`embedded ClickHouse on port ${port}`);
  if (unconfined !== undefined)
    report(`warning: the embedded ClickHouse can open other files: ${unconfined}. ${ADVICE}`);
  return {
    name: 'clickhouse',
    command,
    args,
    // No secrets in the engine's environment: a statement might read it through the engine.
    env: {
      ...Object.fromEntries(CLICKHOUSE_ENVIRONMENT.map((name) => [name, env[name]])),
      DATA_DIR: dataDir,
      EMBEDDED_CLICKHOUSE_PORT: String(port),
      CLICKHOUSE_DATABASE: to.database,
      PROCESSES: String(processes),
      SUPERVISED: '1',
    },
    logFile: join(dataDir, 'logs', 'clickhouse.log'),
    isReady: () => answersOk(`${to.url}/ping`),
    isSilent: (timeoutMs) => isSilent(`${to.url}/ping`, timeoutMs),
  };
}

const ADVICE = 'See "The embedded ClickHouse" in SECURITY.md.';

function unset(names: readonly string[]): ChildSpec['env'] {
  return Object.fromEntries(names.map((name) => [name, undefined]));
}

/** The host for clients on this machine; a server that listens on all addresses is reachable on 127.0.0.1. */
function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return LOCAL;
  return host.includes(':') ? `[${host}]` : host;
}
