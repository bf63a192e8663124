import type { HttpResponse } from 'uWebSockets.js';

/** Collects a request's body. @param onBody given the bytes once all are there; valid during the call only */
export function readBody(res: HttpResponse, onBody: (body: Buffer) => void): void {
  let earlier: Buffer | undefined;
  res.onData((data, isLast) => {
    const chunk = Buffer.from(data);
    if (isLast) {
      onBody(earlier === undefined ? chunk : Buffer.concat([earlier, chunk]));
      return;
    }
    // The bytes are valid during this call only: a concatenation of what came so far is a copy.
    earlier = earlier === undefined ? Buffer.concat([chunk]) : Buffer.concat([earlier, chunk]);
  });
}
