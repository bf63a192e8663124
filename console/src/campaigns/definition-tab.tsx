import { DocumentTab } from '../parts/drafts/document-tab.tsx';
import { prettyJson } from '../parts/editors/json-text.ts';
import { SaveLater } from '../schedule/save-later.tsx';
import { usePlace } from '../frame/session.tsx';
import { TEXTS } from '../texts.ts';
import { type Campaign, EMPTY_CAMPAIGN, writable } from './campaign-document.ts';
import { DefinitionForm } from './definition-form.tsx';
import { type CampaignDraft, hasUnfinished, SaveCampaign } from './save-campaign.tsx';

interface DefinitionTabProps {
  /** The campaign that the changes are based on; undefined: a new one. */
  base: Campaign | undefined;
  /** What is edited; undefined: nothing has been changed. */
  draft: CampaignDraft | undefined;
  setDraft: (draft: CampaignDraft | undefined) => void;
  onSaved: (campaign: Campaign) => void;
}

/** The text of a campaign before any change. */
export const baseText = (base: Campaign | undefined): string =>
  prettyJson(base === undefined ? EMPTY_CAMPAIGN : writable(base));

/** A campaign as a form and as JSON. */
export function DefinitionTab({ base, draft, setDraft, onSaved }: DefinitionTabProps) {
  const { mayEdit } = usePlace();
  return (
    <DocumentTab
      label={TEXTS.campaign.json}
      base={base}
      draft={draft}
      setDraft={setDraft}
      before={baseText(base)}
      save={(document, before) => (
        <>
          <SaveCampaign base={base} document={document} setDraft={setDraft} onSaved={onSaved} />
          {base === undefined ? null : (
            <SaveLater
              of="campaign"
              id={base.campaign_id}
              before={before}
              body={document !== undefined && hasUnfinished(document) ? undefined : document}
              onPlanned={() => setDraft(undefined)}
            />
          )}
        </>
      )}
      form={(document, onChange) => (
        <DefinitionForm document={document} onChange={onChange} readOnly={!mayEdit} isNew={base === undefined} />
      )}
    />
  );
}
