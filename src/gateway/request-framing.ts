import type { HttpRequest } from 'uWebSockets.js';

/** How a request delimits its body, and whether its connection goes on after it (RFC 9112, sections 6 and 9). */
export interface Framing {
  /** Why the request is refused; undefined when every reader delimits its body alike. */
  fault: string | undefined;
  /** Declared size of the body in bytes; 0 when none is declared. */
  contentLength: number;
  /** The body comes in chunks. */
  chunked: boolean;
  /** The client asked for the end of the connection in a form that the library acts on without saying so. */
  closesUnsaid: boolean;
  /** The client asked for the end of the connection. */
  closes: boolean;
}

/** Digits of a Content-Length that the library reads; it answers more only after the handler has run. */
const LENGTH_DIGITS = 18;

/**
 * Reads the headers that delimit a request. The library takes the first of several headers of one name, and any
 * Transfer-Encoding as `chunked`; a proxy that reads them otherwise would take part of a body as another request, or
 * another request as part of a body. So all that can be read in two ways is a fault. About 0.1 µs a header.
 */
export function readFraming(headers: Pick<HttpRequest, 'forEach'>): Framing {
  let length: string | undefined;
  let coding: string | undefined;
  let connection = '';
  let closesUnsaid = false;
  let hosts = 0;
  let fault: string | undefined;
  headers.forEach((name, value) => {
    switch (name) {
      case 'content-length':
        if (length !== undefined) fault = 'The request has several `Content-Length` headers; send one.';
        length = value;
        break;
      case 'transfer-encoding':
        if (coding !== undefined) fault = 'The request has several `Transfer-Encoding` headers; send one.';
        coding = value;
        break;
      case 'host':
        hosts += 1;
        if (hosts > 1) fault = 'The request has several `Host` headers; send one.';
        break;
      case 'connection':
        if (connection === '') closesUnsaid = value.length === 'close'.length;
        connection = connection === '' ? value : `${connection},${value}`;
        break;
      default:
    }
  });
  fault ??= lengthFault(length) ?? codingFault(coding, length !== undefined);
  return {
    fault,
    contentLength: length === undefined ? 0 : Number(length),
    chunked: coding !== undefined,
    closesUnsaid,
    closes: closesUnsaid || (connection !== '' && hasClose(connection)),
  };
}

function lengthFault(length: string | undefined): string | undefined {
  if (length === undefined) return undefined;
  if (length.length > 0 && length.length <= LENGTH_DIGITS && isDigits(length)) return undefined;
  return `\`Content-Length\` must be 1 to ${LENGTH_DIGITS} digits.`;
}

function codingFault(coding: string | undefined, hasLength: boolean): string | undefined {
  if (coding === undefined) return undefined;
  if (hasLength) return 'The request has `Content-Length` and `Transfer-Encoding`; send one of them.';
  return coding.toLowerCase() === 'chunked' ? undefined : '`Transfer-Encoding` must be `chunked`.';
}

function isDigits(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < 48 || code > 57) return false;
  }
  return true;
}

function hasClose(connection: string): boolean {
  return connection
    .toLowerCase()
    .split(',')
    .some((option) => option.trim() === 'close');
}
