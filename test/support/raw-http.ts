import { connect } from 'node:net';

/** What a raw connection received, and whether the server ended it. */
export interface RawResult {
  text: string;
  /** Status of the first answer; undefined when there was none. */
  status: number | undefined;
  closedByServer: boolean;
}

/**
 * Sends bytes as they are, and reads until the server closes or `done` says that enough has come.
 * @param parts written one after another, as soon as the socket takes them
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
    const settle = (closedByServer: boolean): void => {
      if (settled) return;
      settled = true;
      socket.destroy();
      const status = /^HTTP\/1\.1 (\d+)/.exec(text)?.[1];
      resolve({ text, status: status === undefined ? undefined : Number(status), closedByServer });
    };
    socket.on('data', (data) => {
      text += data.toString('latin1');
      if (done(text)) settle(false);
    });
    socket.on('error', () => settle(true));
    socket.on('close', () => settle(true));
    for (const part of parts) socket.write(part);
  });
}

/** Whether one whole answer with a Content-Length has come. */
export function isWhole(text: string): boolean {
  const head = text.indexOf('\r\n\r\n');
  const length = /content-length: (\d+)/i.exec(text)?.[1];
  return head >= 0 && length !== undefined && text.length >= head + 4 + Number(length);
}
