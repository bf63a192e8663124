import { call, type Scope } from '../api.ts';

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
