import { Type } from 'typebox';
import { gameAddress } from '../../../streams/config/games.ts';
import type { FieldFault } from '../../../core/kernel/errors.ts';
import { API_LIMITS } from '../limits.ts';
import type { RequestContext } from '../route/request-context.ts';

/* Why a change is made, in the words of whoever makes it: a header of every audited write. */

const NAME = 'X-Change-Reason';

/** The header, which routes with an entry in the audit take. */
export const CHANGE_REASON = {
  [NAME]: Type.Optional(
    Type.String({
      maxLength: API_LIMITS.changeReasonEncoded,
      description:
        `Why you make the change, for the audit and the history of definitions; at most ${API_LIMITS.changeReasonLength} ` +
        'characters. Percent-encode what is not ASCII; all headers have at most 4 KiB. Games may ask for it in changes ' +
        'of live definitions.',
    }),
  ),
};

export interface ChangeReason {
  [NAME]?: string;
}

/** The reason in a request's headers; empty: none. */
export function reasonIn(headers: ChangeReason | undefined): string {
  const text = headers?.[NAME] ?? '';
  try {
    return decodeURIComponent(text).trim();
  } catch {
    // Not percent-encoded, such as "20 % of players".
    return text.trim();
  }
}

/** The header for a reason, which a request that one makes for another one has. */
export const reasonHeader = (reason: string): Record<string, string> =>
  reason === '' ? {} : { [NAME]: encodeURIComponent(reason) };

/**
 * The fault of a reason: it is too long, has U+0000, or lacks in a game that asks why live definitions change.
 * @param asksWhy whether such a game asks for this change
 */
export function reasonFault(
  headers: Readonly<Record<string, string>> | undefined,
  { key, services }: Pick<RequestContext, 'key' | 'services'>,
  asksWhy: boolean,
): FieldFault | undefined {
  const reason = reasonIn(headers);
  if (reason.length > API_LIMITS.changeReasonLength) return TOO_LONG;
  if (reason.includes('\0')) return WITH_NUL;
  if (!asksWhy || reason !== '' || key.environment !== 'live') return undefined;
  return services.config.get(gameAddress(key.game))?.document.changeReason === true ? MISSING : undefined;
}

const TOO_LONG: FieldFault = { path: NAME, message: `must have at most ${API_LIMITS.changeReasonLength} characters` };
const WITH_NUL: FieldFault = { path: NAME, message: 'must not contain the character U+0000' };
const MISSING: FieldFault = {
  path: NAME,
  message: 'is required: this game asks why live definitions are changed; say so in this header',
};
