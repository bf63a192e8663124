import { hash } from 'node:crypto';
import type { WriteMark } from '../../../../core/vocabulary/documents/write-mark.ts';

/** The mark of a scheduled change, whichever process makes it. */
export function markOfScheduled(id: string): Omit<WriteMark, 'at'> {
  return { id: hash('sha256', `scheduled\n${id}`, 'hex').slice(0, 32), bodyHash: 'scheduled' };
}
