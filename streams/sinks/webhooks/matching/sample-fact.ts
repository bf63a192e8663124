import type { Fact } from '../../../../actors/vocabulary/facts.ts';
import type { Environment } from '../../../../actors/vocabulary/scope.ts';
import { isNamed, SAMPLE_EVENT, sampleEvent, sampleOf } from './occurrences.ts';

/** A player that does not exist. */
const PLAYER = { entityId: '00000000-0000-4000-8000-000000000000', externalId: 'sample-player' };

/**
 * A fact that never happened, of the first kind that a webhook asks for, so that a test delivery has the shape of real
 * ones.
 * @param events patterns as in the webhook's definition
 * @param at epoch milliseconds
 */
export function sampleFact(events: readonly string[], game: string, environment: Environment, at: number): Fact {
  const kind = firstKind(events[0] ?? '*');
  const base = { game, environment, ...PLAYER, at };
  return isNamed(kind) ? sampleOf(kind, base) : sampleEvent(base, kind.slice(EVENT.length));
}

const EVENT = 'event.';

/** A wildcard stands for a kind under it, and a bare name for the event of that name. */
function firstKind(pattern: string): string {
  if (pattern === '*' || pattern === 'event.*') return `${EVENT}${SAMPLE_EVENT}`;
  if (pattern === 'player.*') return 'player.created';
  return pattern.startsWith(EVENT) || isNamed(pattern) ? pattern : `${EVENT}${pattern}`;
}
