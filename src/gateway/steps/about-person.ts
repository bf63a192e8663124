import { boundedTexts } from '../../../streams/audit/bounded-texts.ts';
import { type ConsoleContext, type ConsoleRoute, invalid, type SignedIn } from '../../api/route/route.ts';
import { failure } from '../../../core/kernel/errors.ts';
import { cookiesOf, isSameOrigin, SESSION_ENDED } from '../access/console/console-session.ts';
import { pageChannelOf } from '../access/console/page-channel.ts';
import { cookieValue } from '../http/read/header-values.ts';
import type { Call, WithHead, WithParsed } from './call.ts';

/* Steps of requests about a person. */

type PersonCall = Call<ConsoleRoute>;

interface WithSession {
  readonly found: SignedIn | undefined;
}
interface WithConsole extends WithParsed {
  readonly console: ConsoleContext;
}

/** A page of another origin could sign a visitor in to another account. */
export const sameOrigin = (call: PersonCall) => (isSameOrigin(call.req) ? call : CROSS_SITE);

export const privateChannel = (call: PersonCall) => (pageChannelOf(call.req) === 'open' ? NOT_SECURE : call);

/** The session. Only sign-ins go on without one, whose request may have no CSRF token yet. */
export function session(call: PersonCall) {
  const { deps, route, req } = call;
  const found = route.auth === 'none' ? deps.consoleSessions.before(req) : deps.consoleSessions.read(req);
  return found !== undefined && 'code' in found ? found : Object.assign(call, { found });
}

export function personContext<C extends PersonCall>(call: C) {
  const console = consoleContextOf(call);
  const context: WithConsole['context'] = { idempotency: undefined, faults: [] };
  return Object.assign(call, { console, context });
}

function consoleContextOf({ deps, exchange, req, network: networkOf }: PersonCall): ConsoleContext {
  const { limiter, services, trail, audited } = deps;
  const network = networkOf();
  const cookies = cookiesOf(req);
  return {
    services,
    network,
    configAs: ({ id, email }) => audited.writesAs({ actor: { kind: 'user', id, name: email }, network, reason: '' }),
    auditAs({ id, email }, { kind, action, shows }) {
      const { after } = boundedTexts(undefined, shows);
      const place = { game: '_', environment: '_', kind, key: '', action, playerId: '' } as const;
      return trail.begin({ actor: { kind: 'user', id, name: email }, network, reason: '' }, [
        { ...place, before: '', after },
      ]);
    },
    cookie: (name) => cookieValue(cookies, name),
    origin: exchange.headers.origin,
    secure: pageChannelOf(req) === 'tls',
    mayTry: (...bounds) => limiter.takeAll(bounds),
    failures: {
      isOver: (bounds) => limiter.isOver(bounds),
      add: (bounds) => limiter.count(bounds.map(([name]) => name)),
    },
    whenGone(callback) {
      if (exchange.gone) callback();
      else exchange.onGone = callback;
    },
  };
}

/** The body may have taken its time. */
export function stillSignedIn<C extends PersonCall & WithSession>(call: C) {
  const { deps, route, found } = call;
  const isLost = route.auth !== 'none' && found !== undefined && !deps.consoleSessions.holdsSession(found);
  return isLost ? SESSION_ENDED : call;
}

export function faultless<C extends PersonCall & WithConsole>(call: C) {
  const { faults } = call.context;
  return faults.length > 0 ? invalid([...faults]) : call;
}

export const runForPerson = ({ route, head, console, found }: PersonCall & WithHead & WithConsole & WithSession) =>
  route.run(head.input, console, found);

const NOT_SECURE = failure(
  'FORBIDDEN',
  'This page was loaded without TLS, so others on the network could read the session. Open the console over https, or ' +
    'on the machine of the service as http://localhost.',
);
const CROSS_SITE = failure('FORBIDDEN', 'Sign in on the console’s own page; this request came from another origin.');
