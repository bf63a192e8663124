import { Button, Group, TextInput } from '@mantine/core';
import { type Document, partOf, textOf } from '../../parts/drafts/document-values.ts';
import { TEXTS } from '../../texts.ts';
import { documentsIn, textsAt, withText, withTexts } from './message-document.ts';

const texts = TEXTS.campaign;
const MOST_BUTTONS = 4;

interface ButtonFieldsProps {
  content: Document;
  /** The language whose labels are edited; empty: the buttons themselves. */
  locale: string;
  onChange: (content: Document) => void;
  readOnly: boolean;
}

/** The buttons of a message. A language changes their labels. */
export function ButtonFields({ content, locale, onChange, readOnly }: ButtonFieldsProps) {
  const buttons = documentsIn(content['buttons']);
  if (locale !== '') return <Labels {...{ content, locale, onChange, readOnly }} />;
  const set = (next: Document[]): void => {
    const { buttons: _, ...rest } = content;
    onChange(next.length === 0 ? rest : { ...rest, buttons: next });
  };
  const change = (place: number, some: Document): void =>
    set(buttons.map((each, at) => (at === place ? { ...each, ...some } : each)));
  const field = (place: number, name: string, label: string) => (
    <TextInput
      label={label}
      flex="1 1 130px"
      value={textOf(buttons[place]?.[name])}
      readOnly={readOnly}
      onChange={(event) => change(place, { [name]: event.currentTarget.value })}
    />
  );
  return (
    <>
      {buttons.map((button, place) => (
        // A person edits the id, so the place names the row.
        // oxlint-disable-next-line react/no-array-index-key
        <Group key={place} align="flex-end" role="group" aria-label={texts.buttonAt(place + 1)} gap="xs">
          {field(place, 'id', texts.buttonId)}
          {field(place, 'label', texts.buttonLabel)}
          {field(place, 'action', texts.buttonAction)}
          {readOnly ? null : (
            <Button
              size="compact-sm"
              variant="default"
              mb={6}
              onClick={() => set(buttons.filter((_, at) => at !== place))}
            >
              {texts.removeButton(textOf(button['id']))}
            </Button>
          )}
        </Group>
      ))}
      {readOnly || buttons.length >= MOST_BUTTONS ? null : (
        <Button
          size="compact-sm"
          variant="default"
          w="fit-content"
          onClick={() => set([...buttons, { id: '', label: '', action: 'dismiss' }])}
        >
          {texts.addButton}
        </Button>
      )}
    </>
  );
}

function Labels({ content, locale, onChange, readOnly }: ButtonFieldsProps) {
  const own = textsAt(content, locale);
  const labels = partOf(own, 'button_labels');
  return documentsIn(content['buttons']).map((button) => {
    const id = textOf(button['id']);
    return (
      <TextInput
        key={id}
        label={texts.labelOf(id)}
        placeholder={textOf(button['label'])}
        value={textOf(labels[id])}
        readOnly={readOnly}
        onChange={(event) => {
          const { button_labels: _, ...rest } = own;
          const next = withText(labels, id, event.currentTarget.value);
          const changed = Object.keys(next).length === 0 ? rest : { ...rest, button_labels: next };
          onChange(withTexts(content, locale, changed));
        }}
      />
    );
  });
}
