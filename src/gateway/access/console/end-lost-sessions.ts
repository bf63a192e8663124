import type { ConfigStore } from '../../../../streams/config/config-store.ts';
import type { Cancel, Clock } from '../../../../core/kernel/clock.ts';
import { GATEWAY_LIMITS } from '../../limits.ts';
import type { StreamRegistry } from '../../sse/stream-registry.ts';
import type { ConsoleSessions } from './console-session.ts';

/**
 * Ends the streams of people whose session has ended or whose role has changed: at once when the user's document
 * changes, and within `sessionLookMs` when the session expires, which changes no document.
 * @returns the function that stops it
 */
export function endLostSessions(deps: {
  config: Pick<ConfigStore, 'onChange'>;
  sessions: Pick<ConsoleSessions, 'holds'>;
  registries: readonly Pick<StreamRegistry, 'endWhere'>[];
  clock: Pick<Clock, 'timer'>;
}): Cancel {
  const { config, sessions, registries, clock } = deps;
  const endOf = (isAsked: (user: string) => boolean): void => {
    for (const streams of registries) {
      streams.endWhere((key) => key.user !== undefined && isAsked(key.id) && !sessions.holds(key));
    }
  };
  const stopWatching = config.onChange(({ address }) => {
    if (address.kind === 'user') endOf((user) => user === address.key);
  });
  let cancel = look();

  function look(): Cancel {
    return clock.timer(GATEWAY_LIMITS.sessionLookMs, () => {
      endOf(() => true);
      cancel = look();
    });
  }

  return () => {
    stopWatching();
    cancel();
  };
}
