import { InvalidArgumentError, Option } from 'commander';
import { DEFAULT_THRESHOLDS } from '../../actors/player/thresholds.ts';
import { CLI_LIMITS } from './limits.ts';
import { CliError } from './cli-error.ts';
import type { LifecycleThresholds } from '../../core/vocabulary/documents/game.ts';

/** The parsed options. */
export type LifecycleOptions = Partial<LifecycleThresholds>;

/** One option for each threshold. */
export function lifecycleOptions(): Option[] {
  const { newDays, atRiskDays, churnedDays, reactivatedSessions } = DEFAULT_THRESHOLDS;
  const option = (flags: string, description: string, usual: number): Option =>
    new Option(flags, `${description}; default ${usual}`).argParser(parseCount);
  return [
    option('--new-days <days>', 'days from the first activity for which a player counts as new', newDays),
    option('--at-risk-days <days>', 'days without activity after which a player is at risk', atRiskDays),
    option('--churned-days <days>', 'days without activity after which a player has churned', churnedDays),
    option('--reactivated-sessions <n>', 'sessions after which a reactivated player is active', reactivatedSessions),
  ];
}

/** The thresholds of a game after a change; `undefined`: no option was given. Throws for an impossible combination. */
export function thresholdsAfter(
  before: Partial<LifecycleThresholds> | undefined,
  options: LifecycleOptions,
): Partial<LifecycleThresholds> | undefined {
  const { newDays, atRiskDays, churnedDays, reactivatedSessions } = options;
  const named = Object.entries({ newDays, atRiskDays, churnedDays, reactivatedSessions }).filter(
    ([, value]) => value !== undefined,
  );
  if (named.length === 0) return undefined;
  const after: Partial<LifecycleThresholds> = { ...before, ...Object.fromEntries(named) };
  const whole = { ...DEFAULT_THRESHOLDS, ...after };
  if (whole.atRiskDays >= whole.churnedDays) {
    throw new CliError(`At-risk days (${whole.atRiskDays}) must be fewer than churned days (${whole.churnedDays}).`);
  }
  return after;
}

function parseCount(text: string): number {
  const count = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > CLI_LIMITS.lifecycleThreshold) {
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${CLI_LIMITS.lifecycleThreshold}.`);
  }
  return count;
}
