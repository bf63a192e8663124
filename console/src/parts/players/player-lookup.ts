import { useQuery } from '@tanstack/react-query';
import { call, type Scope } from '../../frame/api.ts';
import { usePlace } from '../../frame/session.tsx';

const UUID_PARTS = '8,4,4,4,12';

/** The id of a player that a person named by the service's id or by the game's own. */
export async function playerIdOf(scope: Scope, text: string): Promise<string> {
  const wanted = text.trim();
  const isId =
    wanted
      .split('-')
      .map(({ length }) => length)
      .join() === UUID_PARTS;
  if (isId) return wanted.toLowerCase();
  const { id } = await call(scope, 'GET /v1/players/players/external/{external_id}', { path: { external_id: wanted } });
  return id;
}

/** The same for a filter, while a person types. No text stands for no player: the empty id. */
export function usePlayerId(text: string) {
  const { scope } = usePlace();
  return useQuery({
    queryKey: ['player id', scope.game, scope.environment, text],
    queryFn: () => playerIdOf(scope, text),
    enabled: text !== '',
    staleTime: Infinity,
    retry: false,
    ...(text === '' ? { initialData: '' } : {}),
  });
}
