import { us_socket_local_port, type HttpResponse, type TemplatedApp } from 'uWebSockets.js';

/** Listens on a free port. @returns the URL without a path */
export function listen(app: TemplatedApp): Promise<string> {
  return new Promise((resolve, reject) => {
    app.listen('127.0.0.1', 0, (socket) => {
      if (socket === false) reject(new Error('no free port to listen on'));
      else resolve(`http://127.0.0.1:${us_socket_local_port(socket)}`);
    });
  });
}

/** Collects a request's body. @param onBody given all bytes, which are valid during the call only */
export function readBody(res: HttpResponse, onBody: (body: Buffer) => void): void {
  let earlier: Buffer | undefined;
  res.onData((data, isLast) => {
    const chunk = Buffer.from(data);
    if (isLast) {
      onBody(earlier === undefined ? chunk : Buffer.concat([earlier, chunk]));
      return;
    }
    // The bytes are valid during this call only: a concatenation copies them.
    earlier = Buffer.concat(earlier === undefined ? [chunk] : [earlier, chunk]);
  });
}
