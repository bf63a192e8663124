import { useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react';
import { DEFAULT_ZONE } from '../../../core/kernel/zoned-days.ts';
import { forgetDrafts } from '../parts/drafts/draft-places.ts';
import { type AnswerOf, ApiError, call, type Scope, setCsrfToken, whenSignedOut } from './api.ts';

export type Me = AnswerOf<'GET /v1/console/me'>;
export type Role = Me['user']['grants'][number]['role'];

type Session =
  | { kind: 'loading' }
  | { kind: 'unreachable'; error: Error }
  | { kind: 'signed_out'; ended: boolean }
  | { kind: 'signed_in'; me: Me };

interface SessionPort {
  session: Session;
  signedIn: (me: Me) => void;
  signOut: (everywhere: boolean) => Promise<void>;
}

const Context = createContext<SessionPort | undefined>(undefined);

/** Who is signed in. */
export function SessionProvider({ children }: { children: ReactNode }) {
  const queries = useQueryClient();
  const [ended, setEnded] = useState(false);
  const { data, error } = useQuery<Me | null>({
    queryKey: ['me'],
    queryFn: loadMe,
    staleTime: 60_000,
  });
  useEffect(() => {
    whenSignedOut(() => {
      // Who was not signed in has no session that could end.
      if (!queries.getQueryData(['me'])) return;
      setEnded(true);
      queries.setQueryData(['me'], null);
    });
  }, [queries]);

  const port = useMemo<SessionPort>(() => {
    const signedIn = (me: Me): void => {
      setCsrfToken(me.csrf_token);
      setEnded(false);
      withStorage((storage) => forgetDrafts(storage, me.user.id));
      queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'me' });
      queries.setQueryData(['me'], me);
    };
    const signOut = async (everywhere: boolean): Promise<void> => {
      await call(undefined, everywhere ? 'DELETE /v1/console/sessions' : 'DELETE /v1/console/session');
      // An answer from before the end would sign the page in again.
      await queries.cancelQueries({ queryKey: ['me'] });
      queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'me' });
      queries.setQueryData(['me'], null);
      withStorage((storage) => forgetDrafts(storage));
    };
    return { session: sessionOf(data, error, ended), signedIn, signOut };
  }, [data, error, ended, queries]);
  return <Context value={port}>{children}</Context>;
}

/** Browsers may forbid the storage; then it has no drafts. */
function withStorage(use: (storage: Storage) => void): void {
  try {
    use(sessionStorage);
  } catch {
    // There is nothing to forget.
  }
}

async function loadMe(): Promise<Me | null> {
  try {
    const me = await call(undefined, 'GET /v1/console/me');
    setCsrfToken(me.csrf_token);
    return me;
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null;
    throw error;
  }
}

function sessionOf(data: Me | null | undefined, error: Error | null, ended: boolean): Session {
  if (data === null) return { kind: 'signed_out', ended };
  if (data !== undefined) return { kind: 'signed_in', me: data };
  return error === null ? { kind: 'loading' } : { kind: 'unreachable', error };
}

export function useSession(): SessionPort {
  const port = useContext(Context);
  if (port === undefined) throw new Error('there is no session provider');
  return port;
}

export const ROLES = ['viewer', 'analyst', 'editor', 'admin'] as const satisfies readonly Role[];

/** The user's role in a game and environment, as the service computes it. */
export function roleIn({ user }: Me, { game, environment }: Scope): Role | undefined {
  const places = user.grants
    .filter((grant) => grant.game === '*' || grant.game === game)
    .filter((grant) => grant.environment === '*' || grant.environment === environment)
    .map(({ role }) => ROLES.indexOf(role));
  return places.length === 0 ? undefined : ROLES[Math.max(...places)];
}

/** Whether a user is an admin of all games, as the service computes it. */
export const isDeploymentAdmin = ({ user }: Me): boolean =>
  user.grants.some(({ game, environment, role }) => game === '*' && environment === '*' && role === 'admin');

export function isAtLeast(role: Role | undefined, least: Role): boolean {
  return role !== undefined && ROLES.indexOf(role) >= ROLES.indexOf(least);
}

/** Whether a user may run SQL, whose rows are those of all games. */
export function readsAllGames({ user }: Me): boolean {
  return user.grants.some(
    ({ game, environment, role }) => game === '*' && environment === '*' && isAtLeast(role, 'analyst'),
  );
}

/** The game and environment of the page's address, and the user's role there. */
export interface Place {
  scope: Scope;
  role: Role | undefined;
  /** Whether the user may change what players get. */
  mayEdit: boolean;
  isAdmin: boolean;
  /** The game's time zone. */
  zone: string;
  /** The currency of the game's amounts; null: it has named none. */
  currency: string | null;
}

const PlaceContext = createContext<Place | undefined>(undefined);

export function PlaceProvider({ place, children }: { place: Place; children: ReactNode }) {
  return <PlaceContext value={place}>{children}</PlaceContext>;
}

export function usePlace(): Place {
  const place = useContext(PlaceContext);
  if (place === undefined) throw new Error('the screen is not within a game');
  return place;
}

/** The time zone in which the console shows times: that of the game; where no game is open, UTC. */
export const useZone = (): string => useContext(PlaceContext)?.zone ?? DEFAULT_ZONE;
