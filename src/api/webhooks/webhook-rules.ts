import { isIP } from 'node:net';
import { HIDDEN } from '../../../streams/config/hidden-texts.ts';
import { isMetadataHost } from '../../../streams/config/webhooks/metadata-hosts.ts';
import { isReservedHeader } from '../../../streams/config/webhooks/webhook-headers.ts';
import { isWebhookEventPattern } from '../../../streams/config/webhooks/webhook-patterns.ts';
import type { FieldFault } from '../../../core/kernel/errors.ts';

/*
 * The rules of a webhook that its schema cannot express. Each function returns the faults that it found.
 */

/**
 * The rules for URLs. A host in `allowPrivateHosts` (name or name:port) may be anything; other hosts need a public name
 * and https. The address is checked again when a delivery connects.
 */
export function urlFaults(text: string, allowPrivateHosts: readonly string[]): FieldFault[] {
  const fault = (message: string): FieldFault[] => [{ path: '/url', message }];
  const url = URL.parse(text);
  if (url === null) return fault('must be an absolute URL, for example https://hooks.example.com/path');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return fault('must be an http or https URL');
  // As keys and the history show it. A webhook to such an address would lose every event.
  if (text.includes(HIDDEN)) return fault(`must be the whole URL, without \`${HIDDEN}\``);
  if (url.username !== '' || url.password !== '') return fault('must not contain credentials; use `headers`');
  const name = withoutBrackets(url.hostname).replace(/\.$/, '');
  const allowed = allowPrivateHosts.map((host) => withoutBrackets(host.toLowerCase()));
  if (allowed.includes(name) || allowed.includes(withoutBrackets(url.host))) return [];
  if (isIP(name) !== 0) return fault('must have a host name, not an IP address');
  if (!isPublicName(name))
    return fault('must have a public host name; private hosts need the setting WEBHOOK_ALLOW_PRIVATE_HOSTS');
  return url.protocol === 'https:' ? [] : fault('must use https');
}

/** IPv6 addresses have brackets in URLs, but not always in settings. */
function withoutBrackets(host: string): string {
  return host.replaceAll(/[[\]]/g, '');
}

/** Suffixes of names in private networks. */
const PRIVATE_SUFFIXES = ['.localhost', '.local', '.intranet', '.lan', '.home.arpa', '.in-addr.arpa'];

function isPublicName(name: string): boolean {
  return name.includes('.') && !isMetadataHost(name) && !PRIVATE_SUFFIXES.some((suffix) => name.endsWith(suffix));
}

/** The rules for event kinds. */
export function eventFaults(events: readonly string[]): FieldFault[] {
  return events.flatMap((event, index) =>
    isWebhookEventPattern(event)
      ? []
      : [
          {
            path: `/events/${index}`,
            message:
              'must be an event kind (`player.created`), a wildcard (`event.*`) or the name of an event (`level_up`)',
          },
        ],
  );
}

const HEADER_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const HEADER_VALUE = /^[\x20-\x7e\t]*$/;

/** The rules for additional headers. */
export function headerFaults(headers: Readonly<Record<string, string>>): FieldFault[] {
  const seen = new Set<string>();
  return Object.entries(headers).flatMap(([name, value]) => {
    const path = `/headers/${name}`;
    const lower = name.toLowerCase();
    if (!HEADER_NAME.test(name))
      return [{ path, message: 'is not a valid header name: use 1 to 64 letters, digits, `.`, `_` and `-`' }];
    if (isReservedHeader(name)) return [{ path, message: 'is set by the service; choose another name' }];
    if (seen.has(lower)) return [{ path, message: 'occurs twice; header names are case-insensitive' }];
    seen.add(lower);
    return HEADER_VALUE.test(value) ? [] : [{ path, message: 'must contain printable ASCII characters only' }];
  });
}
