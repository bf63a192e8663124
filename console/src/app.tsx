import { Box, Center, Loader } from '@mantine/core';
import { Redirect, Route, Switch, useLocation, useSearch } from 'wouter';
import type { Scope } from './frame/api.ts';
import { AskWhy } from './frame/ask-why.tsx';
import { useGameHint } from './frame/game-hint.ts';
import { ErrorBoundary } from './parts/error-boundary.tsx';
import { later } from './parts/editors/later.tsx';
import { BackTo, NotThere } from './parts/not-there.tsx';
import { Fault, Missing, Opening } from './parts/states.tsx';
import { asksService } from './frame/reachability.ts';
import { SCREENS } from './screens.ts';
import { Account } from './screens/team/account.tsx';
import { LinkSignIn, NoGames, ProviderSignIn, SignIn } from './screens/team/sign-in.tsx';
import { type Me, PlaceProvider, isAtLeast, roleIn, useSession } from './frame/session.tsx';
import { Shell } from './frame/shell.tsx';
import { TEXTS } from './texts.ts';

type Params = Readonly<Record<string, string | undefined>>;
const screens = SCREENS.map(({ path, load }) => ({
  path,
  ...later<{ params: Params }>(() => load().then((module) => module.default, afterNewBuild), Opening),
}));

/** Begins to load the code of the screen that the address names, while the session is read. */
export function preloadScreen(pathname: string): void {
  const [, , , ...parts] = pathname.split('/');
  const [named] = parts;
  for (const { path, preload } of screens) {
    const steps = path.split('/');
    const isOpen = steps[0] === named && (steps.length === parts.length || steps.at(-1) === '*');
    if (isOpen && steps.every((step, place) => /^[:*]/.test(step) || step === parts[place])) preload();
  }
}

/** When this page last began anew, epoch milliseconds. */
const BEGUN_ANEW = 'console-begun-anew';
const ANEW_EVERY_MS = 60_000;

/**
 * A screen that is gone belongs to an older build: the page begins anew, but not again and again. During an outage it
 * stays: the browser would show an error page of its own instead.
 */
async function afterNewBuild(error: unknown): Promise<never> {
  if (!(await asksService())) throw new Error(TEXTS.outage.screen);
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
  const search = useSearch();
  if (hint === undefined) return <NoGames />;
  const home = `/${hint.game}/${hint.environment}`;
  return (
    <Switch>
      <Route path="/:game/:environment/*?">
        {({ game, environment, '*': rest = '' }) =>
          environment === 'live' || environment === 'test' ? (
            <GameScreens me={me} scope={{ game, environment }} rest={rest} />
          ) : (
            <Elsewhere me={me} home={home} />
          )
        }
      </Route>
      <Route path="/:name">
        <Elsewhere me={me} home={home} />
      </Route>
      <Route>
        <Redirect to={`${home}/overview${search === '' ? '' : `?${search}`}`} replace />
      </Route>
    </Switch>
  );
}

/** The first parts of the addresses of screens. */
const NAMES: ReadonlySet<string> = new Set(['account', ...SCREENS.map(({ path }) => path.split('/')[0] ?? '')]);

/** An address without game and environment: of a screen, which opens in the last game, or of a game. */
function Elsewhere({ me, home }: { me: Me; home: string }) {
  const search = useSearch();
  // The router decodes parameters, and names may hold a percent sign.
  const [, path = ''] = globalThis.location.pathname.split(/\/console\/(.*)/);
  const [first = ''] = path.split('/');
  if (NAMES.has(first)) return <Redirect to={`${home}/${path}${search === '' ? '' : `?${search}`}`} replace />;
  if (path === first) {
    const isOpen = me.games.some(({ id }) => id === first);
    return isOpen ? <Redirect to={`/${first}/live/overview`} replace /> : <OtherGames me={me} game={first} />;
  }
  return (
    <Box component="main" p="md">
      <Missing />
    </Box>
  );
}

/** Shown to a person who may not open the game. */
function OtherGames({ me, game }: { me: Me; game: string }) {
  return (
    <Box component="main" p="md">
      <NotThere title={TEXTS.product} what={TEXTS.noGame(game)} help={TEXTS.noGameHelp}>
        {placesOf(me).map(({ game: id, environment }) => (
          <BackTo key={`${id} ${environment}`} href={`/${id}/${environment}/overview`}>
            {TEXTS.openGame(id, environment)}
          </BackTo>
        ))}
      </NotThere>
    </Box>
  );
}

/** Where a user has a role, the first ones only. */
const MOST_PLACES = 10;
function placesOf(me: Me): Scope[] {
  return me.games
    .flatMap(({ id }): Scope[] => [
      { game: id, environment: 'live' },
      { game: id, environment: 'test' },
    ])
    .filter((scope) => roleIn(me, scope) !== undefined)
    .slice(0, MOST_PLACES);
}

function GameScreens({ me, scope, rest }: { me: Me; scope: Scope; rest: string }) {
  const { game } = scope;
  const settings = me.games.find(({ id }) => id === game);
  if (settings === undefined) return <OtherGames me={me} game={game} />;
  const role = roleIn(me, scope);
  const place = {
    scope,
    role,
    mayEdit: isAtLeast(role, 'editor'),
    isAdmin: isAtLeast(role, 'admin'),
    zone: settings.time_zone,
    currency: settings.currency,
  };
  return (
    <PlaceProvider place={place}>
      <AskWhy />
      <Shell me={me} screen={rest.split('/')[0] ?? ''}>
        <ErrorBoundary of={`${game} ${scope.environment} ${rest}`}>
          {role === undefined ? <NoRole me={me} scope={scope} /> : <Screens me={me} scope={scope} rest={rest} />}
        </ErrorBoundary>
      </Shell>
    </PlaceProvider>
  );
}

/** Shown to a person who has a role in the other environment only. */
function NoRole({ me, scope: { game, environment } }: { me: Me; scope: Scope }) {
  return (
    <NotThere title={TEXTS.product} what={TEXTS.noRole(environment, game)} help={TEXTS.noRoleHelp}>
      {placesOf(me)
        .filter((place) => place.game === game)
        .map((place) => (
          <BackTo key={place.environment} href={`/${game}/${place.environment}/overview`}>
            {TEXTS.openGame(game, place.environment)}
          </BackTo>
        ))}
    </NotThere>
  );
}

function Screens({ me, scope: { game, environment }, rest }: { me: Me; scope: Scope; rest: string }) {
  const base = `/${game}/${environment}`;
  return (
    // The key makes every screen begin anew in another game.
    <Switch key={base}>
      {screens.map(({ path, Part }) => (
        <Route key={path} path={`${base}/${path}`}>
          {(params) => <Part params={params} />}
        </Route>
      ))}
      <Route path={`${base}/account`}>
        <Account me={me} />
      </Route>
      <Route>{rest === '' ? <Redirect to={`${base}/overview`} replace /> : <Missing />}</Route>
    </Switch>
  );
}
