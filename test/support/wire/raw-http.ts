import { connect } from 'node:net';

/** The bytes that a raw connection received, and whether the server closed it. */
export interface RawResult {
  text: string;
  /** Status of the first answer; undefined if there is none. */
  status: number | undefined;
  closedByServer: boolean;
}

/**
 * Sends bytes unchanged, and reads until the server closes or `done` returns true.
 * @param parts written one after another, as soon as the socket accepts them
 */
export function sendRaw(
  port: number,
  parts: readonly (string | Uint8Array)[],
  done: (text: string) => boolean = () => false,
): Promise<RawResult> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    let settled = false;
    const finish = (closedByServer: boolean): void => {
      if (settled) return;
      settled = true;
      socket.destroy();
      const status = /^HTTP\/1\.1 (\d+)/.exec(text)?.[1];
      resolve({ text, status: status === undefined ? undefined : Number(status), closedByServer });
    };
    socket.on('data', (data) => {
      text += data.toString('latin1');
      if (done(text)) finish(false);
    });
    socket.on('error', () => finish(true));
    socket.on('close', () => finish(true));
    for (const part of parts) socket.write(part);
  });
}

/** Whether one complete answer with a Content-Length has arrived. */
export function isWhole(text: string): boolean {
  const head = text.indexOf('\r\n\r\n');
  const length = /content-length: (\d+)/i.exec(text)?.[1];
  return head >= 0 && length !== undefined && text.length >= head + 4 + Number(length);
}

/** One answer, parsed by the rules of RFC 9112. */
export interface RawAnswer {
  status: number;
  /** Values by lower-case name; values of a repeated name are joined by a comma. */
  headers: Map<string, string>;
  body: string;
}

/** A connection that sends requests unchanged and reads one answer after another. */
export interface RawConnection {
  send(bytes: string | Uint8Array): void;
  /**
   * Reads the next answer; rejects when the connection ends first, or when its bytes are not HTTP.
   * @param method of the request: an answer to HEAD has no body
   */
  answer(method: string): Promise<RawAnswer>;
  /** Resolves when the server has closed the connection. */
  readonly closed: Promise<void>;
  destroy(): void;
}

export function openRaw(port: number): RawConnection {
  const socket = connect(port, '127.0.0.1');
  let bytes = '';
  let ended = false;
  let changed: () => void = () => {};
  socket.on('data', (data) => {
    bytes += data.toString('latin1');
    changed();
  });
  socket.on('error', () => {});
  const closed = new Promise<void>((resolve) => {
    socket.on('close', () => {
      ended = true;
      changed();
      resolve();
    });
  });
  return {
    closed,
    send: (part) => void socket.write(part),
    destroy: () => void socket.destroy(),
    async answer(method) {
      for (;;) {
        const taken = takeAnswer(bytes, method);
        if (taken !== undefined) {
          bytes = taken.rest;
          return taken.answer;
        }
        if (ended) throw new Error(`the connection ended after ${JSON.stringify(bytes)}`);
        await new Promise<void>((resolve) => (changed = resolve));
      }
    },
  };
}

/** Removes the first complete answer from the text; undefined while it is incomplete. */
function takeAnswer(text: string, method: string): { answer: RawAnswer; rest: string } | undefined {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]);
  if (Number.isNaN(status)) throw new Error(`no status line: ${JSON.stringify(statusLine)}`);
  const headers = new Map<string, string>();
  for (const line of lines) {
    const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) throw new Error(`no header: ${JSON.stringify(line)}`);
    const held = headers.get(name.toLowerCase());
    headers.set(name.toLowerCase(), held === undefined ? value : `${held}, ${value}`);
  }
  const rest = text.slice(end + 4);
  if (method === 'HEAD' || status === 204 || status === 304) return { answer: { status, headers, body: '' }, rest };
  if (headers.has('transfer-encoding')) throw new Error('a chunked answer is not read here');
  const length = Number(headers.get('content-length'));
  if (rest.length < length) return undefined;
  return { answer: { status, headers, body: rest.slice(0, length) }, rest: rest.slice(length) };
}
