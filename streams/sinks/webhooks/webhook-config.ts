import type { ConfigChange, ConfigEntry } from '../../config/config-store.ts';
import type { DocumentAddress } from '../../config/documents.ts';
import type { Stop } from '../../log.ts';

/** What this sink needs of the ConfigStore. */
export interface WebhookConfig {
  readonly revision: number;
  get(address: DocumentAddress<'webhook'>): ConfigEntry<'webhook'> | undefined;
  list(kind: 'webhook'): ConfigEntry<'webhook'>[];
  onChange(listener: (change: ConfigChange) => void): Stop;
  seen(revision: number, timeoutMs: number): Promise<boolean>;
}
