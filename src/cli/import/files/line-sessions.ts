import { TEXT_LIMITS } from '../../../../core/kernel/text/limits.ts';
import type { ImportedSession } from '../../../../core/vocabulary/commands/import.ts';
import { PLAYER_API_LIMITS } from '../../../api/players/limits.ts';
import { type DeviceFields, deviceOf } from './device-fields.ts';
import { type Fields, LineFault, requiredId } from './line-fields.ts';

/** A session whose line says its length, in the field `length`. */
export function sessionOf(fields: Fields, length: string, device: DeviceFields): ImportedSession {
  const sent = fields[length];
  // Whole: the rows hold no fractions, and totals of a player must equal the sum of them.
  const isNumber = typeof sent === 'number' || (typeof sent === 'string' && /^[\d.]{1,10}$/.test(sent));
  const durationSeconds = isNumber ? Math.round(Number(sent)) : Number.NaN;
  if (!(durationSeconds >= 0 && durationSeconds <= PLAYER_API_LIMITS.recordedSessionSeconds)) {
    throw new LineFault(`\`${length}\` must be from 0 to ${PLAYER_API_LIMITS.recordedSessionSeconds} seconds.`);
  }
  return {
    sessionId: requiredId(fields, 'session_id', TEXT_LIMITS.callerIdLength),
    durationSeconds,
    ...deviceOf(fields, device).playedWith,
  };
}
