import { type KeyObject, sign } from 'node:crypto';
import { type Certificate, type CertificateOptions, makeCertificate } from './certificates.ts';

/* An App Store with certificates of its own: it signs transactions and notifications as Apple's does. */

const LEAF_MARK = '1.2.840.113635.100.6.11.1';
const INTERMEDIATE_MARK = '1.2.840.113635.100.6.2.1';

export const APP = { bundleId: 'com.example.game', appAppleId: 1_234 };

export interface ChainOptions {
  root?: Partial<CertificateOptions>;
  intermediate?: Partial<CertificateOptions>;
  leaf?: Partial<CertificateOptions>;
}

export interface AppStore {
  /** DER in base64. */
  root: string;
  /** A signed transaction. Fields replace those of a valid one of production. */
  transaction(fields?: Record<string, unknown>, signing?: Signing): string;
  /** A signed notification of a refund. */
  refund(fields?: Record<string, unknown>, notification?: Record<string, unknown>): string;
  sign(payload: Record<string, unknown>, signing?: Signing): string;
}

interface Signing {
  header?: Record<string, unknown>;
  key?: KeyObject;
}

export function openAppStore({ root = {}, intermediate = {}, leaf = {} }: ChainOptions = {}): AppStore {
  const top = makeCertificate({ name: 'Test Root', isAuthority: true, ...root });
  const middle = makeCertificate({
    name: 'Test Intermediate',
    issuer: top,
    isAuthority: true,
    marks: [INTERMEDIATE_MARK],
    ...intermediate,
  });
  const end: Certificate = makeCertificate({ name: 'Test Store', issuer: middle, marks: [LEAF_MARK], ...leaf });
  const x5c = [end.base64, middle.base64, top.base64];

  const signed = (payload: Record<string, unknown>, { header = {}, key = end.key }: Signing = {}): string => {
    const text = [{ alg: 'ES256', x5c, ...header }, payload]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' });
    return `${text}.${signature.toString('base64url')}`;
  };
  const transaction = (fields: Record<string, unknown> = {}, signing?: Signing): string =>
    signed(
      {
        transactionId: '2000000001',
        originalTransactionId: '2000000001',
        bundleId: APP.bundleId,
        productId: 'gems_100',
        purchaseDate: Date.now() - 60_000,
        signedDate: Date.now() - 30_000,
        environment: 'Production',
        inAppOwnershipType: 'PURCHASED',
        type: 'Consumable',
        quantity: 1,
        ...fields,
      },
      signing,
    );
  return {
    root: top.base64,
    sign: signed,
    transaction,
    refund: (fields = {}, notification = {}) =>
      signed({
        notificationType: 'REFUND',
        notificationUUID: '002e14d5-51f5-4503-b5a8-c3a1af68eb20',
        version: '2.0',
        signedDate: Date.now(),
        data: {
          ...APP,
          environment: 'Production',
          signedTransactionInfo: transaction({ revocationDate: 1_768_473_000_000, revocationReason: 0, ...fields }),
        },
        ...notification,
      }),
  };
}
