import type { AddressInfo } from 'node:net';
import { ConfigError, readConfig } from '../../settings/config.ts';
import { systemClock, within } from '../../../core/kernel/clock.ts';
import { systemIds } from '../../../core/kernel/ids.ts';
import { ENGINE_LIMITS } from './limits.ts';
import { createLogger } from '../../../core/kernel/logger.ts';
import { canHaveGameReaders } from './engine/engine-config.ts';
import { isConfined } from './engine/confinement.ts';
import { openEngine, type Engine } from './engine/engine.ts';
import { gameReaders } from './game-readers.ts';
import { createHttpServer, serviceStatements } from './http-server.ts';
import { SERVICE_USER, servicePassword } from './service-password.ts';

/**
 * The embedded ClickHouse: one process with ClickHouse's HTTP interface on 127.0.0.1 and data below
 * `$DATA_DIR/clickhouse`.
 *
 * Environment: EMBEDDED_CLICKHOUSE_PORT (0: any port, see the log line `listening`), DATA_DIR, CLICKHOUSE_DATABASE,
 * LOG_LEVEL, PROCESSES (of the service). CLICKHOUSE_USER and CLICKHOUSE_PASSWORD are the account that may write.
 * Without a password it is `service` with the password in `$DATA_DIR/clickhouse-service-password`; the supervisor uses
 * this file so that no environment contains the password. All other users of this machine are `default`, without a
 * password, and may only read. With SUPERVISED=1 the process ends when its standard input ends. `engineCommand` starts
 * it so that it can open its own files only.
 */
async function main(): Promise<void> {
  const config = readConfig();
  const { processes = 1 } = config;
  // libuv reads this when its thread pool gets its first work, after this line.
  const moreStatements = serviceStatements(processes) - serviceStatements(1);
  process.env['UV_THREADPOOL_SIZE'] ??= String(ENGINE_LIMITS.clickhousePoolThreads + moreStatements);
  const logger = createLogger(config.logLevel, 'embedded-clickhouse');
  const { user, password, database } = config.clickhouse;
  const account =
    password === ''
      ? { user: SERVICE_USER, password: servicePassword(config.dataDir) }
      : { user: user === 'default' ? SERVICE_USER : user, password };

  const opened: { engine?: Engine } = {};
  const server = createHttpServer({
    engine: () => opened.engine,
    database,
    processes,
    account,
    readers: {
      open: config.embeddedClickhouseOpen,
      ofGames: () => (canHaveGameReaders(database) ? gameReaders(config.dataDir) : []),
    },
    hosts: new Set(config.embeddedClickhouseHosts),
    clock: systemClock,
    ids: systemIds,
    logger,
  });

  let stopping = false;
  const stop = async (reason: string) => {
    if (stopping) return;
    stopping = true;
    logger.info({ reason }, 'stopping');
    const closed = new Promise<boolean>((resolve) => server.close(() => resolve(true)));
    server.closeIdleConnections();
    opened.engine?.cancelReads();
    if (await within(systemClock, ENGINE_LIMITS.clickhouseStopMs, closed)) process.exit(0);
    // A normal exit would wait for these statements. Inserted data is on disk, so they can be interrupted.
    logger.warn('interrupted statements that were still running');
    process.kill(process.pid, 'SIGKILL');
  };
  process.on('SIGTERM', () => void stop('SIGTERM'));
  process.on('SIGINT', () => void stop('SIGINT'));
  // A normal exit waits for the engine, which may never end. The supervisor starts the process again.
  process.on('uncaughtException', (error) => {
    process.stderr.write(`${error.stack ?? error.message}\n`);
    process.kill(process.pid, 'SIGKILL');
  });
  if (config.supervised) {
    process.stdin.on('end', () => void stop('the supervisor died'));
    process.stdin.on('error', () => void stop('the supervisor died'));
    process.stdin.resume();
  }

  // Listens first: a second process with the same port fails here with a clear message, before it opens the data.
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(config.embeddedClickhousePort, '127.0.0.1', resolve);
  });
  const startedMs = systemClock.monotonicMs();
  const engine = await openEngine({ dataDir: config.dataDir, database });
  opened.engine = engine;
  const address: AddressInfo | string | null = server.address();
  logger.info(
    {
      port: typeof address === 'object' ? address?.port : address,
      version: engine.version,
      confined: isConfined(),
      openedMs: Math.round(systemClock.monotonicMs() - startedMs),
    },
    'listening',
  );
}

// Its files are private to its user, whatever the caller's umask is.
process.umask(0o077);
try {
  await main();
} catch (error) {
  const why = explain(error);
  createLogger('info', 'embedded-clickhouse').fatal(why === undefined ? { err: error } : {}, why ?? 'could not start');
  process.exit(1);
}

/** A message for failures that the operator can fix. */
function explain(error: unknown): string | undefined {
  if (error instanceof ConfigError) return error.message;
  if (!(error instanceof Error)) return undefined;
  if ('code' in error && error.code === 'EADDRINUSE')
    return 'Another process uses EMBEDDED_CLICKHOUSE_PORT. Set another port.';
  if (error.message.startsWith('Failed to create connection')) {
    return 'Could not open the data in DATA_DIR/clickhouse. Another process probably has it open (see above).';
  }
  return undefined;
}
