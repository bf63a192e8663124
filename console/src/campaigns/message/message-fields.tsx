import { Alert, Fieldset, NativeSelect, SimpleGrid } from '@mantine/core';
import { useState } from 'react';
import { type Document, partOf, textOf } from '../../parts/drafts/document-values.ts';
import { NumberOrNone } from '../../parts/editors/number-or-none.tsx';
import { isObject } from '../../parts/editors/json-text.ts';
import { TEXTS } from '../../texts.ts';
import { ContentFields } from './content-fields.tsx';
import { LanguageChoice } from './language-choice.tsx';
import { contentAt, localesOf, shownIn, variantsOf, withContent } from './message-document.ts';
import { MessagePreview } from './message-preview.tsx';
import { VariantFields } from './variant-fields.tsx';

const texts = TEXTS.campaign;

interface MessageFieldsProps {
  document: Document;
  onChange: (document: Document) => void;
  readOnly: boolean;
}

/** The message, or those that are tested against each other, each in its languages and with a preview. */
export function MessageFields({ document, onChange, readOnly }: MessageFieldsProps) {
  const [chosen, setChosen] = useState(0);
  const [language, setLanguage] = useState('');
  const variants = variantsOf(document);
  const place = Math.min(chosen, variants.length - 1);
  const content = contentAt(document, place);
  const locale = localesOf(content).includes(language) ? language : '';
  const change = (next: Document): void => onChange(withContent(document, place, next));
  const isShared = variants.length > 0 && !isObject(variants[place]?.['content']);
  return (
    <Fieldset legend={texts.what}>
      <VariantFields document={document} place={place} onChoose={setChosen} onChange={onChange} readOnly={readOnly} />
      <LanguageChoice content={content} locale={locale} onChoose={setLanguage} onChange={change} readOnly={readOnly} />
      {isShared ? (
        <Alert color="gray" variant="outline" my="xs">
          {texts.ownContent}
        </Alert>
      ) : null}
      <SimpleGrid cols={{ base: 1, lg: 2 }}>
        <div>
          <ContentFields content={content} locale={locale} onChange={change} readOnly={readOnly} />
          <Rules document={document} onChange={onChange} readOnly={readOnly} />
        </div>
        <MessagePreview shown={shownIn(content, locale)} />
      </SimpleGrid>
    </Fieldset>
  );
}

function Rules({ document, onChange, readOnly }: MessageFieldsProps) {
  const rules = partOf(document, 'display_rules');
  const priority = textOf(rules['priority']);
  const set = (change: Document): void => onChange({ ...document, display_rules: { ...rules, ...change } });
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      <NativeSelect
        label={texts.priority}
        description={texts.priorityHelp}
        value={priority}
        data={[...new Set([...texts.priorities, priority])].filter(Boolean)}
        disabled={readOnly}
        onChange={(event) => set({ priority: event.currentTarget.value })}
      />
      <NumberOrNone
        label={texts.dismiss}
        help={texts.dismissHelp}
        value={rules['dismiss_after_seconds']}
        readOnly={readOnly}
        onChange={(value) => set({ dismiss_after_seconds: value ?? 0 })}
      />
    </SimpleGrid>
  );
}
