import { createServer, type LookupFunction, type Server, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../core/kernel/clock.ts';
import { createHttpSender, type HttpSenderOptions } from '../../../streams/sinks/webhooks/delivery/http/http-sender.ts';
import type { DeliverySender } from '../../../streams/sinks/webhooks/delivery/sender.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../support/wire/webhook-receiver.ts';

/*
 * The sender never contacts a private address. A socket listens on every address of this machine, each test points a
 * webhook at it in another way, and the socket must not see a single connection.
 */

const closing: (() => unknown)[] = [];
let port: number;
let contacts: number;

beforeEach(async () => {
  contacts = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    contacts += 1;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
  });
  port = await listen(server);
  closing.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => {
      server.close(resolve);
    });
  });
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Listens on IPv4 and IPv6 where the machine has both. */
async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => {
    server.once('error', () => server.listen(0, '0.0.0.0', resolve));
    server.listen(0, '::', resolve);
  });
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** A look-up that gives these answers in order, and repeats the last one. */
function resolvingTo(...answers: readonly (readonly string[])[]) {
  const names: string[] = [];
  const lookup: LookupFunction = (host, options, callback) => {
    const addresses = answers[Math.min(names.length, answers.length - 1)] ?? [];
    names.push(host);
    const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    setImmediate(() => {
      if (options.all === true) callback(null, found);
      else callback(null, found[0]?.address ?? '', found[0]?.family);
    });
  };
  return { lookup, names };
}

function sender(some: Partial<HttpSenderOptions> = {}): DeliverySender {
  const made = createHttpSender({
    clock: systemClock,
    allowPrivateHosts: [],
    // Every name resolves to this machine, so that no test contacts another one.
    lookup: resolvingTo(['127.0.0.1']).lookup,
    ...some,
  });
  closing.push(() => made.close());
  return made;
}

const send = (from: DeliverySender, url: string) =>
  from.send({ url: url.replaceAll('PORT', String(port)), headers: {}, body: Buffer.from('{}'), timeoutMs: 10_000 });

it('control: the socket is reachable through an allowed host', async () => {
  expect(await send(sender({ allowPrivateHosts: ['127.0.0.1'] }), 'http://127.0.0.1:PORT/')).toMatchObject({
    status: 200,
  });
  expect(contacts).toBe(1);
});

