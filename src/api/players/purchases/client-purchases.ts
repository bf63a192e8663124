import { gameAddress } from '../../../../streams/config/games.ts';
import { PASSIVE_EVENTS, PURCHASE_EVENT } from '../../../../core/vocabulary/service-events.ts';
import { failure, type Failure } from '../../../../core/kernel/errors.ts';
import type { RequestContext } from '../../route/request-context.ts';

/** Refuses a purchase by a client key in a game whose setting `clientPurchases` is off. */
export function refusedPurchase({ key, services }: Pick<RequestContext, 'key' | 'services'>): Failure | undefined {
  if (key.kind === 'server') return undefined;
  if (services.config.get(gameAddress(key.game))?.document.clientPurchases !== false) return undefined;
  return failure(
    'FORBIDDEN',
    'This game accepts purchases from server keys (sk_) only; record the purchase from your server.',
  );
}

/** Refuses an event named like a recorded purchase, its correction or refund if the caller may not record purchases. */
export function refusedEvent(
  eventName: string,
  context: Pick<RequestContext, 'key' | 'services'>,
): Failure | undefined {
  return eventName === PURCHASE_EVENT || PASSIVE_EVENTS.includes(eventName) ? refusedPurchase(context) : undefined;
}
