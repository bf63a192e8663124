import { createHash } from 'node:crypto';
import * as oauth from 'oauth4webapi';
import type { Config } from '../settings/config.ts';
import type { Clock } from '../../core/kernel/clock.ts';
import { createFairTurns } from '../../core/kernel/flow/fair-turns.ts';
import { ACCESS_LIMITS } from './limits.ts';
import type { Logger } from '../../core/kernel/logger.ts';

/*
 * Sign-in by an identity provider: OpenID Connect 1.0 with the code flow, PKCE (S256), state and nonce.
 *
 * All three derive from one secret of the browser, which is in a cookie. So gateways share no state, and an answer of
 * the provider is worth nothing in another browser.
 */

/** Whom the provider signed in. */
export interface Identity {
  kind: 'identity';
  issuer: string;
  /** The provider's id of the person, which it never gives to another one. */
  subject: string;
  email: string;
}

/** What the provider's redirect brought back. */
export interface Redirected {
  code: string;
  state: string;
  /** The provider that answers (RFC 9207). */
  iss?: string;
}

export interface OpenIdProvider {
  /** What people see: the provider's host. */
  readonly name: string;
  /** The address that the browser goes to; undefined: the provider does not answer. */
  begin(redirectUri: string, secret: string): Promise<string | undefined>;
  /** Whether an answer belongs to this browser. */
  isOwn(secret: string, answer: Pick<Redirected, 'state'>): boolean;
  /**
   * Asks the provider about a code. Lanes take turns, so unknown codes of one caller do not keep others waiting.
   * `refused`: the answer does not belong to this browser, or its person has no verified e-mail address.
   */
  finish(
    redirectUri: string,
    secret: string,
    answer: Redirected,
    lane: string,
  ): Promise<Identity | 'refused' | 'unavailable'>;
}

interface OpenIdOptions {
  settings: NonNullable<Config['openId']>;
  clock: Clock;
  logger: Logger;
}

export function createOpenIdProvider({ settings, clock, logger }: OpenIdOptions): OpenIdProvider {
  const issuer = new URL(settings.issuer);
  const client: oauth.Client = { client_id: settings.clientId };
  const { clientSecret } = settings;
  const login = clientSecret === undefined ? oauth.None() : oauth.ClientSecretBasic(clientSecret);
  const terms = {
    [oauth.customFetch]: boundedFetch,
    // The configuration allows http for providers on this machine only.
    [oauth.allowInsecureRequests]: issuer.protocol === 'http:',
    signal: () => AbortSignal.timeout(ACCESS_LIMITS.openIdRequestMs),
  };
  const turns = createFairTurns({
    atOnce: ACCESS_LIMITS.openIdCodes,
    waiting: ACCESS_LIMITS.openIdCodesWaiting,
    waitingOfLane: ACCESS_LIMITS.openIdCodesOfNetwork,
  });
  let known: { server: oauth.AuthorizationServer; atMs: number } | undefined;

  async function provider(): Promise<oauth.AuthorizationServer> {
    const nowMs = clock.monotonicMs();
    if (known !== undefined && nowMs - known.atMs < ACCESS_LIMITS.openIdKeptMs) return known.server;
    const response = await oauth.discoveryRequest(issuer, { ...terms, algorithm: 'oidc' });
    const server = await oauth.processDiscoveryResponse(issuer, response);
    known = { server, atMs: nowMs };
    return server;
  }

  return {
    name: issuer.host,
    async begin(redirectUri, secret) {
      try {
        const { authorization_endpoint: endpoint } = await provider();
        if (endpoint === undefined) throw new Error('the provider names no authorization_endpoint');
        const address = new URL(endpoint);
        const query = {
          client_id: client.client_id,
          redirect_uri: redirectUri,
          response_type: 'code',
          scope: 'openid email',
          code_challenge: await oauth.calculatePKCECodeChallenge(derived(secret, 'verifier')),
          code_challenge_method: 'S256',
          state: derived(secret, 'state'),
          nonce: derived(secret, 'nonce'),
        };
        for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value);
        return address.href;
      } catch (error) {
        logger.warn({ reason: reasonOf(error) }, 'the provider of OpenID Connect cannot be used');
        return undefined;
      }
    },
    isOwn: (secret, { state }) => state === derived(secret, 'state'),
    async finish(redirectUri, secret, redirected, lane) {
      const found = await turns.take(lane, () => ask(redirectUri, secret, redirected));
      return found === 'busy' ? 'unavailable' : found;
    },
  };

  async function ask(redirectUri: string, secret: string, { code, state, iss }: Redirected) {
    try {
      const server = await provider();
      const query = new URLSearchParams({ code, state, ...(iss === undefined ? {} : { iss }) });
      const checked = oauth.validateAuthResponse(server, client, query, derived(secret, 'state'));
      const verifier = derived(secret, 'verifier');
      const response = await oauth.authorizationCodeGrantRequest(
        server,
        client,
        login,
        checked,
        redirectUri,
        verifier,
        terms,
      );
      const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
        expectedNonce: derived(secret, 'nonce'),
        requireIdToken: true,
      });
      await oauth.validateApplicationLevelSignature(server, response, terms);
      const claims = oauth.getValidatedIdTokenClaims(tokens);
      const email = claims?.['email'];
      if (claims === undefined || typeof email !== 'string' || claims['email_verified'] !== true) return 'refused';
      return { kind: 'identity', issuer: claims.iss, subject: claims.sub, email } as const;
    } catch (error) {
      const isRefused = REFUSALS.some((kind) => error instanceof kind);
      logger.warn({ reason: reasonOf(error) }, 'a sign-in by OpenID Connect failed');
      return isRefused ? 'refused' : 'unavailable';
    }
  }
}

/** What a wrong or repeated answer causes. The rest is the provider's fault, or the network's. */
const REFUSALS = [oauth.AuthorizationResponseError, oauth.ResponseBodyError, oauth.OperationProcessingError];

/** The library's errors carry claims and codes, which must not reach a log. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? `${error.code}: ${error.message}` : error.message;
}

const derived = (secret: string, use: string): string =>
  createHash('sha256').update(`openid ${use} ${secret}`, 'utf8').digest('base64url');

interface FetchTerms {
  method: string;
  headers: Record<string, string>;
  body?: URLSearchParams | string | Uint8Array | null | undefined;
  signal?: AbortSignal | undefined;
}

/** Follows no redirect, and reads a bounded body: the provider is not part of this service. */
async function boundedFetch(url: string, { method, headers, body, signal }: FetchTerms): Promise<Response> {
  const text = body === undefined || body === null ? undefined : body.toString();
  const response = await fetch(url, {
    method,
    headers,
    redirect: 'manual',
    ...(text === undefined ? {} : { body: text }),
    ...(signal === undefined ? {} : { signal }),
  });
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > ACCESS_LIMITS.openIdResponseBytes)
      throw new Error(`${url} answers more than ${ACCESS_LIMITS.openIdResponseBytes} bytes`);
    chunks.push(chunk);
  }
  return new Response(Buffer.concat(chunks), { status: response.status, headers: response.headers });
}
