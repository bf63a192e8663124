import * as http from 'node:http';
import * as https from 'node:https';
import type { AbortSignalLike } from '../platform.ts';

/** The start of a game waits for the stream, so until then it keeps the process alive. */
const START_MS = 1000;

/** A GET whose answer is read as it comes, on a connection of its own that keeps no process alive: `fetch` would. */
export function nodeStream(
  url: string,
  headers: Record<string, string>,
  signal: AbortSignalLike,
  received: (text: string) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const { request } = url.startsWith('https:') ? https : http;
    const options = { headers, agent: false, ...(signal instanceof AbortSignal && { signal }) };
    const sent = request(url, options, (answer) => {
      if (answer.statusCode !== 200) {
        sent.destroy(new Error(`The stream was answered with ${answer.statusCode}.`));
        return;
      }
      answer.setEncoding('utf8');
      answer.on('data', received);
      answer.on('close', resolve);
      answer.on('error', reject);
    });
    sent.on('socket', (socket) => {
      const release = () => socket.unref();
      socket.once('data', release);
      setTimeout(release, START_MS).unref();
    });
    sent.on('error', reject);
    sent.end();
  });
}
