import { setTimeout as sleep } from 'node:timers/promises';

/** A session with the inspector of a Node process (the Chrome DevTools Protocol). */
export interface InspectorSession {
  /** Resolves to the answer's `result` as JSON text; rejects when the method fails or the process ends. */
  send(method: string, params?: object): Promise<string>;
  close(): void;
}

const CONNECT_TIMEOUT_MS = 10_000;
const CONNECT_RETRY_MS = 50;

/** @param port where the process opens its inspector (`--inspect=127.0.0.1:<port>`) */
export async function connectInspector(port: number): Promise<InspectorSession> {
  const socket = new WebSocket(await socketUrl(port));
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve(), { once: true });
    socket.addEventListener('error', () => reject(new Error('the inspector refused the connection')), { once: true });
  });

  const waiting = new Map<number, { resolve: (text: string) => void; reject: (error: Error) => void }>();
  let lastId = 0;
  socket.addEventListener('message', ({ data }) => {
    const message: { id?: number; result?: object; error?: { message: string } } = JSON.parse(String(data));
    const one = waiting.get(message.id ?? 0);
    waiting.delete(message.id ?? 0);
    if (message.error !== undefined) one?.reject(new Error(message.error.message));
    else one?.resolve(JSON.stringify(message.result ?? {}));
  });
  socket.addEventListener('close', () => {
    for (const { reject } of waiting.values()) reject(new Error('the inspected process ended the connection'));
  });

  return {
    send(method, params = {}) {
      lastId += 1;
      const id = lastId;
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        socket.send(JSON.stringify({ id, method, params }));
      });
    },
    close: () => socket.close(),
  };
}

/** The inspector opens with the process, which may only just have started. */
async function socketUrl(port: number): Promise<string> {
  const untilMs = performance.now() + CONNECT_TIMEOUT_MS;
  for (;;) {
    try {
      const response = await fetch(`http://127.0.0.1:${port}/json/list`);
      const targets: { webSocketDebuggerUrl: string }[] = JSON.parse(await response.text());
      const [target] = targets;
      if (target !== undefined) return target.webSocketDebuggerUrl;
    } catch (error) {
      if (performance.now() > untilMs) throw error;
    }
    await sleep(CONNECT_RETRY_MS);
  }
}
