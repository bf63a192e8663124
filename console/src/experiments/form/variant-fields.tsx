import { Alert, Badge, Button, Fieldset, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useFlags } from '../../definitions.ts';
import { NumberOrNone } from '../../parts/editors/number-or-none.tsx';
import { textOf } from '../../parts/drafts/document-values.ts';
import { TEXTS } from '../../texts.ts';
import {
  phaseBegunBy,
  shareText,
  takenAway,
  variantKeysOf,
  variantsIn,
  type Weighted,
} from '../experiment-document.ts';
import { ControlBadge } from '../figures.tsx';
import type { FieldsProps } from './fields.ts';

const texts = TEXTS.experiment;

/** The variants of the flag that are compared, with their weights. */
export function VariantFields({ held, document, onChange, readOnly, fixed, fixedText }: FieldsProps) {
  const { data: flags = [] } = useFlags();
  const flag = flags.find(({ key }) => key === textOf(document['flag_key']));
  const variants = variantsIn(document);
  const missing = (flag === undefined ? [] : variantKeysOf(flag)).filter(
    (key) => !variants.some((each) => each.key === key),
  );
  const isOver = fixed.has('/variants');
  const hasFixedControl = fixed.has('/variants/0/key');
  const total = variants.reduce((sum, { weight }) => sum + weight, 0);
  const set = (next: Weighted[]): void => onChange({ ...document, variants: next });
  return (
    <Fieldset legend={texts.variants}>
      <Text size="sm" c="dimmed" mb="xs">
        {isOver ? fixedText : texts.variantsHelp}
      </Text>
      <Stack gap="xs">
        {variants.map(({ key, weight }, place) => (
          <Group key={key} align="flex-end" role="group" aria-label={key}>
            <Text fw={600} miw={190} pb={6}>
              {key} {place === 0 ? <ControlBadge /> : null}
            </Text>
            <NumberOrNone
              label={texts.weightOf(key)}
              value={weight}
              readOnly={readOnly}
              isFixed={isOver}
              onChange={(next) =>
                set(variants.map((each) => (each.key === key ? { ...each, weight: next ?? 0 } : each)))
              }
            />
            <Badge variant="default" tt="none" mb={8}>
              {texts.shareOf(shareText(weight, total))}
            </Badge>
            {readOnly || isOver || variants.length < 3 || (place === 0 && hasFixedControl) ? null : (
              <Button
                size="compact-xs"
                variant="default"
                mb={8}
                onClick={() => set(variants.filter((each) => each.key !== key))}
              >
                {texts.removeVariant(key)}
              </Button>
            )}
          </Group>
        ))}
        {readOnly || isOver || missing.length === 0 ? null : (
          <NativeSelect
            w="fit-content"
            label={texts.addVariant}
            value=""
            data={[{ value: '', label: TEXTS.experiments.chooseFlag }, ...missing]}
            onChange={({ currentTarget: { value } }) => {
              if (value !== '') set([...variants, { key: value, weight: 0 }]);
            }}
          />
        )}
        <PhaseWarning held={held} document={document} />
      </Stack>
    </Fieldset>
  );
}

/** What a change of the weights does to players of an experiment that runs. */
export function PhaseWarning({ held, document }: Pick<FieldsProps, 'held' | 'document'>) {
  const phase = phaseBegunBy(held, document);
  const lost = takenAway(held, document);
  return (
    <>
      {phase === undefined ? null : (
        <Alert color="orange" variant="outline" role="status" title={texts.newPhase(phase)}>
          <Text size="sm">{texts.newPhaseHelp}</Text>
        </Alert>
      )}
      {lost.length === 0 ? null : (
        <Alert color="red" variant="outline" role="status" title={texts.takesAway(lost.join(', '))} />
      )}
    </>
  );
}
