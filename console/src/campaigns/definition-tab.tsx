import { SimpleGrid, Stack } from '@mantine/core';
import { DraftBar } from '../parts/drafts/draft-bar.tsx';
import { JsonEditor } from '../parts/editors/json-editor.tsx';
import { isSameJson, parseObject, prettyJson } from '../parts/editors/json-text.ts';
import { SaveLater } from '../schedule/save-later.tsx';
import { usePlace } from '../frame/session.tsx';
import { TEXTS } from '../texts.ts';
import { type Campaign, EMPTY_CAMPAIGN, writable } from './campaign-document.ts';
import { BadJson, DefinitionForm } from './definition-form.tsx';
import { type CampaignDraft, hasUnfinished, SaveCampaign } from './save-campaign.tsx';

const texts = TEXTS.campaign;

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

/** A campaign as a form and as JSON, in step: the text is what is edited, and the form shows it. */
export function DefinitionTab({ base, draft, setDraft, onSaved }: DefinitionTabProps) {
  const { mayEdit } = usePlace();
  const before = baseText(base);
  const text = draft?.edited ?? before;
  const document = parseObject(text);
  const isChanged = document === undefined || !isSameJson(document, parseObject(before));
  const change = (next: string): void => setDraft(next === before ? undefined : { base: base ?? null, edited: next });
  const save = <SaveCampaign base={base} document={document} setDraft={setDraft} onSaved={onSaved} />;
  return (
    <Stack align="stretch">
      {mayEdit && draft === undefined && base === undefined ? <div>{save}</div> : null}
      {mayEdit && draft !== undefined && (isChanged || base === undefined) ? (
        <DraftBar onDiscard={() => setDraft(undefined)}>
          {save}
          {base === undefined ? null : (
            <SaveLater
              of="campaign"
              id={base.campaign_id}
              before={parseObject(before) ?? {}}
              body={document !== undefined && hasUnfinished(document) ? undefined : document}
              onPlanned={() => setDraft(undefined)}
            />
          )}
        </DraftBar>
      ) : null}
      <SimpleGrid cols={{ base: 1, xl: 2 }}>
        <Stack>
          {document === undefined ? (
            <BadJson />
          ) : (
            <DefinitionForm
              document={document}
              onChange={(next) => change(prettyJson(next))}
              readOnly={!mayEdit}
              isNew={base === undefined}
            />
          )}
        </Stack>
        <JsonEditor label={texts.json} value={text} onChange={change} readOnly={!mayEdit} minHeight={320} />
      </SimpleGrid>
    </Stack>
  );
}
