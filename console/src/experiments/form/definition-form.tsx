import { Fieldset, NativeSelect, SimpleGrid, Textarea, TextInput } from '@mantine/core';
import { type Experiment, useFlags } from '../../definitions.ts';
import { labelsOf } from '../../parts/labels/labels.ts';
import { LabelFields } from '../../parts/labels/label-fields.tsx';
import { type Document, textOf } from '../../parts/drafts/document-values.ts';
import { TEXTS } from '../../texts.ts';
import { fixedIn, variantsOf } from '../experiment-document.ts';
import { AudienceFields } from './audience-fields.tsx';
import { DecidingFields } from './deciding-fields.tsx';
import type { FieldsProps } from './fields.ts';
import { PlanFields } from './plan-fields.tsx';
import { VariantFields } from './variant-fields.tsx';

const texts = TEXTS.experiment;
const MODES = ['ab', 'aa'] as const satisfies readonly Experiment['mode'][];

interface DefinitionFormProps {
  /** The experiment that the changes are based on. */
  held: Experiment;
  document: Document;
  onChange: (document: Document) => void;
  readOnly: boolean;
}

/** An experiment as a form. What is fixed in its state is shown as fixed. */
export function DefinitionForm({ held, document, onChange, readOnly }: DefinitionFormProps) {
  const fields: FieldsProps = {
    held,
    document,
    onChange,
    readOnly,
    fixed: fixedIn(held.state),
    fixedText: held.stopped_at === null ? texts.fixed : texts.over,
  };
  return (
    <>
      <Identity {...fields} />
      <AudienceFields {...fields} />
      <VariantFields {...fields} />
      <DecidingFields {...fields} />
      <PlanFields {...fields} />
      <LabelFields
        labels={labelsOf(document)}
        onChange={(labels) => onChange({ ...document, ...labels })}
        readOnly={readOnly}
      />
    </>
  );
}

function Identity({ document, onChange, readOnly, fixed, fixedText }: FieldsProps) {
  const { data: flags = [] } = useFlags();
  const flagKey = textOf(document['flag_key']);
  const keys = flags.map(({ key }) => key);
  const hasFixedFlag = fixed.has('/flag_key');
  const hasFixedMode = fixed.has('/mode');
  return (
    <Fieldset legend={texts.what}>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput
          label={texts.name}
          value={textOf(document['name'])}
          readOnly={readOnly}
          onChange={(event) => onChange({ ...document, name: event.currentTarget.value })}
        />
        <NativeSelect
          label={texts.flag}
          {...(hasFixedFlag ? { description: fixedText } : {})}
          value={flagKey}
          data={[...(keys.includes(flagKey) ? [] : [flagKey]), ...keys]}
          disabled={readOnly || hasFixedFlag}
          onChange={({ currentTarget: { value } }) => {
            const flag = flags.find(({ key }) => key === value);
            // The variants of another flag have other keys.
            onChange({
              ...document,
              flag_key: value,
              ...(flag === undefined ? {} : { variants: variantsOf(flag) }),
            });
          }}
        />
        <NativeSelect
          label={texts.mode}
          description={hasFixedMode ? fixedText : texts.modeHelp}
          value={textOf(document['mode'])}
          data={MODES.map((value) => ({ value, label: texts.modes[value] }))}
          disabled={readOnly || hasFixedMode}
          onChange={(event) => onChange({ ...document, mode: event.currentTarget.value })}
        />
      </SimpleGrid>
      <Textarea
        mt="xs"
        label={texts.hypothesis}
        description={texts.hypothesisHelp}
        autosize
        minRows={2}
        value={textOf(document['hypothesis'])}
        readOnly={readOnly}
        onChange={(event) => onChange({ ...document, hypothesis: event.currentTarget.value })}
      />
    </Fieldset>
  );
}
