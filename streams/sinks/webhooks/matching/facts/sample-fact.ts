import type { Fact } from '../../../../../core/vocabulary/facts/facts.ts';
import type { Environment } from '../../../../../core/vocabulary/documents/scope.ts';
import type { TestSample } from '../../../../webhook-operations.ts';
import { isNamed, SAMPLE_EVENT, sampleEvent, sampleOf } from '../../record/occurrences.ts';

/** A player that does not exist. */
const PLAYER = { entityId: '00000000-0000-4000-8000-000000000000', externalId: 'sample-player' };

/**
 * A fact that never happened, of the first kind that a webhook asks for, so that a test delivery has the shape of real
 * ones.
 * @param events patterns as in the webhook's definition
 * @param at epoch milliseconds
 * @param sample a kind to use instead, and the properties of its event
 */
export function sampleFact(
  events: readonly string[],
  game: string,
  environment: Environment,
  at: number,
  { kind: wanted, properties }: TestSample = {},
): Fact {
  const kind = firstKind(wanted ?? events[0] ?? '*');
  const base = { game, environment, ...PLAYER, at };
  if (isNamed(kind)) return sampleOf(kind, base);
  const event = sampleEvent(base, kind.slice(EVENT.length));
  return properties === undefined ? event : { ...event, properties };
}

const EVENT = 'event.';

/** A wildcard stands for a kind under it, and a bare name for the event of that name. */
function firstKind(pattern: string): string {
  if (pattern === '*' || pattern === 'event.*') return `${EVENT}${SAMPLE_EVENT}`;
  if (pattern === 'player.*') return 'player.created';
  return pattern.startsWith(EVENT) || isNamed(pattern) ? pattern : `${EVENT}${pattern}`;
}
