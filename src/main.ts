import { createLogger, type Logger } from '../core/kernel/logger.ts';
import { keepFilesPrivate } from './local/data-dir.ts';
import { serviceName } from './local/own-ports.ts';
import { startActorsPart } from './parts/actors-part.ts';
import { openBase } from './parts/base.ts';
import { startHttpPart } from './parts/http-part.ts';
import { startSinksPart } from './parts/sinks-part.ts';
import { type Part, stopOnSignal } from './process/stop-on-signal.ts';
import { CONFIG_ERROR_EXIT, ConfigError, readConfig, type Config } from './settings/config.ts';

/**
 * One process of the service: connects to the log, starts its roles and serves HTTP. On SIGTERM it stops in order:
 * HTTP, sinks, owners, log. `src/parts` connects what they consist of.
 */
async function main(config: Config, logger: Logger): Promise<void> {
  const base = await openBase(config, logger);
  const parts: Part[] = [{ name: 'beat', stop: () => base.beat.stop() }];
  if (base.has('actors')) parts.push(await startActorsPart(base));
  if (base.has('sinks')) parts.push(startSinksPart(base));
  parts.push(await startHttpPart(base));
  stopOnSignal({ parts, close: () => base.close(), supervised: config.supervised, clock: base.clock, logger });
}

let logger: Logger | undefined;
keepFilesPrivate();
try {
  const config = readConfig();
  logger = createLogger(config.logLevel, serviceName(config.group?.number ?? 1));
  await main(config, logger);
} catch (error) {
  if (error instanceof ConfigError) process.stderr.write(`${error.message}\n`);
  else if (logger !== undefined) logger.error({ err: error }, 'could not start the service');
  else process.stderr.write(`${String(error)}\n`);
  process.exit(error instanceof ConfigError ? CONFIG_ERROR_EXIT : 1);
}
