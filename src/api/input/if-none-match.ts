import { Type } from 'typebox';
import type { TextAnswer } from '../route/answer.ts';

/* Conditional reads: 304 for a response that the caller already holds. */

export const IfNoneMatch = Type.Object({
  'If-None-Match': Type.Optional(Type.String({ description: 'ETags of earlier responses that you hold.' })),
});

/**
 * Whether If-None-Match contains the ETag (RFC 9110, section 13.1.2: weak comparison).
 * @param etag with its quotes
 */
export function isHeld(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((one) => ['*', etag].includes(withoutWeakness(one.trim())));
}

export function notModified(etag: string): TextAnswer {
  return { kind: 'text', status: 304, contentType: undefined, body: '', headers: { ETag: etag } };
}

function withoutWeakness(tag: string): string {
  return tag.startsWith('W/') ? tag.slice(2) : tag;
}
