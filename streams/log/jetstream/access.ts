import { readFileSync } from 'node:fs';
import {
  credsAuthenticator,
  tokenAuthenticator,
  usernamePasswordAuthenticator,
  type ConnectionOptions,
} from '@nats-io/transport-node';

/** Credentials and TLS of a connection to the broker. Files are read at every connection. */
export interface BrokerAccess {
  login?: BrokerLogin;
  /** Present: only a TLS connection is used. The system's authorities are trusted when `caFile` is left out. */
  tls?: { caFile?: string; certFile?: string; keyFile?: string };
}

export type BrokerLogin =
  | { kind: 'token'; token: string }
  | { kind: 'password'; user: string; password: string }
  | { kind: 'creds'; file: string };

/**
 * Parses NATS_URL: servers joined by commas, each `[scheme://][user:password@ or token@]host[:port]`, with
 * percent-encoded credentials. All servers share one set of credentials. The scheme `tls` requires TLS.
 * @returns a string that describes the error; it holds no credentials
 */
export function parseBrokerUrl(url: string): { servers: string[]; access: BrokerAccess } | string {
  const parts = url.split(',').map((text) => splitServer(text.trim()));
  const servers = parts.map(({ host }) => host);
  if (servers.includes('')) return `NATS_URL "${withoutCredentials(url)}" names a server without a host.`;
  const [login, ...others] = [...new Set(parts.map((part) => part.userinfo).filter((text) => text !== undefined))];
  if (others.length > 0) return 'The servers in NATS_URL have different credentials; they must share one set.';
  const parsed = login === undefined ? undefined : loginOf(login);
  if (parsed === null) return 'The credentials in NATS_URL are not percent-encoded correctly.';
  return {
    servers,
    access: {
      ...(parsed === undefined ? {} : { login: parsed }),
      ...(parts.some(({ scheme }) => scheme === 'tls') ? { tls: {} } : {}),
    },
  };
}

/** The URL without credentials, for messages and logs. */
export function withoutCredentials(url: string): string {
  return url
    .split(',')
    .map((text) => {
      const { scheme, host } = splitServer(text.trim());
      return scheme === undefined ? host : `${scheme}://${host}`;
    })
    .join(',');
}

/** The same as options of the client library. */
export function connectionOptionsOf({ login, tls }: BrokerAccess): ConnectionOptions {
  return {
    ...(login === undefined ? {} : { authenticator: authenticatorOf(login) }),
    ...(tls === undefined ? {} : { tls }),
  };
}

function authenticatorOf(login: BrokerLogin) {
  switch (login.kind) {
    case 'token':
      return tokenAuthenticator(login.token);
    case 'password':
      return usernamePasswordAuthenticator(login.user, login.password);
    case 'creds':
      return credsAuthenticator(() => readFileSync(login.file));
  }
}

function splitServer(text: string): { scheme: string | undefined; userinfo: string | undefined; host: string } {
  const schemeEnd = text.indexOf('://');
  const rest = schemeEnd < 0 ? text : text.slice(schemeEnd + 3);
  const at = rest.lastIndexOf('@');
  return {
    scheme: schemeEnd < 0 ? undefined : text.slice(0, schemeEnd),
    userinfo: at < 0 ? undefined : rest.slice(0, at),
    host: rest.slice(at + 1),
  };
}

/** A user without a password is a token, as in NATS. `null`: invalid percent-encoding. */
function loginOf(userinfo: string): BrokerLogin | null {
  const colon = userinfo.indexOf(':');
  try {
    if (colon < 0) return { kind: 'token', token: decodeURIComponent(userinfo) };
    return {
      kind: 'password',
      user: decodeURIComponent(userinfo.slice(0, colon)),
      password: decodeURIComponent(userinfo.slice(colon + 1)),
    };
  } catch {
    return null;
  }
}
