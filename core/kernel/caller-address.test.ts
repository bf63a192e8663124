import { describe, expect, it } from 'vitest';
import { createCallerAddresses } from './caller-address.ts';

describe('the network of a caller', () => {
  const direct = createCallerAddresses([]);
  const behind = createCallerAddresses(['127.0.0.1', '10.0.0.0/8', '2001:db8:ffff::/48']);

  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:0db8:0001:0002:0000:0000:0000:0001', '2001:db8:1:2'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['::1', '0:0:0:0'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['0000:0000:0000:0000:0000:ffff:c000:0207', '192.0.2.7'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
  ])('of %s is %s', (peer, network) => {
    expect(direct.networkOf(peer, '')).toBe(network);
  });

  it('is that of the connection unless the peer is a trusted proxy', () => {
    expect(direct.networkOf('127.0.0.1', '198.51.100.1')).toBe('127.0.0.1');
    expect(behind.networkOf('192.0.2.7', '198.51.100.1')).toBe('192.0.2.7');
  });

  it.each([
    ['198.51.100.1', '198.51.100.1'],
    ['203.0.113.9, 198.51.100.1', '198.51.100.1'],
    ['203.0.113.9,198.51.100.1 , 10.1.2.3', '198.51.100.1'],
    ['203.0.113.9, 10.1.2.3', '203.0.113.9'],
    ['10.9.9.9, 10.1.2.3', '10.9.9.9'],
    ['198.51.100.1:4711', '198.51.100.1'],
    ['[2001:db8:1:2::5]:4711', '2001:db8:1:2'],
    ['2001:db8:1:2::5', '2001:db8:1:2'],
    ['198.51.100.1, unknown', '127.0.0.1'],
    ['', '127.0.0.1'],
    [',,', '127.0.0.1'],
    ['[', '127.0.0.1'],
  ])('behind a trusted proxy that says "%s" is %s', (header, network) => {
    expect(behind.networkOf('127.0.0.1', header)).toBe(network);
  });

  it('is found in bounded steps', () => {
    expect(behind.networkOf('127.0.0.1', Array(2_000).fill('10.1.1.1').join(','))).toBe('10.1.1.1');
  });

  it.each(['10.0.0.0/33', 'proxy.local', '10.0.0.0/', '10.0.0.0/x', '::/129', ''])(
    'rejects the proxy "%s"',
    (proxy) => {
      expect(() => createCallerAddresses([proxy])).toThrow('neither an IP address nor a network');
    },
  );
});
