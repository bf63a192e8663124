import { useQueryClient } from '@tanstack/react-query';
import { call } from '../frame/api.ts';
import type { DocumentDraft } from '../parts/drafts/document-tab.tsx';
import { unfinishedOf } from '../conditions/unfinished.ts';
import { isObject, prettyJson } from '../parts/editors/json-text.ts';
import { SegmentPlayerCount } from '../parts/players/player-count.tsx';
import { SaveDraft } from '../parts/drafts/save-draft.tsx';
import { usePlace } from '../frame/session.tsx';
import { TEXTS } from '../texts.ts';
import { type Campaign, campaignQuery, writable } from './campaign-document.ts';

const texts = TEXTS.campaign;

export type CampaignDraft = DocumentDraft<Campaign>;

interface SaveCampaignProps {
  base: Campaign | undefined;
  /** What is saved; undefined: it is no JSON object. */
  document: Readonly<Record<string, unknown>> | undefined;
  setDraft: (draft: CampaignDraft | undefined) => void;
  onSaved: (campaign: Campaign) => void;
}

export function SaveCampaign({ base, document, setDraft, onSaved }: SaveCampaignProps) {
  const { scope } = usePlace();
  const queries = useQueryClient();
  const path = { id: base?.campaign_id ?? '' };
  const hold = (campaign: Campaign): void => {
    queries.setQueryData(campaignQuery(scope, campaign.campaign_id), campaign);
  };
  return (
    <SaveDraft
      base={base}
      body={hasUnfinished(document) ? undefined : document}
      notReady={document === undefined ? texts.badJson : TEXTS.conditions.unfinished}
      contentOf={writable}
      title={base === undefined ? texts.createTitle : texts.saveTitle}
      send={(body) =>
        base === undefined
          ? call(scope, 'POST /v1/campaigns/campaigns', {
              body,
              headers: { 'Idempotency-Key': crypto.randomUUID() },
            })
          : call(scope, 'PUT /v1/campaigns/campaigns/{id}', {
              path,
              body,
              headers: { 'If-Match': `"${base.version}"` },
            })
      }
      read={() => call(scope, 'GET /v1/campaigns/campaigns/{id}', { path })}
      placeOf={({ campaign_id: id }) => campaignQuery(scope, id)}
      onSaved={(campaign) => {
        hold(campaign);
        void queries.invalidateQueries({ queryKey: ['all campaigns'] });
        setDraft(undefined);
        onSaved(campaign);
      }}
      onMerge={(theirs, merged) => {
        hold(theirs);
        setDraft({ base: theirs, edited: prettyJson({ ...writable(theirs), ...merged }) });
      }}
    >
      <SegmentPlayerCount what={TEXTS.playerCount.audience} segmentId={audienceOf(document)} />
    </SaveDraft>
  );
}

function audienceOf(document: Readonly<Record<string, unknown>> | undefined): string | null {
  const audience = document?.['audience'];
  return typeof audience === 'string' ? audience : null;
}

/** Whether the conditions of the trigger are begun and not finished. */
export function hasUnfinished(document: Readonly<Record<string, unknown>> | undefined): boolean {
  const trigger = document?.['trigger'];
  const conditions = isObject(trigger) ? trigger['conditions'] : undefined;
  return isObject(conditions) && unfinishedOf(conditions).length > 0;
}
