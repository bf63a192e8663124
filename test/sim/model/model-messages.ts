import type { CampaignDocument } from '../../../core/vocabulary/documents/documents.ts';
import type { RenderedMessage } from '../../../core/vocabulary/message.ts';
import type { PlayerState } from '../../../core/vocabulary/state/state.ts';
import { bucketOf } from './flags/model-buckets.ts';

/* What a player gets: the variant, and the message. The simulation's messages have no languages and no buttons. */

/** The variant of a player: each has its share of 10,000 buckets, in order. */
export function variantFor({ id, variants = [] }: CampaignDocument, playerId: string): { variant?: string } {
  const total = variants.reduce((sum, { weight }) => sum + weight, 0);
  const bucket = bucketOf(`${id}:variant`, playerId);
  let sum = 0;
  for (const { key, weight } of variants) {
    sum += weight;
    if (bucket < Math.round((sum / total) * 10_000)) return { variant: key };
  }
  return {};
}

/** The variant of a message that waits: none if the campaign does not have it any more. */
export function variantNow({ variants = [] }: CampaignDocument, held: string | undefined): { variant?: string } {
  return held !== undefined && variants.some(({ key }) => key === held) ? { variant: held } : {};
}

export function messageFor(campaign: CampaignDocument, state: PlayerState, variant?: string): RenderedMessage {
  const { content, variants = [] } = campaign;
  const { title, body, cta } = variants.find(({ key }) => key === variant)?.content ?? content;
  const attribute: unknown = JSON.parse(state.attributes)['a1'];
  const named = body
    .replace('{{external_id}}', state.externalId)
    .replace('{{attributes.a1|none}}', typeof attribute === 'number' ? String(attribute) : 'none');
  return { title, body: named, cta, image: null, deepLink: null, data: null, buttons: [], locale: null };
}
