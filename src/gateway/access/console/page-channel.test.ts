import { expect, it } from 'vitest';
import { pageChannelOf } from './page-channel.ts';

type Headers = Readonly<Record<string, string>>;

const request = (headers: Headers) => ({
  getHeader: (name: string) => headers[name] ?? '',
  forEach: (each: (name: string, value: string) => void) => Object.entries(headers).forEach(([a, b]) => each(a, b)),
});

const cases: [Headers, ReturnType<typeof pageChannelOf>][] = [
  [{ host: 'localhost:8080' }, 'local'],
  [{ host: '127.0.0.1:8080', origin: 'http://127.0.0.1:8080' }, 'local'],
  [{ host: '[::1]:8080' }, 'local'],
  [{ host: 'localhost:8443', origin: 'https://localhost:8443' }, 'tls'],
  [{ host: 'localhost:8443', 'x-forwarded-proto': 'https' }, 'tls'],
  [{ host: 'localhost:8443', 'x-forwarded-proto': 'http, HTTPS' }, 'tls'],
  [{ host: 'localhost:8080', 'x-forwarded-proto': 'http' }, 'local'],
  [{ host: 'console.example.com' }, 'tls'],
  [{ host: 'console.example.com', origin: 'https://console.example.com' }, 'tls'],
  [{ host: 'console.example.com', origin: 'http://console.example.com' }, 'open'],
  [{ host: '10.0.0.5:8080', origin: 'http://10.0.0.5:8080' }, 'open'],
  // The page is what counts, not what a proxy says of itself.
  [{ host: '10.0.0.5:8080', origin: 'http://10.0.0.5:8080', 'x-forwarded-proto': 'https' }, 'open'],
  [{}, 'tls'],
];

it.each(cases)('a request with %j is %s', (headers, channel) => {
  expect(pageChannelOf(request(headers))).toBe(channel);
});
