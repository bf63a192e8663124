import type { Service } from './service.ts';

/** A deployment that runs elsewhere: only its HTTP interface is used. */
export function remoteService(url: string, key: string): Service {
  return {
    kind: 'remote',
    baseUrl: url.replace(/\/+$/, ''),
    key,
    pids: () => ({}),
    countRows: undefined,
    stop: () => Promise.resolve(),
  };
}
