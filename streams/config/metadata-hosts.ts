/**
 * Names under which clouds serve credentials to their machines. Their addresses are refused too; the names stand here as well
 * because some have public addresses, or others inside a cloud than outside.
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

/** @param host as a URL has it: lower case, perhaps with a dot at its end */
export function isMetadataHost(host: string): boolean {
  const name = host.endsWith('.') ? host.slice(0, -1) : host;
  return METADATA_NAMES.has(name) || name === 'internal' || name.endsWith('.internal');
}