describe('the sender refuses', () => {
  it.each([
    ['loopback', 'http://127.0.0.1:PORT/'],
    ['another loopback address', 'http://127.200.3.4:PORT/'],
    ['one number', 'http://2130706433:PORT/'],
    ['one hexadecimal number', 'http://0x7f000001:PORT/'],
    ['one octal number', 'http://017700000001:PORT/'],
    ['hexadecimal parts', 'http://0x7f.0x0.0x0.0x1:PORT/'],
    ['octal parts', 'http://0177.0.0.01:PORT/'],
    ['mixed parts', 'http://0x7f.1:PORT/'],
    ['two parts', 'http://127.1:PORT/'],
    ['three parts', 'http://127.0.1:PORT/'],
    ['a trailing dot', 'http://127.0.0.1.:PORT/'],
    ['the unspecified address', 'http://0.0.0.0:PORT/'],
    ['zero', 'http://0:PORT/'],
    ['full-width digits', 'http://１２７.０.０.１:PORT/'],
    ['circled digits', 'http://①②⑦.⓪.⓪.①:PORT/'],
    ['ideographic full stops', 'http://127。0。0。1:PORT/'],
    ['percent-encoded digits', 'http://%31%32%37.0.0.1:PORT/'],
    ['a tab inside', 'http://127.0.\t0.1:PORT/'],
    ['a soft hyphen inside', 'http://127.0.0\u00ad.1:PORT/'],
    ['credentials before it', 'http://user:secret@127.0.0.1:PORT/'],
    ['a public name as user', 'http://hooks.example.com@127.0.0.1:PORT/'],
    ['a public name behind a fragment', 'http://127.0.0.1:PORT#@hooks.example.com/'],
    ['no slashes', 'http:127.0.0.1:PORT/'],
    ['backslashes', 'http:\\\\127.0.0.1:PORT\\'],
    ['an upper-case scheme', 'HTTP://127.0.0.1:PORT/'],
    ['TLS', 'https://127.0.0.1:PORT/'],
    ['IPv6 loopback', 'http://[::1]:PORT/'],
    ['IPv6 loopback spelt out', 'http://[0:0:0:0:0:0:0:1]:PORT/'],
    ['IPv6 unspecified', 'http://[::]:PORT/'],
    ['IPv4-mapped', 'http://[::ffff:127.0.0.1]:PORT/'],
    ['IPv4-mapped in hexadecimal', 'http://[::ffff:7f00:1]:PORT/'],
    ['IPv4-compatible', 'http://[::127.0.0.1]:PORT/'],
    ['IPv4-translated', 'http://[::ffff:0:127.0.0.1]:PORT/'],
    ['NAT64', 'http://[64:ff9b::127.0.0.1]:PORT/'],
    ['local NAT64', 'http://[64:ff9b:1::7f00:1]:PORT/'],
    ['6to4', 'http://[2002:7f00:1::]:PORT/'],
    ['Teredo', 'http://[2001:0:7f00:1::]:PORT/'],
    ['IPv6 link-local', 'http://[fe80::1]:PORT/'],
    ['unique local', 'http://[fd00::1]:PORT/'],
    ['site-local', 'http://[fec0::1]:PORT/'],
    ['IPv6 multicast', 'http://[ff02::1]:PORT/'],
    ['metadata', 'http://169.254.169.254/latest/meta-data/'],
    ['metadata as one number', 'http://2852039166/latest/meta-data/'],
    ['metadata, IPv4-mapped', 'http://[::ffff:a9fe:a9fe]/latest/meta-data/'],
    ['metadata over IPv6', 'http://[fd00:ec2::254]/latest/meta-data/'],
    ['metadata inside shared space', 'http://100.100.100.200/latest/meta-data/'],
    ['metadata of protocol assignments', 'http://192.0.0.192/latest/'],
    ['class A private', 'http://10.0.0.1:PORT/'],
    ['class B private', 'http://172.31.255.254:PORT/'],
    ['class C private', 'http://192.168.0.1:PORT/'],
    ['carrier-grade NAT', 'http://100.64.0.1:PORT/'],
    ['benchmarking', 'http://198.18.0.1:PORT/'],
    ['multicast', 'http://224.0.0.1:PORT/'],
    ['broadcast', 'http://255.255.255.255:PORT/'],
  ])('%s', async (_, url) => {
    expect((await send(sender(), url)).kind).toBe('refused');
    expect(contacts).toBe(0);
  });

  it('private addresses of the machine’s own interfaces', async () => {
    const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
    for (const { address, family } of own) {
      const host = family === 'IPv6' ? `[${address.split('%')[0]}]` : address;
      const outcome = await send(sender(), `http://${host}:PORT/`);
      if (outcome.kind !== 'refused') expect(address).toMatch(/^(?!10\.|127\.|172\.|192\.168\.|169\.254\.|f|::)/);
      else expect(contacts).toBe(0);
    }
    expect(own.length).toBeGreaterThan(0);
  });

  it.each([
    ['an address with a zone', 'http://[fe80::1%25lo]:PORT/'],
    ['a number too large', 'http://4294967296:PORT/'],
    ['an octal digit that is none', 'http://0189.0.0.1:PORT/'],
    ['an empty host', 'http:///'],
    ['nothing', ''],
  ])('%s is not a valid URL', async (_, url) => {
    expect(await send(sender(), url)).toEqual({ kind: 'refused', reason: 'the URL is not valid' });
    expect(contacts).toBe(0);
  });

  it.each(['ftp', 'file', 'gopher', 'ws', 'unix', 'data', 'javascript', 'dict', 'ldap'])(
    'a URL with the scheme %s',
    async (scheme) => {
      expect((await send(sender(), `${scheme}://127.0.0.1:PORT/`)).kind).toBe('refused');
      expect(contacts).toBe(0);
    },
  );
});

