import { useQuery } from '@tanstack/react-query';
import { call } from '../frame/api.ts';
import { usePlace } from '../frame/session.tsx';

/** The notes of the game. There are at most as many as a page of the list holds. */
export function useAnnotations() {
  const { scope } = usePlace();
  return useQuery({
    queryKey: ['annotations', scope.game, scope.environment],
    queryFn: ({ signal }) => call(scope, 'GET /v1/analytics/annotations', { query: { limit: 500 }, signal }),
    staleTime: 60_000,
  });
}
