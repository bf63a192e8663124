import { SimpleGrid, Stack } from '@mantine/core';
import { JsonEditor } from '../parts/json-editor.tsx';
import { isSameJson, parseObject, prettyJson } from '../parts/json-text.ts';
import { usePlace } from '../session.tsx';
import { TEXTS } from '../texts.ts';
import { type Campaign, EMPTY_CAMPAIGN, writable } from './campaign-document.ts';
import { BadJson, DefinitionForm } from './definition-form.tsx';
import { SaveCampaign } from './save-campaign.tsx';

const texts = TEXTS.campaign;

interface DefinitionTabProps {
  base: Campaign | undefined;
  /** The text that is edited; undefined: nothing has been changed. */
  draft: string | undefined;
  onDraft: (draft: string | undefined) => void;
  onSaved: (campaign: Campaign) => void;
}

/** The text of a campaign that nobody has changed yet. */
export const baseText = (base: Campaign | undefined): string =>
  prettyJson(base === undefined ? EMPTY_CAMPAIGN : writable(base));

/** A campaign as a form and as JSON, in step: the text is what is edited, and the form shows it. */
export function DefinitionTab({ base, draft, onDraft, onSaved }: DefinitionTabProps) {
  const { mayEdit } = usePlace();
  const before = baseText(base);
  const text = draft ?? before;
  const document = parseObject(text);
  const isChanged = document === undefined || !isSameJson(document, parseObject(before));
  const change = (next: string): void => onDraft(next === before ? undefined : next);
  return (
    <Stack>
      {mayEdit && (isChanged || base === undefined) ? (
        <SaveCampaign
          base={base}
          document={document}
          isDraft={draft !== undefined}
          onSaved={onSaved}
          onDiscard={() => onDraft(undefined)}
        />
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
