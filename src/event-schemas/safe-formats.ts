import { isIPv4, isIPv6 } from 'node:net';
import { instantOf } from '../../core/kernel/text/timestamp.ts';
import { isUuid } from '../../core/kernel/uuid.ts';

/*
 * The values of `format` that event schemas may use, as JSON Schema draft 2020-12 defines them by their RFCs. Each is
 * checked in time linear in the text.
 */

export const SAFE_FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  'date-time': (text) => (text[10] === 'T' || text[10] === 't') && isDate(text.slice(0, 10)) && isMoment(text),
  date: (text) => isDate(text) && instantOf(text) !== undefined,
  // A day of its own for the time, since the offset of a leap second may lead to the next one.
  time: (text) => isMoment(`2000-06-15T${text}`),
  duration: isDuration,
  email: isMailbox,
  hostname: isHostname,
  ipv4: isIPv4,
  ipv6: isAddress6,
  uri: (text) => isReference(text, true),
  'uri-reference': (text) => isReference(text, false),
  uuid: isUuid,
  'json-pointer': isPointer,
};

const DATE = /^\d{4}-\d\d-\d\d$/;
const CLOCK = /^[Tt]\d\d:\d\d:\d\d(?:[Zz]|[+-]\d\d:\d\d)$/;

const isDate = (text: string): boolean => DATE.test(text);

/** RFC 3339, section 5.6: seconds and offset are required, and a fraction may have any number of digits. */
function isMoment(text: string): boolean {
  const whole = withoutFraction(text);
  return CLOCK.test(whole.slice(10)) && instantOf(whole) !== undefined;
}

function withoutFraction(text: string): string {
  const start = 'YYYY-MM-DDThh:mm:ss'.length;
  if (text[start] !== '.') return text;
  let end = start + 1;
  while (isDigit(text.charCodeAt(end))) end += 1;
  return end === start + 1 ? text : text.slice(0, start) + text.slice(end);
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57;

const DURATION = /^P(?:9W|(?:9Y(?:9M(?:9D)?)?|9M(?:9D)?|9D)?(?:T(?:9H(?:9M(?:9S)?)?|9M(?:9S)?|9S))?)$/;

/** RFC 3339, appendix A: no unit may be left out between two others. */
function isDuration(text: string): boolean {
  return text !== 'P' && !text.includes('9P') && DURATION.test(text.replaceAll(/[0-9]+/g, '9'));
}

const LABEL = /^[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?$/;
const LABEL_LENGTH = 63;
const HOSTNAME_LENGTH = 253;

/** RFC 1123. Labels of other scripts in their ASCII form are not decoded. */
function isHostname(text: string): boolean {
  if (text.length > HOSTNAME_LENGTH) return false;
  return text.split('.').every((label) => label.length <= LABEL_LENGTH && isLabel(label));
}

/** Two hyphens in the third place mark a form of other scripts, of which only `xn--` is in use (RFC 5891). */
function isLabel(label: string): boolean {
  return LABEL.test(label) && (label.slice(2, 4) !== '--' || label.slice(0, 2).toLowerCase() === 'xn');
}

const ATOM = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+$/;
const LOCAL_LENGTH = 64;

/** RFC 5321: a mailbox, whose local part may be quoted, and whose domain may be an address in brackets. */
function isMailbox(text: string): boolean {
  const at = text.lastIndexOf('@');
  const local = text.slice(0, Math.max(at, 0));
  if (at < 1 || local.length > LOCAL_LENGTH) return false;
  const isLocal = local.startsWith('"') ? isQuoted(local) : local.split('.').every((atom) => ATOM.test(atom));
  return isLocal && isMailDomain(text.slice(at + 1));
}

function isMailDomain(domain: string): boolean {
  if (!domain.startsWith('[')) return isHostname(domain);
  if (!domain.endsWith(']')) return false;
  const address = domain.slice(1, -1);
  return address.startsWith('IPv6:') ? isAddress6(address.slice('IPv6:'.length)) : isIPv4(address);
}

/** Printable ASCII between quotes, with quotes and backslashes behind a backslash. */
function isQuoted(text: string): boolean {
  if (text.length < 2 || !text.endsWith('"')) return false;
  for (let at = 1; at < text.length - 1; at++) {
    const escaped = text[at] === '\\';
    if (escaped) at += 1;
    if (at >= text.length - 1 || text.charCodeAt(at) < 32 || text.charCodeAt(at) > 126) return false;
    if (!escaped && text[at] === '"') return false;
  }
  return true;
}

const URI_CHARACTERS = /^[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]*$/;
const BROKEN_ESCAPE = /%(?![0-9A-Fa-f]{2})/;
const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*$/;

/** RFC 3986: a URI, or also a reference that is relative to one. */
function isReference(text: string, absolute: boolean): boolean {
  if (!URI_CHARACTERS.test(text) || BROKEN_ESCAPE.test(text)) return false;
  const [before = '', fragment = '', ...more] = text.split('#');
  if (more.length > 0 || hasBrackets(fragment)) return false;
  const [path = '', ...query] = before.split('?');
  if (query.some(hasBrackets)) return false;
  const colon = path.indexOf(':');
  const slash = path.indexOf('/');
  const hasColon = colon >= 0 && (slash < 0 || colon < slash);
  if (hasColon ? !SCHEME.test(path.slice(0, colon)) : absolute) return false;
  const rest = hasColon ? path.slice(colon + 1) : path;
  if (!rest.startsWith('//')) return !hasBrackets(rest);
  const end = rest.indexOf('/', 2);
  const authority = rest.slice(2, end < 0 ? rest.length : end);
  return isAuthority(authority) && (end < 0 || !hasBrackets(rest.slice(end)));
}

const hasBrackets = (text: string): boolean => text.includes('[') || text.includes(']');
const PORT = /^(?::[0-9]*)?$/;

function isAuthority(authority: string): boolean {
  const [user, host, ...more] = authority.includes('@') ? authority.split('@') : ['', authority];
  if (host === undefined || user === undefined || more.length > 0 || hasBrackets(user)) return false;
  if (!host.startsWith('[')) {
    const [name = '', ...port] = host.split(':');
    return !hasBrackets(name) && port.length <= 1 && PORT.test(port.length === 0 ? '' : `:${port.join('')}`);
  }
  // No address of RFC 3986's future versions exists.
  const end = host.indexOf(']');
  return end > 0 && PORT.test(host.slice(end + 1)) && isAddress6(host.slice(1, end));
}

/** RFC 4291 has no zone behind the address. */
function isAddress6(text: string): boolean {
  return isIPv6(text) && !text.includes('%');
}

/** RFC 6901. */
function isPointer(text: string): boolean {
  return text === '' || (text.startsWith('/') && !/~(?![01])/.test(text));
}
