import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startGateway, type Gateway } from '../../support/in-memory/http-gateway.ts';

let gateway: Gateway;
beforeEach(async () => {
  gateway = await startGateway();
});
afterEach(() => gateway.close());

describe('the API description', () => {
  async function get(headers: Record<string, string>): Promise<{ status: number; headers: Headers; bytes: Buffer }> {
    const { request } = await import('node:http');
    return new Promise((resolve, reject) => {
      const sent = request(`${gateway.url}/openapi.json`, { headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const all = new Headers();
          for (const [name, value] of Object.entries(response.headers)) all.set(name, String(value));
          resolve({ status: response.statusCode ?? 0, headers: all, bytes: Buffer.concat(chunks) });
        });
      });
      sent.on('error', reject);
      sent.end();
    });
  }

  it('is compressed for those who take it, and the same for all', async () => {
    const plain = await get({});
    const zipped = await get({ 'Accept-Encoding': 'gzip' });
    const brotli = await get({ 'Accept-Encoding': 'gzip, br' });
    expect([plain, zipped, brotli].map(({ headers }) => headers.get('content-encoding'))).toEqual([null, 'gzip', 'br']);
    expect(gunzipSync(zipped.bytes).equals(plain.bytes)).toBe(true);
    expect(brotliDecompressSync(brotli.bytes).equals(plain.bytes)).toBe(true);
    expect(brotli.bytes.length).toBeLessThan(plain.bytes.length / 10);
    const document: { openapi: string; paths: Record<string, unknown> } = JSON.parse(plain.bytes.toString('utf8'));
    expect(document.openapi).toBe('3.1.0');
    expect(Object.keys(document.paths)).toContain('/v1/events/events');
  });

  it('is 304 for those who hold it', async () => {
    const first = await get({ 'Accept-Encoding': 'gzip' });
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[0-9a-f]{16}-gzip"$/);
    const again = await get({ 'Accept-Encoding': 'gzip', 'If-None-Match': `W/${etag}` });
    expect([again.status, again.bytes.length, again.headers.get('etag')]).toEqual([304, 0, etag]);
    expect((await get({ 'If-None-Match': etag })).status).toBe(200);
  });
});
