import { readFile } from 'node:fs/promises';
import type { LookupOptions } from 'node:dns';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../../core/kernel/clock.ts';
import { DELIVERY_HTTP_LIMITS } from '../../../../streams/sinks/webhooks/delivery/http/limits.ts';
import type { HostFiles } from '../../../../streams/sinks/webhooks/delivery/http/host-files.ts';
import { createHttpSender } from '../../../../streams/sinks/webhooks/delivery/http/http-sender.ts';
import { createResolver } from '../../../../streams/sinks/webhooks/delivery/http/resolver.ts';
import { startDnsServer, type DnsAnswer, type DnsServer } from '../../../support/servers/dns-server.ts';
import { startWebhookReceiver } from '../../../support/wire/webhook-receiver.ts';

/* Look-ups at a real name server that answers some names and never answers others. */

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const NO_FILES: HostFiles = { addressesOf: () => [], searchDomains: () => [] };

async function resolverFor(answers: Record<string, DnsAnswer>, hostFiles = NO_FILES) {
  const server: DnsServer = await startDnsServer((name) =>
    name.endsWith('silent.test') ? 'silent' : (answers[name] ?? 'unknown'),
  );
  closing.push(() => server.stop());
  return { server, lookup: createResolver({ clock: systemClock, servers: [server.address], hostFiles }) };
}

type Lookup = Awaited<ReturnType<typeof resolverFor>>['lookup'];

/** The addresses of a name, or the error code. */
function addressesOf(lookup: Lookup, name: string, options: LookupOptions = {}): Promise<string[] | string> {
  return new Promise((resolve) => {
    lookup(name, { ...options, all: true }, (error, found) => {
      if (error !== null) resolve(error.code ?? 'no code');
      else resolve(typeof found === 'string' ? [found] : found.map(({ address }) => address));
    });
  });
}

describe('name servers that never answer', () => {
  it('delay no delivery of other webhooks, no file access and no other look-up', async () => {
    const receiver = await startWebhookReceiver();
    closing.push(() => receiver.stop());
    const { lookup } = await resolverFor({ 'healthy.test': ['127.0.0.1'] });
    const sender = createHttpSender({ clock: systemClock, allowPrivateHosts: ['healthy.test'], lookup });
    closing.push(() => sender.close());
    const send = (host: string) =>
      sender.send({
        url: `http://${host}:${receiver.port}/hook`,
        headers: {},
        body: Buffer.from('{}'),
        timeoutMs: 30_000,
      });

    let unanswered = 100;
    const stuck = Array.from({ length: unanswered }, (_, i) =>
      send(`h${i}.silent.test`).then((outcome) => {
        unanswered -= 1;
        return outcome;
      }),
    );
    for (let i = 0; i < 20; i++) expect(await send('healthy.test')).toMatchObject({ status: 200 });
    // Reading a file takes one of libuv's threads.
    await readFile(import.meta.filename);
    expect(unanswered).toBe(100);
    expect(receiver.requests).toHaveLength(20);

    const outcomes = await Promise.all(stuck);
    expect(new Set(outcomes.map((outcome) => JSON.stringify(outcome)))).toEqual(
      new Set([JSON.stringify({ kind: 'connection_failed', reason: 'ETIMEOUT' })]),
    );
  });

  it('get one query for a name however many look-ups wait for it, and none for a while after a failure', async () => {
    const { lookup, server } = await resolverFor({});
    const answers = await Promise.all(Array.from({ length: 50 }, () => addressesOf(lookup, 'one.silent.test')));
    expect(new Set(answers)).toEqual(new Set(['ETIMEOUT']));
    // A and AAAA, each with retries.
    const queried = server.queried.length;
    expect(queried).toBeLessThanOrEqual(2 * DELIVERY_HTTP_LIMITS.dnsTries);
    expect(await addressesOf(lookup, 'one.silent.test')).toBe('ETIMEOUT');
    expect(server.queried).toHaveLength(queried);
  });

  it('hold no more look-ups in progress than the bound; further ones fail at once', async () => {
    const { lookup } = await resolverFor({});
    const many = Array.from({ length: DELIVERY_HTTP_LIMITS.dnsLookups + 10 }, (_, i) =>
      addressesOf(lookup, `m${i}.silent.test`),
    );
    expect(await Promise.all(many.slice(DELIVERY_HTTP_LIMITS.dnsLookups))).toEqual(Array<string>(10).fill('EBUSY'));
    expect(new Set(await Promise.all(many))).toEqual(new Set(['ETIMEOUT', 'EBUSY']));
  });
});

describe('a name', () => {
  it('resolves to its IPv4 addresses, then its IPv6 addresses; or to those of the requested family', async () => {
    const { lookup } = await resolverFor({ 'both.test': ['2606:4700:0:0:0:0:0:1111', '192.0.2.1', '192.0.2.2'] });
    expect(await addressesOf(lookup, 'both.test')).toEqual(['192.0.2.1', '192.0.2.2', '2606:4700::1111']);
    expect(await addressesOf(lookup, 'BOTH.test', { family: 6 })).toEqual(['2606:4700::1111']);
    expect(await addressesOf(lookup, 'both.test.', { family: 4 })).toEqual(['192.0.2.1', '192.0.2.2']);
  });

  it('that does not exist fails with ENOTFOUND', async () => {
    const { lookup } = await resolverFor({});
    expect(await addressesOf(lookup, 'nobody.test')).toBe('ENOTFOUND');
  });

  it('in /etc/hosts, an address literal and localhost need no query', async () => {
    const files = { ...NO_FILES, addressesOf: (name: string) => (name === 'db' ? ['10.0.0.7'] : []) };
    const { lookup, server } = await resolverFor({}, files);
    expect(await addressesOf(lookup, 'DB')).toEqual(['10.0.0.7']);
    expect(await addressesOf(lookup, '192.0.2.7')).toEqual(['192.0.2.7']);
    expect(await addressesOf(lookup, 'localhost')).toEqual(['127.0.0.1', '::1']);
    expect(server.queried).toEqual([]);
  });

  it('that does not exist is looked up under the search domains, unless it ends with a dot', async () => {
    const files = { ...NO_FILES, searchDomains: () => ['a.test', 'b.test'] };
    const { lookup, server } = await resolverFor({ 'receiver.b.test': ['10.0.0.8'] }, files);
    expect(await addressesOf(lookup, 'receiver')).toEqual(['10.0.0.8']);
    expect([...new Set(server.queried)]).toEqual(['receiver', 'receiver.a.test', 'receiver.b.test']);
    expect(await addressesOf(lookup, 'receiver.')).toBe('ENOTFOUND');
  });

  it('may have many addresses; the look-up returns some of them', async () => {
    const many = Array.from({ length: 25 }, (_, i) => `192.0.2.${i + 1}`);
    const { lookup } = await resolverFor({ 'many.test': many });
    expect(await addressesOf(lookup, 'many.test')).toHaveLength(DELIVERY_HTTP_LIMITS.dnsAddresses);
  });
});
