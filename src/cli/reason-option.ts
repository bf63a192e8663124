import { InvalidArgumentError, Option } from 'commander';
import { API_LIMITS } from '../api/limits.ts';

/** Why a command makes its change, for the audit and the history. */
export const reasonOption = (): Option =>
  new Option('--reason <text>', 'why, for the audit and the history').default('').argParser(parseReason);

function parseReason(text: string): string {
  const reason = text.trim();
  if (reason.length <= API_LIMITS.changeReasonLength) return reason;
  throw new InvalidArgumentError(`Write at most ${API_LIMITS.changeReasonLength} characters.`);
}
