import type { ServerAnswer } from './server-platform.ts';

/** An answer has more bytes than the client reads. */
export class LongAnswerError extends Error {}

/** The text of an answer. Throws a `LongAnswerError` for a longer one, and does not read the rest. */
export async function textOfAnswer({ body }: Pick<ServerAnswer, 'body'>, mostBytes: number): Promise<string> {
  if (body === null) return '';
  const decoder = new TextDecoder();
  const pieces: string[] = [];
  let sizeBytes = 0;
  // Leaving the loop early closes the connection.
  for await (const chunk of body) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > mostBytes) throw new LongAnswerError(`The answer has more than ${mostBytes} bytes.`);
    pieces.push(decoder.decode(chunk, { stream: true }));
  }
  pieces.push(decoder.decode());
  return pieces.join('');
}
