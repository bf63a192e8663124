import { JsonInput, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { type Document, textOf } from '../../parts/drafts/document-values.ts';
import { isSameJson, parseObject, prettyJson } from '../../parts/editors/json-text.ts';
import { TEXTS } from '../../texts.ts';
import { ButtonFields } from './button-fields.tsx';
import { textsAt, withText, withTexts } from './message-document.ts';

const texts = TEXTS.campaign;

interface ContentFieldsProps {
  content: Document;
  /** The language whose texts are edited; empty: those of no language. */
  locale: string;
  onChange: (content: Document) => void;
  readOnly: boolean;
}

/** The texts and links of a message, or what a language changes of them; data and buttons are of all languages. */
export function ContentFields({ content, locale, onChange, readOnly }: ContentFieldsProps) {
  const own = textsAt(content, locale);
  const isWhole = locale === '';
  const set = (name: string, text: string, isRequired = false): void =>
    onChange(withTexts(content, locale, isRequired && isWhole ? { ...own, [name]: text } : withText(own, name, text)));
  const field = (name: string, label: string, help?: string, isRequired = false) => (
    <TextInput
      label={label}
      description={help}
      placeholder={isWhole ? '' : textOf(content[name])}
      value={textOf(own[name])}
      readOnly={readOnly}
      onChange={(event) => set(name, event.currentTarget.value, isRequired)}
    />
  );
  return (
    <Stack gap={4} mb="xs">
      <Text size="sm" c="dimmed">
        {isWhole ? texts.placeholdersHelp : texts.localeHelp}
      </Text>
      {field('title', texts.contentTitle, undefined, true)}
      <Textarea
        label={texts.body}
        autosize
        minRows={2}
        placeholder={isWhole ? '' : textOf(content['body'])}
        value={textOf(own['body'])}
        readOnly={readOnly}
        onChange={(event) => set('body', event.currentTarget.value, true)}
      />
      {field('cta', texts.cta, texts.ctaHelp, true)}
      {field('image', texts.image, texts.imageHelp)}
      {field('deep_link', texts.deepLink, texts.deepLinkHelp)}
      <ButtonFields content={content} locale={locale} onChange={onChange} readOnly={readOnly} />
      {isWhole ? <DataField content={content} onChange={onChange} readOnly={readOnly} /> : null}
    </Stack>
  );
}

/** `data` as JSON. What is no JSON object yet stays in the field. */
function DataField({ content, onChange, readOnly }: Omit<ContentFieldsProps, 'locale'>) {
  const { data } = content;
  const [written, setWritten] = useState<string>();
  const parsed = written === undefined ? undefined : parseObject(written);
  const isCurrent = written !== undefined && (parsed === undefined || isSameJson(parsed, data));
  const shown = isCurrent ? written : data === undefined ? '' : prettyJson(data);
  const isBad = shown.trim() !== '' && parseObject(shown) === undefined;
  return (
    <JsonInput
      label={texts.data}
      description={texts.dataHelp}
      placeholder='{"reward": "life"}'
      autosize
      minRows={2}
      value={shown}
      readOnly={readOnly}
      error={isBad ? texts.badData : undefined}
      onChange={(text) => {
        setWritten(text);
        const { data: _, ...rest } = content;
        const next = parseObject(text);
        if (text.trim() === '') onChange(rest);
        else if (next !== undefined) onChange({ ...rest, data: next });
      }}
    />
  );
}
