import { pino, type DestinationStream, type Logger as PinoLogger } from 'pino';
import { SHARED_LIMITS } from './limits.ts';

/** The structured log. ERROR means that an operator must act. */
export type Logger = Pick<PinoLogger, 'error' | 'warn' | 'info' | 'debug' | 'child'>;

/**
 * A pino logger to standard output. A line that cannot be written, as on a full disk, is tried again with the next one;
 * beyond `logWaitingBytes` lines are lost. Keys, secrets and e-mails are never logged; redaction is a safety
 * net.
 */
export function createLogger(level: string, name: string): PinoLogger {
  const options = {
    name,
    level,
    redact: {
      paths: [
        'secret',
        '*.secret',
        'email',
        '*.email',
        'headers["x-api-key"]',
        '*.headers["x-api-key"]',
        'authorization',
      ],
      censor: '[redacted]',
    },
  };
  return pino(options, standardOutput());
}

function standardOutput(): DestinationStream {
  const output = pino.destination({ fd: 1, maxLength: SHARED_LIMITS.logWaitingBytes });
  let failed = false;
  // Without a listener a failed write ends the process.
  output.on('error', () => (failed = true));
  output.on('write', () => (failed = false));
  // At the exit, the library would repeat a write that fails until it succeeds.
  const flushSync = output.flushSync.bind(output);
  output.flushSync = () => {
    if (!failed) flushSync();
  };
  return output;
}
