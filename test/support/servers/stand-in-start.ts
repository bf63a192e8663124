/**
 * The supervisor with a real nats-server and stand-ins for ClickHouse and the service, so that a test can observe how
 * it treats its children within a second. Uses the same variables as `npm start`.
 */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readConfig } from '../../../src/settings/config.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import { PROCESS_LIMITS } from '../../../src/process/limits.ts';
import type { ChildSpec } from '../../../src/local/processes/launch-child.ts';
import { natsAnswers, natsArguments } from '../../../src/local/nats/nats-process.ts';
import { findNatsServer } from '../../../src/local/nats/nats-server.ts';
import { runUntilStopped } from '../../../src/local/processes/run-until-stopped.ts';

const SERVER = fileURLToPath(new URL('./stand-in-server.ts', import.meta.url));
const config = readConfig();
const trace = process.env['TRACE'] ?? '/dev/null';

function standIn(name: ChildSpec['name'], port: number, extra: Record<string, string | undefined>): ChildSpec {
  return {
    name,
    command: process.execPath,
    args: [SERVER],
    env: { ...process.env, NAME: name, PORT: String(port), ...extra },
    isReady: () =>
      fetch(`http://127.0.0.1:${port}/`).then(
        () => true,
        () => false,
      ),
  };
}

process.exit(
  await runUntilStopped({
    dataDir: config.dataDir,
    clock: systemClock,
    serviceStopMs: Number(process.env['SERVICE_STOP_MS'] ?? PROCESS_LIMITS.shutdownMs),
    report: (line) => process.stdout.write(`${line}\n`),
    async plan(dataDir) {
      const nats = await findNatsServer();
      if (nats.kind === 'missing') return nats.message;
      return {
        ports: [
          { host: '127.0.0.1', port: config.embeddedNatsPort, variable: 'EMBEDDED_NATS_PORT' },
          { host: '127.0.0.1', port: config.embeddedClickhousePort, variable: 'EMBEDDED_CLICKHOUSE_PORT' },
          { host: '127.0.0.1', port: config.port, variable: 'PORT' },
        ],
        dependencies: [
          {
            name: 'nats',
            command: nats.path,
            args: natsArguments({ port: config.embeddedNatsPort, storeDir: join(dataDir, 'nats') }),
            env: process.env,
            logFile: join(dataDir, 'logs', 'nats.log'),
            isReady: () => natsAnswers(config.embeddedNatsPort),
          },
          standIn('clickhouse', config.embeddedClickhousePort, {}),
        ],
        prepare: async () => appendFileSync(trace, 'prepared\n'),
        services: [
          standIn('service', config.port, {
            EXIT_CODE: process.env['SERVICE_EXIT_CODE'],
            IGNORE_SIGTERM: process.env['SERVICE_IGNORES_SIGTERM'],
          }),
        ],
        endpoints: {
          base_url: `http://127.0.0.1:${config.port}`,
          nats_url: `nats://127.0.0.1:${config.embeddedNatsPort}`,
          clickhouse: {
            url: `http://127.0.0.1:${config.embeddedClickhousePort}`,
            user: 'service',
            password: 'p',
            database: 'default',
          },
        },
      };
    },
    onRunning(supervisor) {
      // What --watch does when a source file changes.
      process.on('SIGUSR2', () => supervisor.restartService());
      process.stdout.write('running\n');
      return () => {};
    },
  }),
);
