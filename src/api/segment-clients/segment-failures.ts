import { Type } from 'typebox';
import { ERRORS } from '../../../core/kernel/errors.ts';
import type { FailureDocs } from '../route/route.ts';

/** Statuses that Segment's clients act on: they drop a batch after a 413 or 415, and wait as told after a 429. */
const STATUSES = { PAYLOAD_TOO_LARGE: 400, UNSUPPORTED_MEDIA_TYPE: 400, SERVICE_UNAVAILABLE: 429 } as const;

/** Failures of the endpoints for Segment's clients: the envelope, with statuses after which none repeats in vain. */
export const segmentFailures: FailureDocs = {
  schema: Type.Object(
    {
      success: Type.Boolean({ description: 'Always false.' }),
      error: Type.Object(
        {
          code: Type.String({ description: 'Error code.' }),
          message: Type.String({ description: 'Explanation for people.' }),
        },
        { description: 'The error.' },
      ),
    },
    { description: 'A failed request.' },
  ),
  statuses: STATUSES,
  toAnswer({ code, message }) {
    const own: Partial<Record<typeof code, number>> = STATUSES;
    const error = { code, message: message ?? ERRORS[code].message };
    const body = JSON.stringify({ success: false, error });
    return { kind: 'text', status: own[code] ?? ERRORS[code].status, contentType: 'application/json', body };
  },
};
