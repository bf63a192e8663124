import { request, type Agent } from 'node:http';

export interface FuzzedRequest {
  method: string;
  path: string;
  headers: Readonly<Record<string, string>>;
  body: Uint8Array | undefined;
}

/** @returns the status, or the error instead of one */
export function sendRequest(agent: Agent, port: number, wanted: FuzzedRequest): Promise<number | string> {
  const { method, path, headers, body } = wanted;
  return new Promise((resolve) => {
    try {
      const length: Record<string, string> = body === undefined ? {} : { 'Content-Length': String(body.length) };
      const sent = request({ agent, host: '127.0.0.1', port, method, path, headers: { ...headers, ...length } });
      // A stream does not end by itself; only its status is needed.
      sent.setTimeout(20_000, () => sent.destroy(new Error('no answer within 20 s')));
      sent.on('response', (response) => {
        const isStream = response.headers['content-type'] === 'text/event-stream';
        if (isStream) sent.destroy();
        response.resume();
        resolve(response.statusCode ?? 'no status');
      });
      sent.on('error', (error) => resolve(error.message));
      sent.end(body);
    } catch (error) {
      // Node refuses some header values and targets.
      resolve(`not sent: ${error instanceof Error ? error.message : String(error)}`);
    }
  });
}
