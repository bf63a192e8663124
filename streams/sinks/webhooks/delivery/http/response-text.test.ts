import { describe, expect, it } from 'vitest';
import { responseText } from './response-text.ts';

const ATTEMPT = {
  url: 'https://hooks.example.com/services/T024BE7LD/xoxb-token?key=q-secret-1',
  headers: { Authorization: 'Bearer eyJ.secret', 'content-type': 'application/json', 'X-Team': 'eco' },
  body: Buffer.from('{"type":"player.created","data":{"email":"a@example.com","external_id":"leo"}}'),
};

describe('the text of a response', () => {
  it.each([
    ['headers: Authorization: Bearer eyJ.secret', 'headers: Authorization: [hidden]'],
    ['invalid token eyJ.secret', 'invalid token [hidden]'],
    ['POST /services/T024BE7LD/xoxb-token?key=q-secret-1', 'POST [hidden]'],
    ['unknown team T024BE7LD', 'unknown team [hidden]'],
    ['no key q-secret-1', 'no key [hidden]'],
    ['{"echo":{"data":{"email":"a@example.com"}}}', '{"echo":{"data":{"email":"[hidden]"}}}'],
  ])('%s has no secret of its request', (text, shown) => {
    expect(responseText(text, ATTEMPT)).toBe(shown);
  });

  it('is otherwise what the receiver sent', () => {
    for (const text of ['', 'must be application/json', 'write to help@crm.example, eco', 'leo']) {
      expect(responseText(text, ATTEMPT)).toBe(text);
    }
    expect(responseText('any @', { ...ATTEMPT, url: 'https://a.example/', headers: {} })).toBe('any @');
  });
});