describe('names', () => {
  it.each(['localhost', 'LOCALHOST', 'localhost.', 'ip6-localhost', 'metadata.google.internal', 'internal'])(
    'of private networks are refused: %s',
    async (name) => {
      expect((await send(sender(), `http://${name}:PORT/`)).kind).toBe('refused');
      expect(contacts).toBe(0);
    },
  );

  it('that the system resolves to loopback are refused', async () => {
    const asFound = createHttpSender({ clock: systemClock, allowPrivateHosts: [] });
    closing.push(() => asFound.close());
    expect((await send(asFound, 'http://localhost:PORT/')).kind).toBe('refused');
    expect(contacts).toBe(0);
  });

  it.each<[string, string[]]>([
    ['loopback', ['127.0.0.1']],
    ['loopback over IPv6', ['::1']],
    ['an IPv4-mapped address', ['::ffff:127.0.0.1']],
    ['an address with a zone', ['fe80::1%lo']],
    ['metadata', ['169.254.169.254']],
    ['a public address and a private one', ['93.184.216.34', '127.0.0.1']],
    ['a private address and public ones', ['127.0.0.1', '93.184.216.34', '2606:4700::1111']],
    ['text that is not an address', ['localhost']],
  ])('that resolve to %s are refused', async (_, addresses) => {
    const { lookup } = resolvingTo(addresses);
    expect(await send(sender({ lookup }), 'http://hooks.example.com:PORT/')).toEqual({
      kind: 'refused',
      reason: 'the name resolves to an address that is not public',
    });
    expect(contacts).toBe(0);
  });

  it('without an address are a failed connection', async () => {
    const outcome = await send(sender({ lookup: resolvingTo([]).lookup }), 'http://hooks.example.com:PORT/');
    expect(outcome.kind).toBe('connection_failed');
    expect(contacts).toBe(0);
  });

  it('that resolve differently the second time (DNS rebinding): the connection uses the checked address', async () => {
    // Public, but of an unallocated block: a connection to it fails.
    const { lookup, names } = resolvingTo(['2d00::1'], ['127.0.0.1']);
    const one = sender({ lookup });
    expect(['connection_failed', 'timed_out']).toContain((await send(one, 'http://hooks.example.com:PORT/')).kind);
    expect(names).toEqual(['hooks.example.com']);
    expect((await send(one, 'http://hooks.example.com:PORT/')).kind).toBe('refused');
    expect(contacts).toBe(0);
  });
});

describe('an allowed private host does not allow', () => {
  async function allowed(): Promise<WebhookReceiver> {
    const receiver = await startWebhookReceiver((_, response) => {
      response.writeHead(307, { Location: `http://127.0.0.1:${port}/` }).end();
    });
    closing.push(() => receiver.stop());
    return receiver;
  }

  it.each([301, 302, 303, 307, 308])('a redirect target: %i', async (status) => {
    const receiver = await startWebhookReceiver((_, response) => {
      response.writeHead(status, { Location: `http://127.0.0.1:${port}/` }).end();
    });
    closing.push(() => receiver.stop());
    const one = sender({ allowPrivateHosts: [`127.0.0.1:${receiver.port}`] });
    expect(await send(one, receiver.url)).toMatchObject({ kind: 'answered', status });
    expect(contacts).toBe(0);
  });

  it('another port of a host that is allowed with its port', async () => {
    const receiver = await allowed();
    const one = sender({ allowPrivateHosts: [`127.0.0.1:${receiver.port}`] });
    expect((await send(one, receiver.url)).kind).toBe('answered');
    expect((await send(one, 'http://127.0.0.1:PORT/')).kind).toBe('refused');
    expect(contacts).toBe(0);
  });

  it.each([
    'inner.test.evil.test',
    'evil-inner.test',
    'inner.test@evil.test',
    'inner',
    'sub.inner.test',
    'inner.test.',
  ])('a similar host name: %s', async (host) => {
    expect((await send(sender({ allowPrivateHosts: ['inner.test'] }), `http://${host}:PORT/`)).kind).toBe('refused');
    expect(contacts).toBe(0);
  });

  it('another name of the same address over the connection kept open', async () => {
    const one = sender({ allowPrivateHosts: ['inner.test'] });
    await send(one, 'http://inner.test:PORT/');
    expect(contacts).toBe(1);
    expect((await send(one, 'http://hooks.example.com:PORT/')).kind).toBe('refused');
    expect(contacts).toBe(1);
  });

  it('an address by means of a Host header', async () => {
    const outcome = await sender().send({
      url: `http://127.0.0.1:${port}/`,
      headers: { Host: 'hooks.example.com' },
      body: Buffer.from('{}'),
      timeoutMs: 10_000,
    });
    expect(outcome.kind).toBe('refused');
    expect(contacts).toBe(0);
  });
});
