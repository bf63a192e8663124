import type { ConfigChange, ConfigEntry, ConfigWrite } from '../../../config/config-store.ts';
import type { DocumentAddress, WebhookDocument } from '../../../../core/vocabulary/documents/documents.ts';
import type { Stop } from '../../../log/log.ts';

/** The part of the ConfigStore that this sink uses. */
export interface WebhookConfig {
  readonly revision: number;
  get(address: DocumentAddress<'webhook'>): ConfigEntry<'webhook'> | undefined;
  list(kind: 'webhook'): ConfigEntry<'webhook'>[];
  onChange(listener: (change: ConfigChange) => void): Stop;
  put(
    address: DocumentAddress<'webhook'>,
    document: WebhookDocument,
    revision: number,
  ): Promise<ConfigWrite<'webhook'>>;
  seen(revision: number, timeoutMs: number): Promise<boolean>;
}
