import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/* An authenticator in software: it makes one passkey (ES256, WebAuthn level 3) and signs with it. */

export interface SoftwarePasskey {
  readonly id: string;
  /** What it counts; a copy of the passkey counts by itself. */
  counter: number;
  /** Answers `navigator.credentials.create()`. */
  attest(terms: Terms): object;
  /** Answers `navigator.credentials.get()`. */
  assert(terms: Terms & { userHandle: string }): object;
}

interface Terms {
  challenge: string;
  origin: string;
  rpId: string;
  /** Whether the user gave a finger, a face or a PIN; default: true. */
  verified?: boolean;
  /** Format of the attestation; default: none. */
  format?: string;
}

export function createSoftwarePasskey(): SoftwarePasskey {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const id = randomBytes(16);
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  // A COSE key: {1: 2 (EC2), 3: -7 (ES256), -1: 1 (P-256), -2: x, -3: y}.
  const cose = Buffer.concat([
    Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]),
    cborBytes(Buffer.from(x, 'base64url')),
    Buffer.from([0x22]),
    cborBytes(Buffer.from(y, 'base64url')),
  ]);

  const authenticatorData = ({ rpId, verified = true }: Terms, attested: Buffer): Buffer => {
    const flags = 0x01 | (verified ? 0x04 : 0) | (attested.length > 0 ? 0x40 : 0);
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(passkey.counter);
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), counter, attested]);
  };
  const clientData = (type: string, { challenge, origin }: Terms): Buffer =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));

  const passkey: SoftwarePasskey = {
    id: id.toString('base64url'),
    counter: 1,
    attest(terms) {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(id.length);
      const attested = Buffer.concat([Buffer.alloc(16), length, id, cose]);
      const { format = 'none' } = terms;
      const statement = format === 'none' ? Buffer.from([0xa0]) : certificates();
      const attestationObject = Buffer.concat([
        Buffer.from([0xa3]),
        cborText('fmt'),
        cborText(format),
        cborText('attStmt'),
        statement,
        cborText('authData'),
        cborBytes(authenticatorData(terms, attested)),
      ]);
      return {
        id: passkey.id,
        response: {
          clientDataJSON: clientData('webauthn.create', terms).toString('base64url'),
          attestationObject: attestationObject.toString('base64url'),
        },
      };
    },
    assert(terms) {
      passkey.counter += 1;
      const data = authenticatorData(terms, Buffer.alloc(0));
      const client = clientData('webauthn.get', terms);
      const signature = sign('sha256', Buffer.concat([data, sha256(client)]), privateKey);
      return {
        id: passkey.id,
        response: {
          clientDataJSON: client.toString('base64url'),
          authenticatorData: data.toString('base64url'),
          signature: signature.toString('base64url'),
          userHandle: Buffer.from(terms.userHandle).toString('base64url'),
        },
      };
    },
  };
  return passkey;
}

const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest();

/** Up to 255 bytes. */
const cborBytes = (bytes: Buffer): Buffer => Buffer.concat([Buffer.from([0x58, bytes.length]), bytes]);
/** Up to 23 bytes. */
const cborText = (text: string): Buffer => Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)]);
/** `{x5c: [a byte]}` */
const certificates = (): Buffer =>
  Buffer.concat([Buffer.from([0xa1]), cborText('x5c'), Buffer.from([0x81, 0x41, 0x00])]);
