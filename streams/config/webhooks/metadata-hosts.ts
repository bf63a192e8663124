/**
 * Host names under which clouds serve credentials to their machines. Their private addresses are refused elsewhere; the
 * names are refused too, because some resolve to public addresses, or differently inside a cloud.
 */
const METADATA_NAMES = new Set([
  'instance-data',
  'metadata',
  'metadata.azure.com',
  'metadata.goog',
  'metadata.packet.net',
  'metadata.platformequinix.com',
  'metadata.tencentyun.com',
  'rancher-metadata',
]);

/** @param host of a URL: lower case, possibly with a trailing dot */
export function isMetadataHost(host: string): boolean {
  const name = host.endsWith('.') ? host.slice(0, -1) : host;
  return METADATA_NAMES.has(name) || name === 'internal' || name.endsWith('.internal');
}
