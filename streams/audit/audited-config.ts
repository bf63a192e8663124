import type { ConfigStore } from '../config/config-store.ts';
import type { AuditedBy, AuditTrail } from './audit-trail.ts';
import { changesOf } from './document-changes.ts';

/** The config store for one caller: every write has an entry in the audit trail. */
export function auditedConfig(config: ConfigStore, trail: AuditTrail, by: AuditedBy): ConfigStore {
  return {
    get revision() {
      return config.revision;
    },
    targetingRevision: (game, environment) => config.targetingRevision(game, environment),
    get: (address) => config.get(address),
    ended: (address) => config.ended(address),
    list: (kind, game, environment) => config.list(kind, game, environment),
    async put(address, document, revision) {
      const end = await trail.begin(by, changesOf(address, config.get(address)?.document, document));
      if (end === undefined) return { kind: 'unavailable' };
      const written = await config.put(address, document, revision);
      end(written.kind === 'written' ? 'stored' : written.kind === 'conflict' ? 'refused' : 'unknown');
      return written;
    },
    async delete(address, revision) {
      const end = await trail.begin(by, changesOf(address, config.get(address)?.document, undefined));
      if (end === undefined) return false;
      const deleted = await config.delete(address, revision);
      // Undeleted may also mean that the broker did not answer.
      end(deleted ? 'stored' : 'unknown');
      return deleted;
    },
    onChange: (listener) => config.onChange(listener),
    seen: (revision, timeoutMs) => config.seen(revision, timeoutMs),
    outdatedSecrets: () => config.outdatedSecrets(),
    stop: () => config.stop(),
  };
}
