import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A person at the provider. */
export interface ProviderPerson {
  sub: string;
  email: string;
  email_verified?: boolean;
}

/** A small OpenID provider on this machine: discovery, an authorization page that asks nothing, tokens and keys. */
export interface IdentityProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Who is signed in at the provider. */
  person: ProviderPerson;
  /** Changes the claims of the next id tokens. */
  claims: (claims: Record<string, unknown>) => Record<string, unknown>;
  /** Whether tokens are signed with a key that the provider does not publish. */
  forges: boolean;
  /** Requests for tokens that were answered. */
  tokens: number;
  close(): Promise<void>;
}

interface Grant {
  challenge: string;
  nonce: string;
  redirectUri: string;
  person: ProviderPerson;
}

export async function startIdentityProvider(): Promise<IdentityProvider> {
  const own = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const foreign = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const grants = new Map<string, Grant>();
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const { port } = isAddress(address) ? address : { port: 0 };
  const provider: IdentityProvider = {
    issuer: `http://127.0.0.1:${port}`,
    clientId: 'console',
    clientSecret: 'a secret/with: signs',
    person: { sub: 'p-1', email: 'nobody@example.com', email_verified: true },
    claims: (claims) => claims,
    forges: false,
    tokens: 0,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', provider.issuer);
    const json = (body: unknown, status = 200): void => {
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    };
    switch (url.pathname) {
      case '/.well-known/openid-configuration':
        return json({
          issuer: provider.issuer,
          authorization_endpoint: `${provider.issuer}/authorize`,
          token_endpoint: `${provider.issuer}/token`,
          jwks_uri: `${provider.issuer}/keys`,
          id_token_signing_alg_values_supported: ['RS256'],
          authorization_response_iss_parameter_supported: true,
        });
      case '/keys':
        return json({ keys: [{ ...own.publicKey.export({ format: 'jwk' }), kid: 'k1', alg: 'RS256', use: 'sig' }] });
      case '/authorize':
        response.writeHead(302, { Location: authorize(url.searchParams) }).end();
        return;
      case '/token':
        return token(request, new URLSearchParams(await textOf(request)), json);
      default:
        return json({ error: 'not_found' }, 404);
    }
  }

  function authorize(query: URLSearchParams): string {
    const of = (name: string): string => query.get(name) ?? '';
    const code = randomBytes(16).toString('hex');
    const redirectUri = of('redirect_uri');
    grants.set(code, { challenge: of('code_challenge'), nonce: of('nonce'), redirectUri, person: provider.person });
    const back = new URL(redirectUri);
    back.searchParams.set('code', code);
    back.searchParams.set('state', of('state'));
    back.searchParams.set('iss', provider.issuer);
    return back.href;
  }

  function token(
    request: IncomingMessage,
    form: URLSearchParams,
    json: (body: unknown, status?: number) => void,
  ): void {
    const user = [provider.clientId, provider.clientSecret].map((text) => encodeURIComponent(text)).join(':');
    const expected = `Basic ${Buffer.from(user).toString('base64')}`;
    const code = form.get('code') ?? '';
    const grant = grants.get(code);
    grants.delete(code);
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const isValid =
      normal(request.headers.authorization) === normal(expected) &&
      grant?.challenge === challenge &&
      grant.redirectUri === form.get('redirect_uri');
    if (!isValid || grant === undefined) return json({ error: 'invalid_grant' }, 400);
    provider.tokens += 1;
    const now = Math.floor(Date.now() / 1_000);
    const claims = provider.claims({
      iss: provider.issuer,
      aud: provider.clientId,
      iat: now,
      exp: now + 60,
      nonce: grant.nonce,
      ...grant.person,
    });
    const idToken = signed(claims, provider.forges ? foreign.privateKey : own.privateKey);
    json({ access_token: 'unused', token_type: 'Bearer', id_token: idToken });
  }

  return provider;
}

/** Basic credentials are form-encoded (RFC 6749, section 2.3.1), where a space may be either. */
function normal(header = ''): string {
  const [, text = ''] = header.split(' ');
  return decodeURIComponent(Buffer.from(text, 'base64').toString().replaceAll('+', ' '));
}

function signed(claims: Record<string, unknown>, key: KeyObject): string {
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${part({ alg: 'RS256', kid: 'k1', typ: 'JWT' })}.${part(claims)}`;
  return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`;
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString();
}

const isAddress = (address: string | AddressInfo | null): address is AddressInfo =>
  typeof address === 'object' && address !== null;
