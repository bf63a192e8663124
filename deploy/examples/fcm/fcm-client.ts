import { createSign } from 'node:crypto';

/*
 * Sends messages by HTTP v1 of FCM. The requests are those of Google's documentation: a token of OAuth 2.0 for a JWT
 * that the key of a service account signs (RFC 7523), and `messages:send` of the project.
 */

/** The fields of a service account's key file that are needed. */
export interface ServiceAccount {
  project_id: string;
  client_email: string;
  private_key_id: string;
  /** PEM. */
  private_key: string;
  token_uri: string;
}

export type SendResult =
  | { kind: 'sent'; name: string }
  /** The device is gone: its token is never valid again. */
  | { kind: 'unregistered' }
  /** FCM does not take this message, also if it is sent again. */
  | { kind: 'refused'; reason: string }
  /** FCM cannot take it now. */
  | { kind: 'later'; seconds: number };

export interface Fcm {
  send(message: object): Promise<SendResult>;
}

export interface FcmOptions {
  account: ServiceAccount;
  /** Where FCM is. */
  url?: string;
  now?: () => number;
  wait?: (ms: number) => Promise<unknown>;
  log: (line: string) => void;
}

const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging';
const LIFETIME_SECONDS = 3_600;
/** A token is renewed this long before it ends. */
const RENEW_MS = 5 * 60_000;
const TIMEOUT_MS = 8_000;
/** Pauses before the second and the third attempt. With them all attempts end within the 30 s of a webhook. */
const PAUSES_MS = [1_000, 2_000];
/** What a webhook's retry waits for if FCM says nothing. */
const LATER_SECONDS = 60;

export function createFcm({
  account,
  url = 'https://fcm.googleapis.com',
  now = Date.now,
  wait = pause,
  log,
}: FcmOptions): Fcm {
  let token: { text: string; until: number } | undefined;
  let asking: Promise<string> | undefined;

  /** The token that is valid, or a new one; several sends ask for one together. */
  function accessToken(): Promise<string> {
    if (token !== undefined && token.until - RENEW_MS > now()) return Promise.resolve(token.text);
    asking ??= askForToken().finally(() => (asking = undefined));
    return asking;
  }

  async function askForToken(): Promise<string> {
    const body = new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion: assertionOf(account, Math.floor(now() / 1_000)),
    });
    const response = await fetch(account.token_uri, { method: 'POST', body, signal: AbortSignal.timeout(TIMEOUT_MS) });
    const answer: { access_token?: string; expires_in?: number; error_description?: string } = JSON.parse(
      await response.text(),
    );
    if (!response.ok || answer.access_token === undefined) {
      throw new Error(`${account.token_uri} gave no token: ${response.status} ${answer.error_description ?? ''}`);
    }
    token = { text: answer.access_token, until: now() + (answer.expires_in ?? LIFETIME_SECONDS) * 1_000 };
    return token.text;
  }

  async function attempt(message: object): Promise<SendResult | { kind: 'unauthorized' }> {
    try {
      const response = await fetch(`${url}/v1/projects/${account.project_id}/messages:send`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${await accessToken()}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ message }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      return resultOf(response.status, response.headers.get('Retry-After'), await response.text());
    } catch (error) {
      log(`FCM cannot be reached: ${String(error)}`);
      return { kind: 'later', seconds: LATER_SECONDS };
    }
  }

  return {
    async send(message) {
      for (const ms of [...PAUSES_MS, undefined]) {
        const result = await attempt(message);
        if (result.kind === 'unauthorized') token = undefined;
        else if (result.kind !== 'later') return result;
        const seconds = result.kind === 'later' ? result.seconds : LATER_SECONDS;
        // A long pause is left to the sender of the webhook.
        if (ms === undefined || (result.kind === 'later' && seconds > LATER_SECONDS)) return { kind: 'later', seconds };
        if (result.kind === 'later') await wait(ms);
      }
      return { kind: 'later', seconds: LATER_SECONDS };
    },
  };
}

/** A JWT that asks for a token, signed with RS256. */
function assertionOf(account: ServiceAccount, atSeconds: number): string {
  const header = { alg: 'RS256', typ: 'JWT', kid: account.private_key_id };
  const claims = {
    iss: account.client_email,
    scope: SCOPE,
    aud: account.token_uri,
    iat: atSeconds,
    exp: atSeconds + LIFETIME_SECONDS,
  };
  const text = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return `${text}.${createSign('RSA-SHA256').update(text).sign(account.private_key, 'base64url')}`;
}

function resultOf(status: number, retryAfter: string | null, text: string): SendResult | { kind: 'unauthorized' } {
  if (status === 200) {
    const { name = '' }: { name?: string } = JSON.parse(text);
    return { kind: 'sent', name };
  }
  if (status === 401) return { kind: 'unauthorized' };
  // A wrong project is 404 too, and must not cost the players their tokens.
  if (status === 404 && text.includes('"UNREGISTERED"')) return { kind: 'unregistered' };
  if (status === 429 || status >= 500) {
    const seconds = Number(retryAfter ?? LATER_SECONDS);
    return { kind: 'later', seconds: Number.isFinite(seconds) ? seconds : LATER_SECONDS };
  }
  return { kind: 'refused', reason: `${status} ${text.slice(0, 500)}` };
}

function pause(ms: number): Promise<unknown> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
