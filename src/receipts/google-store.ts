import type * as Library from 'google-auth-library';
import type { JWT, OAuth2Client } from 'google-auth-library';
import { isPlainObject } from '../../core/kernel/validation/plain-object.ts';
import type { GoogleSettings } from '../../core/vocabulary/stores.ts';
import { RECEIPT_LIMITS } from './limits.ts';
import type { Proof, StoreVerifier } from './store-verifier.ts';

type GoogleLibrary = typeof Library;

const SCOPE = 'https://www.googleapis.com/auth/androidpublisher';
const PURCHASES = 'https://androidpublisher.googleapis.com/androidpublisher/v3/applications';

/**
 * Receipts of Google Play: the store's answer about a purchase token, read with Google's client in the name of the
 * game's service account. Google says whose message a push of Pub/Sub is by an identity token.
 * @param fetchImplementation tests pass a store of their own
 */
export function createGoogleStore(
  { JWT, OAuth2Client }: GoogleLibrary,
  fetchImplementation?: typeof fetch,
): Pick<StoreVerifier, 'googleReceipt' | 'googleSender'> {
  const clients = new Map<string, JWT>();
  const transporterOptions = {
    timeout: RECEIPT_LIMITS.storeTimeoutMs,
    retry: false,
    ...(fetchImplementation === undefined ? {} : { fetchImplementation }),
  };
  const identities: OAuth2Client = new OAuth2Client({ transporterOptions });

  function clientOf({ clientEmail: email, privateKey: key }: GoogleSettings): JWT {
    const name = `${email} ${key}`;
    const held = clients.get(name);
    if (held !== undefined) return held;
    const made = new JWT({ email, key, scopes: [SCOPE], transporterOptions });
    if (clients.size >= RECEIPT_LIMITS.verifiers) clients.clear();
    clients.set(name, made);
    return made;
  }

  return {
    async googleReceipt(app, environment, payload) {
      const url = `${PURCHASES}/${encodeURIComponent(app.packageName)}/purchases/productsv2/tokens/${encodeURIComponent(payload)}`;
      const client = clientOf(app);
      try {
        await client.getAccessToken();
      } catch (error) {
        return { kind: 'unavailable', why: `access of the service account: ${statusOf(error) ?? 'no answer'}` };
      }
      try {
        const { data } = await client.request<unknown>({ url, timeout: RECEIPT_LIMITS.storeTimeoutMs });
        return isPlainObject(data) ? proofOf(data, environment === 'test') : NO_ANSWER;
      } catch (error) {
        return failedBy(error);
      }
    },
    async googleSender({ pushAudience, pushEmail }, token) {
      if (pushAudience === null || pushEmail === null) return { kind: 'unknown' };
      try {
        await identities.getFederatedSignonCertsAsync();
      } catch (error) {
        return { kind: 'unavailable', why: `keys of Google: ${statusOf(error) ?? 'no answer'}` };
      }
      try {
        const ticket = await identities.verifyIdToken({ idToken: token, audience: pushAudience });
        const { email, email_verified: isVerified } = ticket.getPayload() ?? {};
        return { kind: email === pushEmail && isVerified === true ? 'known' : 'unknown' };
      } catch {
        // Its message has the token.
        return { kind: 'unknown' };
      }
    },
  };
}

const NO_ANSWER: Proof = { kind: 'unavailable', why: 'Google Play gave no object' };

/** A resource ProductPurchaseV2 of the Android Publisher API. */
function proofOf(purchase: Readonly<Record<string, unknown>>, isTest: boolean): Proof {
  const { orderId, purchaseStateContext, productLineItem, testPurchaseContext, purchaseCompletionTime } = purchase;
  const state = isPlainObject(purchaseStateContext) ? purchaseStateContext['purchaseState'] : undefined;
  // A player pays it in cash later.
  if (state === 'PENDING') return { kind: 'unavailable', why: 'the purchase is not paid yet' };
  if (state !== 'PURCHASED' || typeof orderId !== 'string') return { kind: 'rejected', reason: 'not_purchased' };
  if (isTest !== isPlainObject(testPurchaseContext)) return { kind: 'rejected', reason: 'wrong_environment' };
  const purchasedAtMs = typeof purchaseCompletionTime === 'string' ? Date.parse(purchaseCompletionTime) : Number.NaN;
  if (Number.isNaN(purchasedAtMs)) return { kind: 'rejected', reason: 'malformed' };
  const items = Array.isArray(productLineItem) ? productLineItem.filter((item) => isPlainObject(item)) : [];
  if (items.length > 0 && items.every(isPaidBack)) return { kind: 'rejected', reason: 'refunded' };
  const productId = items[0]?.['productId'];
  return {
    kind: 'proven',
    transactionId: orderId,
    productId: typeof productId === 'string' ? productId : null,
    purchasedAtMs,
  };
}

function isPaidBack({ productOfferDetails: offer }: Readonly<Record<string, unknown>>): boolean {
  return isPlainObject(offer) && offer['refundableQuantity'] === 0;
}

/** What Google's client throws has the answer's status, if there was one. */
function statusOf(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('status' in error)) return undefined;
  return typeof error.status === 'number' ? error.status : undefined;
}

/** Google answers 400, 404 and 410 for tokens that it does not know, that are of another app, or too old. */
function failedBy(error: unknown): Proof {
  const status = statusOf(error);
  if (status === 400 || status === 404 || status === 410) return { kind: 'rejected', reason: 'not_purchased' };
  return { kind: 'unavailable', why: status === undefined ? 'no answer of Google' : `Google answered ${status}` };
}
