import { Badge, Button, Group, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { shareText } from '../../experiments/experiment-document.ts';
import { type Document, textOf } from '../../parts/drafts/document-values.ts';
import { NumberOrNone } from '../../parts/editors/number-or-none.tsx';
import { TEXTS } from '../../texts.ts';
import { variantsOf, withoutVariant, withShipped, withVariant } from './message-document.ts';

const texts = TEXTS.campaign;
const MOST_VARIANTS = 8;

interface VariantFieldsProps {
  document: Document;
  /** The variant whose message is shown; -1: there are none. */
  place: number;
  onChoose: (place: number) => void;
  onChange: (document: Document) => void;
  readOnly: boolean;
}

/** The messages that are tested against each other: which one is shown, its key and its weight. */
export function VariantFields({ document, place, onChoose, onChange, readOnly }: VariantFieldsProps) {
  const variants = variantsOf(document);
  const variant = variants[place];
  const add = (): void => {
    onChange(withVariant(document));
    onChoose(Math.max(variants.length, 1));
  };
  const addButton =
    readOnly || variants.length >= MOST_VARIANTS ? null : (
      <Button size="compact-sm" variant="default" onClick={add}>
        {variants.length === 0 ? texts.testVariants : texts.addVariant}
      </Button>
    );
  if (variant === undefined) return readOnly ? null : <Group mb="xs">{addButton}</Group>;
  const total = variants.reduce((sum, { weight }) => sum + (typeof weight === 'number' ? weight : 0), 0);
  const set = (change: Document): void =>
    onChange({ ...document, variants: variants.map((each, at) => (at === place ? { ...each, ...change } : each)) });
  const weight = typeof variant['weight'] === 'number' ? variant['weight'] : 0;
  return (
    <Stack gap="xs" mb="xs" role="group" aria-label={texts.variants}>
      <Text size="sm" c="dimmed">
        {texts.variantsHelp}
      </Text>
      <Group>
        <SegmentedControl
          aria-label={texts.variant}
          value={String(place)}
          onChange={(value) => onChoose(Number(value))}
          data={variants.map(({ key }, at) => ({ value: String(at), label: textOf(key) || String(at + 1) }))}
        />
        {addButton}
      </Group>
      <Group align="flex-end">
        <TextInput
          label={texts.variantKey}
          value={textOf(variant['key'])}
          readOnly={readOnly}
          onChange={(event) => set({ key: event.currentTarget.value })}
        />
        <NumberOrNone
          label={texts.weight}
          value={variant['weight']}
          readOnly={readOnly}
          onChange={(next) => set({ weight: next ?? 0 })}
        />
        <Badge variant="default" tt="none" mb={8}>
          {texts.shareOf(shareText(weight, total))}
        </Badge>
        {readOnly ? null : (
          <>
            <Button size="compact-sm" variant="default" mb={6} onClick={() => onChange(withShipped(document, place))}>
              {texts.shipVariant(textOf(variant['key']))}
            </Button>
            <Button
              size="compact-sm"
              variant="default"
              mb={6}
              onClick={() => onChange(withoutVariant(document, place))}
            >
              {texts.removeVariant(textOf(variant['key']))}
            </Button>
          </>
        )}
      </Group>
    </Stack>
  );
}
