import { useQuery } from '@tanstack/react-query';
import { call } from '../api.ts';
import { usePlace } from '../session.tsx';

/** More than a game and environment may have. */
const ALL = 500;

export function useCampaigns() {
  const { scope } = usePlace();
  return useQuery({
    queryKey: ['campaigns', scope.game, scope.environment],
    queryFn: ({ signal }) => call(scope, 'GET /v1/campaigns/campaigns', { query: { limit: ALL }, signal }),
  });
}

export function useSegments() {
  const { scope } = usePlace();
  const { data } = useQuery({
    queryKey: ['segments', scope.game, scope.environment],
    queryFn: ({ signal }) => call(scope, 'GET /v1/segments/segments', { query: { limit: ALL }, signal }),
  });
  const segments = data?.segments ?? [];
  const nameOf = (id: string): string => segments.find(({ segment_id: own }) => own === id)?.name ?? id;
  return { segments, nameOf };
}
