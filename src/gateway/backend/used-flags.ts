import type { UseTimes } from '../../../streams/use-times.ts';
import type { Backend } from '../../api/route/backend.ts';

/** A backend that notes which flags its requests evaluate: evaluations, OFREP, and the flags of sessions. */
export function notingFlags(backend: Backend, use: Pick<UseTimes, 'note'>): Backend {
  return {
    send(origin, entityId, body) {
      if (body.kind === 'InitSession') use.note(origin, body.flagKeys ?? 'all');
      return backend.send(origin, entityId, body);
    },
    query(origin, playerId, body) {
      if (body.kind === 'EvaluateFlags') use.note(origin, body.flagKeys);
      return backend.query(origin, playerId, body);
    },
    partitionOf: (entityId) => backend.partitionOf(entityId),
  };
}
