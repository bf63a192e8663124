import type { AnswerOf } from './api.ts';

/* Passkeys of this browser. The library is loaded at the first use. */

/** Whether the browser has passkeys, on this page: it must be opened by a name and over TLS, or on localhost. */
export function hasPasskeys(): boolean {
  return globalThis.isSecureContext && typeof globalThis.PublicKeyCredential === 'function';
}

export async function createPasskey(options: AnswerOf<'POST /v1/console/passkeys/challenge'>) {
  const { startRegistration } = await import('@simplewebauthn/browser');
  const optionsJSON = {
    ...options,
    pubKeyCredParams: [...options.pubKeyCredParams],
    excludeCredentials: [...options.excludeCredentials],
  };
  const { id, response } = await startRegistration({ optionsJSON });
  const { clientDataJSON, attestationObject } = response;
  return { id, response: { clientDataJSON, attestationObject } };
}

export async function signWithPasskey(options: AnswerOf<'POST /v1/console/passkeys/sign-in'>) {
  const { startAuthentication } = await import('@simplewebauthn/browser');
  const { id, response } = await startAuthentication({ optionsJSON: { ...options } });
  const { clientDataJSON, authenticatorData, signature, userHandle = '' } = response;
  return { id, response: { clientDataJSON, authenticatorData, signature, userHandle } };
}
