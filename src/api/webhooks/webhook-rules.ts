import { isIP } from 'node:net';
import { isMetadataHost } from '../../../streams/config/metadata-hosts.ts';
import { isReservedHeader } from '../../../streams/config/webhook-headers.ts';
import { isWebhookEventPattern } from '../../../streams/config/webhook-kinds.ts';
import type { FieldFault } from '../../kernel/errors.ts';

/** The rules of a webhook that a schema cannot say. Each returns the faults it found. */

/**
 * Where a webhook may point. Hosts in `allowPrivateHosts` (name, or name:port) may be anything; all others must be public
 * names and https, as deliveries go nowhere else. Addresses are checked again when a delivery connects.
 */
export function urlFaults(text: string, allowPrivateHosts: readonly string[]): FieldFault[] {
  const fault = (message: string): FieldFault[] => [{ path: '/url', message }];
  const url = URL.parse(text);
  if (url === null) return fault('must be an absolute URL');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return fault('must be an http or https URL');
  if (url.username !== '' || url.password !== '') return fault('must not hold credentials; use headers');
  const name = withoutBrackets(url.hostname).replace(/\.$/, '');
  const allowed = allowPrivateHosts.map((host) => withoutBrackets(host.toLowerCase()));
  if (allowed.includes(name) || allowed.includes(withoutBrackets(url.host))) return [];
  if (isIP(name) !== 0) return fault('must name a host, not an address');
  if (!isPublicName(name)) return fault('must name a public host');
  return url.protocol === 'https:' ? [] : fault('must be https');
}

/** IPv6 addresses stand in brackets in URLs, and may or may not in settings. */
function withoutBrackets(host: string): string {
  return host.replaceAll(/[[\]]/g, '');
}

/** Names that never lead out of a private network. */
const PRIVATE_SUFFIXES = ['.localhost', '.local', '.intranet', '.lan', '.home.arpa', '.in-addr.arpa'];

function isPublicName(name: string): boolean {
  return name.includes('.') && !isMetadataHost(name) && !PRIVATE_SUFFIXES.some((suffix) => name.endsWith(suffix));
}

/** Which event kinds a webhook may ask for. */
export function eventFaults(events: readonly string[]): FieldFault[] {
  return events.flatMap((event, index) =>
    isWebhookEventPattern(event)
      ? []
      : [{ path: `/events/${index}`, message: 'must be an event kind, a wildcard or the name of an event' }],
  );
}

const HEADER_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const HEADER_VALUE = /^[\x20-\x7e\t]*$/;

/** Which extra headers a webhook may send. */
export function headerFaults(headers: Readonly<Record<string, string>>): FieldFault[] {
  const seen = new Set<string>();
  return Object.entries(headers).flatMap(([name, value]) => {
    const path = `/headers/${name}`;
    const lower = name.toLowerCase();
    if (!HEADER_NAME.test(name)) return [{ path, message: 'is not a usable header name' }];
    if (isReservedHeader(name)) return [{ path, message: 'is set by the service' }];
    if (seen.has(lower)) return [{ path, message: 'is there twice' }];
    seen.add(lower);
    return HEADER_VALUE.test(value) ? [] : [{ path, message: 'must hold visible ASCII only' }];
  });
}
