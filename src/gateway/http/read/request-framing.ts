/** The end of a request's body, and whether its connection continues (RFC 9112, sections 6 and 9). */
export interface Framing {
  /** The reason to refuse the request; undefined if its end is unambiguous. */
  fault: string | undefined;
  /** Declared size of the body in bytes; 0 if undeclared. */
  contentLength: number;
  /** The body is sent in chunks. */
  chunked: boolean;
  /** The client asked to close the connection in a form for which the library sends no `Connection: close`. */
  closesUnsaid: boolean;
  /** The client asked to close the connection. */
  closes: boolean;
}

/** Digits of a Content-Length that the library parses; it refuses longer ones only after the handler has run. */
const LENGTH_DIGITS = 18;

/** The headers that delimit a request, as `request-headers.ts` collects them. Undefined: not sent. */
export interface FramingHeaders {
  length: string | undefined;
  coding: string | undefined;
  /** All values, joined with commas. */
  connection: string;
  /** Whether the first value of `Connection` is as long as `close`. */
  closesUnsaid: boolean;
  /** The name of a header that was sent several times and may be sent once. */
  repeated: string | undefined;
}

/**
 * Judges the headers that delimit a request. The library uses the first of several headers with one name, and treats
 * any Transfer-Encoding as `chunked`. A proxy with other rules could interpret part of a body as a request (request
 * smuggling), so every ambiguous form is a fault.
 */
export function framingOf({ length, coding, connection, closesUnsaid, repeated }: FramingHeaders): Framing {
  return {
    fault:
      repeated === undefined
        ? (lengthFault(length) ?? codingFault(coding, length !== undefined))
        : `The request has several \`${repeated}\` headers; send one.`,
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
