import type * as Library from '@apple/app-store-server-library';
import type {
  JWSTransactionDecodedPayload,
  SignedDataVerifier,
  VerificationException,
} from '@apple/app-store-server-library';
import type { AppleSettings } from '../../core/vocabulary/stores.ts';
import type { Environment } from '../../core/vocabulary/documents/scope.ts';
import type { ReceiptReason } from '../../core/vocabulary/state/receipt.ts';
import { APPLE_ROOT } from './apple-root.ts';
import { RECEIPT_LIMITS } from './limits.ts';
import type { Notice, Proof, StoreVerifier } from './store-verifier.ts';

type AppleLibrary = typeof Library;

/**
 * Receipts and notifications of the App Store, verified by Apple's library without the network: the signature, the
 * chain to Apple's root with the marks of the App Store, its validity when it was signed, the app and the environment.
 * @param roots DER in base64; tests pass their own
 */
export function createAppleStore(
  library: AppleLibrary,
  roots: readonly string[] = [APPLE_ROOT],
): Pick<StoreVerifier, 'appleReceipt' | 'appleNotice'> {
  const certificates = roots.map((root) => Buffer.from(root, 'base64'));
  const verifiers = new Map<string, SignedDataVerifier>();

  function verifierOf({ bundleId, appAppleId }: AppleSettings, environment: Environment): SignedDataVerifier {
    const key = `${environment} ${bundleId} ${appAppleId}`;
    const held = verifiers.get(key);
    if (held !== undefined) return held;
    const { PRODUCTION, SANDBOX } = library.Environment;
    const store = environment === 'live' ? PRODUCTION : SANDBOX;
    const made = new library.SignedDataVerifier(certificates, false, store, bundleId, appAppleId ?? undefined);
    if (verifiers.size >= RECEIPT_LIMITS.verifiers) verifiers.clear();
    verifiers.set(key, made);
    return made;
  }

  function rejected(error: unknown): { kind: 'rejected'; reason: ReceiptReason } {
    const isKnown = error instanceof library.VerificationException;
    return { kind: 'rejected', reason: isKnown ? reasonOf(error, library) : 'malformed' };
  }

  return {
    async appleReceipt(app, environment, payload): Promise<Proof> {
      if (!isSigned(payload)) return { kind: 'rejected', reason: 'malformed' };
      try {
        return proofOf(await verifierOf(app, environment).verifyAndDecodeTransaction(payload));
      } catch (error) {
        return rejected(error);
      }
    },
    async appleNotice(app, environment, payload): Promise<Notice> {
      const verifier = verifierOf(app, environment);
      try {
        const { notificationType: type = '', data } = await verifier.verifyAndDecodeNotification(payload);
        if (type !== 'REFUND' || data?.signedTransactionInfo === undefined) return { kind: 'other', type };
        return refundOf(await verifier.verifyAndDecodeTransaction(data.signedTransactionInfo));
      } catch (error) {
        return rejected(error);
      }
    },
  };
}

/** Whether a text has the form of a signed JSON text (RFC 7515). */
function isSigned(payload: string): boolean {
  const parts = payload.split('.');
  return parts.length === 3 && parts.every((part) => /^[\w-]*$/.test(part));
}

function reasonOf({ status }: VerificationException, { VerificationStatus: is }: AppleLibrary): ReceiptReason {
  if (status === is.INVALID_APP_IDENTIFIER) return 'wrong_app';
  if (status === is.INVALID_ENVIRONMENT) return 'wrong_environment';
  if (status === is.INVALID_CERTIFICATE) return 'invalid_certificate';
  return status === is.FAILURE ? 'malformed' : 'invalid_signature';
}

/** A purchase that a family member shares was paid by another player. */
function proofOf(transaction: JWSTransactionDecodedPayload): Proof {
  const { transactionId, productId = null, purchaseDate, revocationDate, inAppOwnershipType } = transaction;
  if (transactionId === undefined || purchaseDate === undefined) return { kind: 'rejected', reason: 'malformed' };
  if (revocationDate !== undefined) return { kind: 'rejected', reason: 'refunded' };
  if (inAppOwnershipType === 'FAMILY_SHARED') return { kind: 'rejected', reason: 'not_purchased' };
  return { kind: 'proven', transactionId, productId, purchasedAtMs: purchaseDate };
}

/** A percentage of Apple's is in thousandths of a percent. */
const WHOLE = 100_000;

function refundOf(transaction: JWSTransactionDecodedPayload): Notice {
  const { transactionId, revocationDate = 0, purchaseDate: purchasedAtMs = 0, revocationPercentage } = transaction;
  if (transactionId === undefined) return { kind: 'rejected', reason: 'malformed' };
  const isPart = revocationPercentage !== undefined && revocationPercentage > 0 && revocationPercentage < WHOLE;
  const share = isPart ? revocationPercentage / WHOLE : 1;
  return { kind: 'refunded', transactionId, share, atMs: revocationDate, purchasedAtMs };
}
