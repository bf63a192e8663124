import type { Scope } from './api.ts';
import type { Me } from './session.tsx';

const STORED = 'console-scope';

/** Where a visitor without a game in the address goes: the game that was open last, or the first one. */
export function useGameHint(me: Me): Scope | undefined {
  const [game, environment] = (read() ?? '').split('/');
  const known = me.games.find(({ id }) => id === game) ?? me.games[0];
  if (known === undefined) return undefined;
  return { game: known.id, environment: environment === 'test' ? 'test' : 'live' };
}

export function rememberGame({ game, environment }: Scope): void {
  try {
    localStorage.setItem(STORED, `${game}/${environment}`);
  } catch {
    // Storage is blocked: the first game is opened instead.
  }
}

function read(): string | null {
  try {
    return localStorage.getItem(STORED);
  } catch {
    return null;
  }
}
