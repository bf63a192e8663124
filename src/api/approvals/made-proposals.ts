import { hash } from 'node:crypto';
import type { DocumentAddress } from '../../../core/vocabulary/documents/documents.ts';
import type { ProposalDocument } from '../../../core/vocabulary/documents/proposal.ts';
import type { WriteMark } from '../../../core/vocabulary/documents/write-mark.ts';
import type { ConfigStore } from '../../../streams/config/config-store.ts';
import type { Approval } from '../route/access.ts';
import type { KeyedRoute } from '../route/route.ts';

/*
 * Whether the change of a proposal was made. The change and its mark are one document, so the mark proves it.
 */

/** The mark of the change, whoever approves it. */
export function markOfProposal(id: string): Omit<WriteMark, 'at'> {
  return { id: hash('sha256', `proposal\n${id}`, 'hex').slice(0, 32), bodyHash: 'proposal' };
}

/**
 * Whether the change of an approved proposal was made. What was deleted has no document for a mark. Changes of single
 * players (overrides, single members of a list) have none either: they are repeated, which changes nothing.
 */
export function isMade(
  { id, params }: ProposalDocument,
  { of: kind, in: place, route: { method } }: Pick<Approval, 'of' | 'in'> & { route: Pick<KeyedRoute, 'method'> },
  { game, environment }: Pick<DocumentAddress, 'game' | 'environment'>,
  config: Pick<ConfigStore, 'get' | 'list'>,
): boolean {
  if (place === undefined && kind !== 'flag' && method === 'DELETE' && params['player_id'] === undefined) {
    return config.get({ game, environment, kind, key: params['id'] ?? params['key'] ?? '' }) === undefined;
  }
  const mark = markOfProposal(id);
  return config
    .list(place ?? kind, game, environment)
    .some(({ document: { writes = [] } }) => writes.some((write) => write.id === mark.id));
}
