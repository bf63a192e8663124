import { pino, type Logger as PinoLogger } from 'pino';

/** The structured log. ERROR means that an operator must act. */
export type Logger = Pick<PinoLogger, 'error' | 'warn' | 'info' | 'debug' | 'child'>;

/** A pino logger to standard output. Keys, secrets and e-mails are never logged; redaction is a safety net. */
export function createLogger(level: string, name: string): PinoLogger {
  return pino({
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
  });
}
