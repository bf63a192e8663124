/** One message of a stream of Server-Sent Events. */
export interface StreamMessage {
  /** `message` if the stream names none. */
  readonly event: string;
  readonly data: string;
  /** Of this message, for `Last-Event-ID`. */
  readonly id: string | undefined;
}

/** A message that a faulty proxy never ends must not fill the memory. */
const LONGEST_MESSAGE = 4_000_000;
/** A timer beyond 2^31 ms would fire at once. */
const LONGEST_RETRY_MS = 60_000;

/**
 * The messages of a stream (WHATWG HTML, section 9.2.6). Lines end with LF, CRLF or CR. Ends with the stream; throws
 * when the connection breaks.
 * @param onBytes called with each arrival, also of comments
 * @param onRetry called with the pause, ms, that the service asks for before the stream is opened again
 */
export async function* readMessages(
  body: AsyncIterable<Uint8Array>,
  { onBytes = () => {}, onRetry = () => {} }: { onBytes?: () => void; onRetry?: (delayMs: number) => void } = {},
): AsyncGenerator<StreamMessage, void, undefined> {
  const decoder = new TextDecoder();
  let text = '';
  /** Whether the text ends with a CR, which a LF may follow. */
  let afterReturn = false;
  let event = '';
  let data: string[] = [];
  let length = 0;
  let id: string | undefined;
  for await (const bytes of body) {
    onBytes();
    const piece = decoder.decode(bytes, { stream: true });
    // A long line in small pieces must not be searched again with each of them.
    const endsLine = afterReturn || /[\r\n]/.test(piece);
    if (piece !== '') afterReturn = piece.endsWith('\r');
    text += piece;
    const lines = endsLine ? text.split(/\r\n|\n|\r(?!$)/) : [text];
    text = lines.pop() ?? '';
    if (text.length + length > LONGEST_MESSAGE) throw new Error(`A message exceeds ${LONGEST_MESSAGE} characters.`);
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0) yield { event: event === '' ? 'message' : event, data: data.join('\n'), id };
        event = '';
        data = [];
        length = 0;
        id = undefined;
        continue;
      }
      const colon = line.indexOf(':');
      const field = colon === -1 ? line : line.slice(0, colon);
      const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
      length += line.length;
      if (field === 'event') event = value;
      else if (field === 'data') data.push(value);
      else if (field === 'id' && !value.includes('\0')) id = value;
      else if (field === 'retry' && /^\d+$/.test(value)) onRetry(Math.min(Number(value), LONGEST_RETRY_MS));
    }
  }
}
