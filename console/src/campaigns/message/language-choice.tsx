import { Button, Group, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { languageTag } from '../../../../actors/campaigns/message/language.ts';
import type { Document } from '../../parts/drafts/document-values.ts';
import { TEXTS } from '../../texts.ts';
import { localesOf, withoutLocale, withTexts } from './message-document.ts';

const texts = TEXTS.campaign;

interface LanguageChoiceProps {
  content: Document;
  /** The language whose texts are shown; empty: those of no language. */
  locale: string;
  onChoose: (locale: string) => void;
  onChange: (content: Document) => void;
  readOnly: boolean;
}

/** The languages of a message: which one is shown, and a new one. */
export function LanguageChoice({ content, locale, onChoose, onChange, readOnly }: LanguageChoiceProps) {
  const [tag, setTag] = useState('');
  const locales = localesOf(content);
  const isNew = languageTag(tag) !== undefined && !locales.includes(tag.trim());
  const add = (): void => {
    onChange(withTexts(content, tag.trim(), {}));
    onChoose(tag.trim());
    setTag('');
  };
  if (readOnly && locales.length === 0) return null;
  return (
    <Group align="flex-end" mb="xs">
      <NativeSelect
        label={texts.language}
        value={locale}
        data={[{ value: '', label: texts.allLanguages }, ...locales]}
        onChange={(event) => onChoose(event.currentTarget.value)}
      />
      {readOnly ? null : (
        <>
          <TextInput
            label={texts.newLanguage}
            placeholder="de"
            w={130}
            value={tag}
            onChange={(event) => setTag(event.currentTarget.value)}
          />
          <Button variant="default" disabled={!isNew} onClick={add}>
            {texts.addLanguage}
          </Button>
          {locale === '' ? null : (
            <Button variant="default" onClick={() => onChange(withoutLocale(content, locale))}>
              {texts.removeLanguage(locale)}
            </Button>
          )}
        </>
      )}
    </Group>
  );
}
