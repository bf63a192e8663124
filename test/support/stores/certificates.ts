import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

/* X.509 certificates with keys on P-256, as the App Store's chain has them (RFC 5280, DER). */

export interface Certificate {
  /** DER in base64. */
  base64: string;
  name: string;
  key: KeyObject;
}

export interface CertificateOptions {
  name: string;
  /** Default: itself. */
  issuer?: Certificate;
  isAuthority?: boolean;
  /** Further extensions by their ids; their values are NULL. */
  marks?: readonly string[];
  fromMs?: number;
  toMs?: number;
}

const DAY_MS = 86_400_000;
let serial = 1;

export function makeCertificate(options: CertificateOptions): Certificate {
  const { name, issuer, isAuthority = false, marks = [] } = options;
  const { fromMs = Date.now() - 400 * DAY_MS, toMs = Date.now() + 365 * DAY_MS } = options;
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const constraints = sequence(isAuthority ? der(0x01, Buffer.from([0xff])) : Buffer.alloc(0));
  const extensions = [
    sequence(objectId('2.5.29.19'), der(0x01, Buffer.from([0xff])), der(0x04, constraints)),
    ...marks.map((mark) => sequence(objectId(mark), der(0x04, der(0x05, Buffer.alloc(0))))),
  ];
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([(serial += 1) & 0x7f])),
    ECDSA_SHA256,
    nameOf(issuer?.name ?? name),
    sequence(time(fromMs), time(toMs)),
    nameOf(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...extensions)),
  );
  const signature = sign('sha256', body, issuer?.key ?? privateKey);
  const bits = der(0x03, Buffer.concat([Buffer.from([0]), signature]));
  return { base64: sequence(body, ECDSA_SHA256, bits).toString('base64'), name, key: privateKey };
}

function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const sequence = (...parts: readonly Buffer[]): Buffer => der(0x30, Buffer.concat(parts));

function objectId(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  const bytes = [first * 40 + second];
  for (const arc of rest) {
    const groups = [arc & 0x7f];
    for (let left = arc >> 7; left > 0; left >>= 7) groups.unshift((left & 0x7f) | 0x80);
    bytes.push(...groups);
  }
  return der(0x06, Buffer.from(bytes));
}

const ECDSA_SHA256 = sequence(objectId('1.2.840.10045.4.3.2'));

const nameOf = (name: string): Buffer =>
  sequence(der(0x31, sequence(objectId('2.5.4.3'), der(0x0c, Buffer.from(name)))));

/** GeneralizedTime. */
function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replaceAll(/[-:T]/g, '').slice(0, 14);
  return der(0x18, Buffer.from(`${digits}Z`));
}
