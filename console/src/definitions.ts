import { useQuery } from '@tanstack/react-query';
import { type AnswerOf, call, type Scope } from './frame/api.ts';
import { allPages } from './parts/lists/all-pages.ts';
import { usePlace } from './frame/session.tsx';

export type Flag = AnswerOf<'GET /v1/flags/flags/{key}'>;
export type FlagUsage = AnswerOf<'GET /v1/flags/usage'>['flags'][number];
export type Segment = AnswerOf<'GET /v1/segments/segments'>['segments'][number];
export type Campaign = AnswerOf<'GET /v1/campaigns/campaigns'>['campaigns'][number];

export type Experiment = AnswerOf<'GET /v1/experiments/experiments/{key}'>;

const PAGE = 500;

export function useFlags() {
  const { scope } = usePlace();
  return useQuery({
    queryKey: ['all flags', scope.game, scope.environment],
    queryFn: ({ signal }) =>
      allPages(async (cursor) => {
        const query = { limit: PAGE, cursor };
        const { flags, next_cursor: next } = await call(scope, 'GET /v1/flags/flags', { query, signal });
        return { items: flags, next };
      }),
  });
}

export function useFlagUsage() {
  const { scope } = usePlace();
  return useQuery({
    queryKey: ['flag usage', scope.game, scope.environment],
    queryFn: ({ signal }) => call(scope, 'GET /v1/flags/usage', { signal }),
    staleTime: 30_000,
  });
}

export function useFlag(key: string) {
  const { scope } = usePlace();
  return useQuery({
    queryKey: flagQuery(scope, key),
    queryFn: ({ signal }) => call(scope, 'GET /v1/flags/flags/{key}', { path: { key }, signal }),
  });
}

export function flagQuery({ game, environment }: Scope, key: string): string[] {
  return ['flag', game, environment, key];
}

/** @param isNeeded whether they are read */
export function useSegments(isNeeded = true) {
  const { scope } = usePlace();
  return useQuery({
    enabled: isNeeded,
    queryKey: ['all segments', scope.game, scope.environment],
    queryFn: ({ signal }) => segmentsOf(scope, signal),
  });
}

export function segmentsOf(scope: Scope, signal?: AbortSignal): Promise<Segment[]> {
  return allPages(async (cursor) => {
    const query = { limit: PAGE, cursor };
    const { segments, next_cursor: next } = await call(scope, 'GET /v1/segments/segments', {
      query,
      ...(signal === undefined ? {} : { signal }),
    });
    return { items: segments, next };
  });
}

export function useCampaigns() {
  const { scope } = usePlace();
  return useQuery({
    queryKey: ['all campaigns', scope.game, scope.environment],
    queryFn: ({ signal }) =>
      allPages(async (cursor) => {
        const query = { limit: PAGE, cursor };
        const { campaigns, next_cursor: next } = await call(scope, 'GET /v1/campaigns/campaigns', { query, signal });
        return { items: campaigns, next };
      }),
  });
}

export function useExperiments() {
  const { scope } = usePlace();
  return useQuery({
    queryKey: ['all experiments', scope.game, scope.environment],
    queryFn: ({ signal }) =>
      allPages(async (cursor) => {
        const query = { limit: PAGE, cursor };
        const { experiments, next_cursor: next } = await call(scope, 'GET /v1/experiments/experiments', {
          query,
          signal,
        });
        return { items: experiments, next };
      }),
  });
}
