import { pino } from 'pino';

/** A log that nobody reads. */
export const silentLogger = pino({ level: 'silent' });
