import type { AddressInfo } from 'node:net';
import { ConfigError, readConfig } from '../../src/config.ts';
import { systemClock, within } from '../../src/kernel/clock.ts';
import { systemIds } from '../../src/kernel/ids.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import { createLogger } from '../../src/kernel/logger.ts';
import { openEngine, type Engine } from './engine.ts';
import { createHttpServer } from './http-server.ts';
import { SERVICE_USER, servicePassword } from './service-password.ts';

/**
 * The embedded ClickHouse: one process, ClickHouse's HTTP interface on 127.0.0.1, data below `$DATA_DIR/clickhouse`.
 *
 * Environment: EMBEDDED_CLICKHOUSE_PORT (0: any, see the log line `listening`), DATA_DIR, CLICKHOUSE_DATABASE,
 * LOG_LEVEL. CLICKHOUSE_USER and CLICKHOUSE_PASSWORD name the one account that may write; without a password it is
 * `service` with the password in `$DATA_DIR/clickhouse-service-password`. Everybody else on this machine is `default`:
 * no password, reads only. The supervisor hands the password over in that file, so that it stands in no environment.
 * With SUPERVISED=1 the process ends when its standard input does.
 */
async function main(): Promise<void> {
  const config = readConfig();
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
    account,
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
    if (await within(systemClock, LIMITS.clickhouseStopMs, closed)) process.exit(0);
    // A normal exit waits for statements that do not end; what was inserted is on disk, and the rest can be cut off.
    logger.warn('statements are still running; they are cut off');
    process.kill(process.pid, 'SIGKILL');
  };
  process.on('SIGTERM', () => void stop('SIGTERM'));
  process.on('SIGINT', () => void stop('SIGINT'));
  if (config.supervised) {
    process.stdin.on('end', () => void stop('the supervisor has gone'));
    process.stdin.on('error', () => void stop('the supervisor has gone'));
    process.stdin.resume();
  }

  // The port first: a second process for the same port stops here, with a clear message, before it touches the data.
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
      openedMs: Math.round(systemClock.monotonicMs() - startedMs),
    },
    'listening',
  );
}

// What it creates is private to its user, whatever umask the caller had.
process.umask(0o077);
// libuv reads this when the first piece of work reaches its pool, which is after this line.
process.env['UV_THREADPOOL_SIZE'] ??= String(LIMITS.clickhousePoolThreads);
try {
  await main();
} catch (error) {
  const why = explain(error);
  createLogger('info', 'embedded-clickhouse').fatal(why === undefined ? { err: error } : {}, why ?? 'could not start');
  process.exit(1);
}

/** What an operator can act on, for the failures that are theirs. */
function explain(error: unknown): string | undefined {
  if (error instanceof ConfigError) return error.message;
  if (!(error instanceof Error)) return undefined;
  if ('code' in error && error.code === 'EADDRINUSE') return 'EMBEDDED_CLICKHOUSE_PORT is in use by another process';
  if (error.message.startsWith('Failed to create connection')) {
    return 'the data in DATA_DIR/clickhouse cannot be opened: most likely another process has it open (see above)';
  }
  return undefined;
}
