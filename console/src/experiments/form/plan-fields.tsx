import { Fieldset, SimpleGrid, TextInput } from '@mantine/core';
import { useZone } from '../../frame/session.tsx';
import { type Document, minuteOf, partOf, timeOf } from '../../parts/drafts/document-values.ts';
import { TEXTS } from '../../texts.ts';
import { PercentInput } from './deciding-fields.tsx';
import type { FieldsProps } from './fields.ts';
import { PowerPanel } from './power-panel.tsx';

const texts = TEXTS.experiment;

/** What the experiment is planned for, beside what that takes. */
export function PlanFields({ document, onChange, readOnly }: FieldsProps) {
  const zone = useZone();
  const plan = partOf(document, 'plan');
  const change = (part: Document): void => onChange({ ...document, plan: { ...plan, ...part } });
  return (
    <Fieldset legend={texts.plan}>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <PercentInput
          label={texts.mde}
          help={texts.mdeHelp}
          value={plan['mde']}
          readOnly={readOnly}
          onChange={(mde) => change({ mde })}
        />
        <TextInput
          type="datetime-local"
          label={texts.endsAt(zone)}
          description={texts.endsAtHelp}
          value={minuteOf(zone, plan['ends_at'])}
          readOnly={readOnly}
          onChange={(event) => change({ ends_at: timeOf(zone, event.currentTarget.value) })}
        />
        <PercentInput
          label={texts.power}
          value={plan['power']}
          least={50}
          most={99}
          readOnly={readOnly}
          onChange={(power) => change({ power: power ?? undefined })}
        />
        <PercentInput
          label={texts.alpha}
          value={plan['alpha']}
          least={0.1}
          most={20}
          readOnly={readOnly}
          onChange={(alpha) => change({ alpha: alpha ?? undefined })}
        />
      </SimpleGrid>
      <PowerPanel document={document} />
    </Fieldset>
  );
}
