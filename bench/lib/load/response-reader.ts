/**
 * Reads HTTP/1.1 answers of one connection, one at a time (no pipelining), and keeps only the status, and the body when
 * it is wanted. Made for a load generator: an answer that comes in one piece costs no copy.
 */
export interface ResponseReader {
  /** Keeps the body of the next answer. */
  wantBody(): void;
  /**
   * @param bytes what the connection received; valid during the call only
   * @returns the status once an answer is whole; throws for an answer without Content-Length
   */
  push(bytes: Buffer): number | undefined;
  /** The body of the last whole answer, if it was wanted; empty otherwise. */
  readonly body: string;
}

const HEAD_END = '\r\n\r\n';
/** "HTTP/1.1 " comes before the status. */
const STATUS_AT = 9;

export function createResponseReader(): ResponseReader {
  let head: Buffer | undefined;
  let status = 0;
  let bodyLeftBytes = 0;
  let wanted = false;
  let parts: Buffer[] = [];
  let body = '';

  function take(bytes: Buffer): number | undefined {
    bodyLeftBytes -= bytes.length;
    const isWhole = bodyLeftBytes <= 0;
    if (wanted) keep(bytes, isWhole);
    return isWhole ? status : undefined;
  }

  function keep(bytes: Buffer, isWhole: boolean): void {
    if (!isWhole) {
      parts.push(Buffer.from(bytes));
      return;
    }
    body = parts.length === 0 ? bytes.toString() : Buffer.concat([...parts, bytes]).toString();
    parts = [];
    wanted = false;
  }

  return {
    wantBody() {
      wanted = true;
    },
    push(bytes) {
      if (bodyLeftBytes > 0) return take(bytes);
      const data = head === undefined ? bytes : Buffer.concat([head, bytes]);
      const headBytes = data.indexOf(HEAD_END);
      if (headBytes < 0) {
        head = Buffer.from(data);
        return undefined;
      }
      head = undefined;
      body = '';
      const text = data.toString('latin1', 0, headBytes);
      status = Number(text.slice(STATUS_AT, STATUS_AT + 3));
      const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1];
      if (length === undefined) throw new Error(`an answer without Content-Length: ${text}`);
      bodyLeftBytes = Number(length);
      return take(data.subarray(headBytes + HEAD_END.length));
    },
    get body() {
      return body;
    },
  };
}
