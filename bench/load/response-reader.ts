/**
 * Reads HTTP/1.1 answers of one connection, one at a time (no pipelining), and keeps of each only its status.
 * Made for a load generator: an answer that comes in one piece costs no copy.
 */
export interface ResponseReader {
  /**
   * @param bytes what the connection received; valid during the call only
   * @returns the status once an answer is whole; throws for an answer without Content-Length
   */
  push(bytes: Buffer): number | undefined;
}

const HEAD_END = '\r\n\r\n';
/** "HTTP/1.1 " comes before the status. */
const STATUS_AT = 9;

export function createResponseReader(): ResponseReader {
  let head: Buffer | undefined;
  let status = 0;
  let bodyLeftBytes = 0;

  function take(bodyBytes: number): number | undefined {
    bodyLeftBytes -= bodyBytes;
    return bodyLeftBytes <= 0 ? status : undefined;
  }

  return {
    push(bytes) {
      if (bodyLeftBytes > 0) return take(bytes.length);
      const data = head === undefined ? bytes : Buffer.concat([head, bytes]);
      const headBytes = data.indexOf(HEAD_END);
      if (headBytes < 0) {
        head = Buffer.from(data);
        return undefined;
      }
      head = undefined;
      const text = data.toString('latin1', 0, headBytes);
      status = Number(text.slice(STATUS_AT, STATUS_AT + 3));
      const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1];
      if (length === undefined) throw new Error(`an answer without Content-Length: ${text}`);
      bodyLeftBytes = Number(length);
      return take(data.length - headBytes - HEAD_END.length);
    },
  };
}
