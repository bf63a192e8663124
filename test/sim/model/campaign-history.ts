import type { CampaignDocument } from '../../../core/vocabulary/documents/documents.ts';
import { decodeJson } from '../../../core/codec/codec.ts';
import type { MemoryBroker } from '../../../streams/log/memory/log-memory.ts';
import type { World } from '../world.ts';

/** Enabled campaigns: highest priority first, those of equal priority in order of their ids. */
export type ModelCampaigns = readonly CampaignDocument[];

/** The campaigns of every CONFIG revision, as the broker received them. */
export interface CampaignHistory {
  campaignsAt(revision: number): ModelCampaigns;
  /** The current campaigns, each with the world's wall clock time of its last change. */
  latest(): { campaign: CampaignDocument; writtenAtMs: number }[];
}

const NONE: ModelCampaigns = [];

export function recordCampaigns(world: World, broker: MemoryBroker): CampaignHistory {
  const changes: { revision: number; campaigns: ModelCampaigns }[] = [];
  const written = new Map<string, number>();
  broker.bucket('CONFIG').onWrite(({ key, value, revision }) => {
    const [, environment, kind, id] = key.split('.');
    if (kind !== 'campaign' || environment !== 'live' || id === undefined) return;
    const others = (changes.at(-1)?.campaigns ?? NONE).filter((campaign) => campaign.id !== id);
    const document = value === undefined ? undefined : parseCampaign(value);
    const campaigns = document?.enabled === true ? [...others, document] : others;
    changes.push({ revision, campaigns: campaigns.toSorted(byUrgency) });
    written.set(id, world.clock.wallMs());
  });

  const campaignsAt = (revision: number): ModelCampaigns =>
    changes.findLast((change) => change.revision <= revision)?.campaigns ?? NONE;
  return {
    campaignsAt,
    latest: () =>
      campaignsAt(Infinity).map((campaign) => ({ campaign, writtenAtMs: written.get(campaign.id) ?? Infinity })),
  };
}

/** The order of priorities. Unknown ones follow, in alphabetical order. */
const URGENCY = ['urgent', 'high', 'normal', 'low'];

function urgencyOf({ displayRules: { priority } }: CampaignDocument): string {
  const place = URGENCY.indexOf(priority === 'medium' ? 'normal' : priority);
  return place === -1 ? `${URGENCY.length}${priority}` : String(place);
}

/** Compares the priorities of two campaigns: negative if the first is more urgent, positive if the second is. */
export function compareUrgency(one: CampaignDocument, other: CampaignDocument): number {
  const [first, second] = [urgencyOf(one), urgencyOf(other)];
  if (first === second) return 0;
  return first < second ? -1 : 1;
}

function byUrgency(one: CampaignDocument, other: CampaignDocument): number {
  return compareUrgency(one, other) || (one.id < other.id ? -1 : 1);
}

function parseCampaign(value: Uint8Array): CampaignDocument {
  const document: unknown = decodeJson(value);
  if (!isCampaign(document)) throw new Error('not a campaign');
  return document;
}

/** The simulation writes all of them, so a short check is enough. */
function isCampaign(document: unknown): document is CampaignDocument {
  return typeof document === 'object' && document !== null && 'trigger' in document && 'caps' in document;
}
