import { useQuery } from '@tanstack/react-query';
import { call } from '../frame/api.ts';
import { usePlace } from '../frame/session.tsx';

/** The API keys of the game and environment, which admins may read. */
export function useKeys() {
  const { scope, isAdmin } = usePlace();
  return useQuery({
    queryKey: ['keys', scope.game, scope.environment],
    enabled: isAdmin,
    queryFn: ({ signal }) => call(scope, 'GET /v1/console/keys', { signal }),
  });
}
