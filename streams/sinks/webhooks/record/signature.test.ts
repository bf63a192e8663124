import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { signDelivery } from './signature.ts';
import { A_SECRET } from '../testing-webhooks.ts';

const BODY = Buffer.from('{"id":"1","data":{"name":"é\\n"}}', 'utf8');
const nowSeconds = () => Math.floor(Date.now() / 1000);

describe('signatures', () => {
  it("X-Service-Signature is the hex HMAC-SHA256 of the body, keyed with the secret's full text", () => {
    const expected = createHmac('sha256', A_SECRET).update(BODY).digest('hex');
    expect(signDelivery(A_SECRET, 'd1', 1, BODY)['X-Service-Signature']).toBe(`sha256=${expected}`);
    expect(expected).toMatch(/^[0-9a-f]{64}$/);
  });

  it('the Standard Webhooks headers verify with the public library', () => {
    const headers = signDelivery(A_SECRET, 'd1', nowSeconds(), BODY);
    expect(new Webhook(A_SECRET).verify(BODY.toString('utf8'), { ...headers })).toEqual(JSON.parse(BODY.toString()));
  });

  it('after a rotation the library verifies with either secret, and so does a plain HMAC', () => {
    const previous = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
    const headers = signDelivery(A_SECRET, 'd1', nowSeconds(), BODY, previous);
    for (const secret of [A_SECRET, previous]) {
      expect(() => new Webhook(secret).verify(BODY.toString('utf8'), headers)).not.toThrow();
    }
    const wrong = 'whsec_AAAAsBQIhrscChlQIMV+b5sSYspob7oD';
    expect(() => new Webhook(wrong).verify(BODY.toString('utf8'), headers)).toThrow();
    const plain = (secret: string) => `sha256=${createHmac('sha256', secret).update(BODY).digest('hex')}`;
    expect(headers['X-Service-Signature']).toBe(plain(A_SECRET));
    expect(headers['X-Service-Signature-Previous']).toBe(plain(previous));
    expect(headers['webhook-signature'].split(' ')).toHaveLength(2);
  });

  it('a changed body does not verify', () => {
    const headers = signDelivery(A_SECRET, 'd1', nowSeconds(), BODY);
    expect(() => new Webhook(A_SECRET).verify('{"id":"2"}', { ...headers })).toThrow();
  });

  it.each(['just text', 'whsec_not*base64', 'whsec_', 'schlüssel'])(
    'a secret that is not a whsec_ key is used as UTF-8 bytes: %s',
    (secret) => {
      const headers = signDelivery(secret, 'd1', nowSeconds(), BODY);
      const library = new Webhook(Buffer.from(secret, 'utf8').toString('base64'));
      expect(() => library.verify(BODY.toString('utf8'), { ...headers })).not.toThrow();
    },
  );
});
