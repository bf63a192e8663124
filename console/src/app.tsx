import { Center, Loader } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { Redirect, Route, Switch, useLocation } from 'wouter';
import { useGameHint } from './game-hint.ts';
import { Fault, Missing } from './parts/states.tsx';
import { SCREENS } from './screens.ts';
import { Account } from './screens/account.tsx';
import { LinkSignIn, NoGames, ProviderSignIn, SignIn } from './screens/sign-in.tsx';
import { type Me, PlaceProvider, isAtLeast, roleIn, useSession } from './session.tsx';
import { Shell } from './shell.tsx';
import { TEXTS } from './texts.ts';

const screens = SCREENS.map((screen) => ({ ...screen, Component: lazy(() => screen.load().catch(afterNewBuild)) }));

/** When this page last began anew, epoch milliseconds. */
const BEGUN_ANEW = 'console-begun-anew';
const ANEW_EVERY_MS = 60_000;

/** A screen that is gone belongs to an older build: the page begins anew, but not again and again. */
function afterNewBuild(error: unknown): Promise<never> {
  const last = Number(sessionStorage.getItem(BEGUN_ANEW) ?? 0);
  if (Date.now() - last < ANEW_EVERY_MS) throw error;
  sessionStorage.setItem(BEGUN_ANEW, String(Date.now()));
  globalThis.location.reload();
  return new Promise(() => {});
}

export function App() {
  const { session } = useSession();
  const [location] = useLocation();
  if (location === '/link') return <LinkSignIn />;
  if (location === '/openid') return <ProviderSignIn />;
  switch (session.kind) {
    case 'loading':
      return (
        <Center h="100vh">
          <Loader aria-label={TEXTS.loading} />
        </Center>
      );
    case 'unreachable':
      return (
        <Center h="100vh">
          <Fault
            title={TEXTS.signIn.unreachable}
            error={session.error}
            onRetry={() => location && globalThis.location.reload()}
          />
        </Center>
      );
    case 'signed_out':
      return <SignIn ended={session.ended} />;
    case 'signed_in':
      return <SignedIn me={session.me} />;
  }
}

function SignedIn({ me }: { me: Me }) {
  const hint = useGameHint(me);
  if (hint === undefined) return <NoGames />;
  return (
    <Switch>
      <Route path="/:game/:environment/*?">
        {({ game, environment, '*': rest = '' }) => (
          <GameScreens me={me} game={game} environment={environment} rest={rest} />
        )}
      </Route>
      <Route>
        <Redirect to={`/${hint.game}/${hint.environment}/overview`} replace />
      </Route>
    </Switch>
  );
}

interface GameScreensProps {
  me: Me;
  game: string;
  environment: string;
  rest: string;
}

function GameScreens({ me, game, environment, rest }: GameScreensProps) {
  if (environment !== 'live' && environment !== 'test') return <Missing />;
  const scope = { game, environment } as const;
  const role = roleIn(me, scope);
  const place = { scope, role, mayEdit: isAtLeast(role, 'editor'), isAdmin: isAtLeast(role, 'admin') };
  return (
    <PlaceProvider place={place}>
      <Shell me={me} screen={rest.split('/')[0] ?? ''}>
        <Suspense fallback={<Loader aria-label={TEXTS.loading} />}>
          {/* The key makes every screen begin anew in another game. */}
          <Switch key={`${game}/${environment}`}>
            {screens.map(({ path, Component }) => (
              <Route key={path} path={`/${game}/${environment}/${path}`}>
                {(params) => <Component params={params} />}
              </Route>
            ))}
            <Route path={`/${game}/${environment}/account`}>
              <Account me={me} />
            </Route>
            <Route>{rest === '' ? <Redirect to={`/${game}/${environment}/overview`} replace /> : <Missing />}</Route>
          </Switch>
        </Suspense>
      </Shell>
    </PlaceProvider>
  );
}
