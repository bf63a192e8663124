import { connect } from 'node:net';
import type { Owner } from '../../bench.ts';
import { monotonicMs } from '../../load/traffic/arrivals.ts';
import { times } from '../../figures/statistics.ts';
import { defineWorker } from '../worker.ts';

interface ChangeReadersSpec {
  /** The stream of changed flags, with its path. */
  url: string;
  key: string;
  readers: number;
}

/** When each reader was told a revision, on the machine's monotonic clock. */
interface Told {
  revision: number;
  atMs: number[];
}

/** Readers of the stream of changed flags in a process of their own. */
export interface ChangeReaders {
  /** The latest revision that a reader was told, and the times of all who were. */
  told(): Promise<Told>;
}

const CHANGES = '/v1/flags/changes';

/** Connects readers; resolves when every stream has begun. */
export async function startChangeReaders(
  owner: Owner,
  { baseUrl, clientKey: key }: { baseUrl: string; clientKey: string },
  readers: number,
): Promise<ChangeReaders> {
  const process = await changeReaders.start(owner, { url: baseUrl + CHANGES, key, readers });
  return { told: () => process.ask('told') };
}

/** Connections opened at a time: a server's accept queue holds a few hundred. */
const OPENED_AT_ONCE = 128;
const CHANGED = /id: (\d+)\nevent: flags_changed\n/;

const changeReaders = defineWorker(import.meta.url, async (spec: ChangeReadersSpec) => {
  let told: Told = { revision: 0, atMs: [] };
  const onText = (text: string): void => {
    const revision = Number(CHANGED.exec(text)?.[1] ?? 0);
    if (revision > told.revision) told = { revision, atMs: [] };
    if (revision === told.revision && revision > 0) told.atMs.push(monotonicMs());
  };
  const opening = times(spec.readers, () => () => openReader(spec, onText));
  for (let at = 0; at < opening.length; at += OPENED_AT_ONCE) {
    await Promise.all(opening.slice(at, at + OPENED_AT_ONCE).map((open) => open()));
  }
  return { told: () => told };
});

/** Resolves when the stream has begun. A message is small and comes in one piece. */
function openReader({ url, key }: ChangeReadersSpec, onText: (text: string) => void): Promise<void> {
  const { hostname, port, pathname, host } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) });
    let head = '';
    const onHead = (text: string): void => {
      head += text;
      if (!head.includes('event: connected')) return;
      if (!head.startsWith('HTTP/1.1 200')) return reject(new Error(`the stream was answered ${head.slice(0, 200)}`));
      socket.off('data', onHead).on('data', onText);
      resolve();
    };
    socket.setEncoding('latin1').on('data', onHead);
    socket.once('connect', () => {
      socket.write(`GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\nX-API-Key: ${key}\r\n\r\n`);
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`the stream ended: ${head.slice(0, 200)}`)));
  });
}
