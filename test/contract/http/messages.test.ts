import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bodyOf } from '../../support/wire/api-body.ts';
import { createFakeLedger } from '../../support/in-memory/fake-ledger.ts';
import { startGateway, type Gateway } from '../../support/in-memory/http-gateway.ts';

let gateway: Gateway;
let key: string;
beforeEach(async () => {
  gateway = await startGateway();
  gateway.backend.reply = createFakeLedger();
  key = await gateway.key();
});
afterEach(() => gateway.close());

const PLAYER = '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11';
const SEGMENTS = '/v1/segments/segments';
const FLAG = { key: 'shop', flag_type: 'boolean' };
const CONTENT = { title: 'Hello', body: 'World' };

async function errorOf(method: string, path: string, body?: unknown) {
  const response = await gateway.call(key, method, path, body);
  return (await bodyOf(response)).error;
}

describe('an error message', () => {
  it('is one sentence about the body, and the fault in `details.fields` repeats no subject', async () => {
    const error = await errorOf('POST', '/v1/events/events', '{"player_id":');
    expect(error.message).toBe('The body is not valid JSON.');
    expect(error.details['fields']).toEqual([{ path: '', message: 'is not valid JSON' }]);
  });

  it('says that a purchase takes its amount as a query parameter, not in the body', async () => {
    const error = await errorOf('POST', `/v1/players/players/${PLAYER}/purchase`, { amount: 9.99 });
    expect(error.message).toBe('`amount` is required as a query parameter.');
    expect(error.details['fields']).toEqual([{ path: 'amount', message: 'is required as a query parameter' }]);
  });

  it('states the size of a list, and the maximum', async () => {
    const events = Array.from({ length: 101 }, () => ({ player_id: PLAYER, event_name: 'e' }));
    expect((await errorOf('POST', '/v1/events/events/batch', { events })).message).toBe(
      '`events` has 101 items; the maximum is 100.',
    );
  });

  it('names both headers when a gzip body is not declared as JSON', async () => {
    const response = await fetch(`${gateway.url}/v1/events/events`, {
      method: 'POST',
      headers: { 'X-API-Key': key, 'Content-Type': 'application/gzip' },
      body: gzipSync('{}'),
    });
    expect(response.status).toBe(415);
    const { message } = (await bodyOf(response)).error;
    expect(message).toContain('Content-Type must be application/json');
    expect(message).toContain('Content-Encoding: gzip');
  });

  it('says "Method not allowed." for a method that a path does not support', async () => {
    expect((await errorOf('DELETE', '/v1/events/events')).message).toBe('Method not allowed.');
  });

  it('says whether the API key is missing or invalid', async () => {
    const missing = await fetch(`${gateway.url}/v1/flags/flags?token=st_x`);
    expect((await bodyOf(missing)).error.message).toContain('No API key was sent.');
    const unknown = await fetch(`${gateway.url}/v1/flags/flags`, { headers: { 'X-API-Key': 'sk_live_unknown' } });
    expect((await bodyOf(unknown)).error.message).toContain('The API key is unknown, revoked or expired.');
  });

  it('suggests the id of a segment when a rule names the segment by its key', async () => {
    const made = await gateway.call(key, 'POST', SEGMENTS, { key: 'spenders', conditions: { is_payer: true } });
    const id = String((await bodyOf(made)).data['segment_id']);
    const flag = { ...FLAG, targeting_rules: [{ segment_id: 'spenders' }] };
    const expected = `the segment with the key \`spenders\` has the id \`${id}\``;
    expect((await errorOf('POST', '/v1/flags/flags', flag)).message).toContain(expected);
    const campaign = { key: 'c', trigger: { event: 'e' }, content: CONTENT, audience: 'spenders' };
    expect((await errorOf('POST', '/v1/campaigns/campaigns', campaign)).message).toContain(expected);
  });

  it('shows the form of a segment id when no segment has the key either', async () => {
    const flag = { ...FLAG, targeting_rules: [{ segment_id: 'nobody' }] };
    const { message } = await errorOf('POST', '/v1/flags/flags', flag);
    expect(message).toBe('`targeting_rules/0/segment_id` must be the id of a segment of this game (`seg_…`).');
  });
});

describe('the OpenAPI text of free-form properties', () => {
  it('states the bound of the object and the bound of each string in it', async () => {
    const text = await (await fetch(`${gateway.url}/openapi.json`)).text();
    expect(text.includes('65536 bytes as JSON; each string at most 8192 bytes.')).toBe(true);
  });
});
