import { Button, Fieldset, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { NumberField } from '../conditions/operand-editors.tsx';
import { useZone } from '../frame/session.tsx';
import { TimeInput } from '../parts/editors/time-input.tsx';
import { TEXTS } from '../texts.ts';
import { PlanDialog } from './plan-dialog.tsx';
import { type EditedStep, firstSteps, rolloutOf, UNITS, withStep } from './planned.ts';

const texts = TEXTS.schedule;

/** A rule of a flag, as far as a roll-out needs it. */
export interface RolledRule {
  name?: string;
  percentage?: number;
}

interface PlanRolloutProps {
  flagKey: string;
  rules: readonly RolledRule[];
  /** A roll-out that was held, to go on with; undefined: a new one. */
  held: { rule: string; steps: EditedStep[] } | undefined;
}

/** A button that plans the percentage of a rule step by step. */
export function PlanRollout({ flagKey, rules, held }: PlanRolloutProps) {
  const [opened, setOpened] = useState(false);
  return (
    <>
      <Button variant="default" size="xs" onClick={() => setOpened(true)}>
        {held === undefined ? texts.rollout : texts.resume}
      </Button>
      {/* Each time it begins anew. */}
      {opened ? <RolloutDialog flagKey={flagKey} rules={rules} held={held} onClose={() => setOpened(false)} /> : null}
    </>
  );
}

function RolloutDialog({ flagKey, rules, held, onClose }: PlanRolloutProps & { onClose: () => void }) {
  const zone = useZone();
  const open = rules
    .map(({ name = '', percentage = 100 }, index) => ({ place: index + 1, name, percentage }))
    .filter(({ percentage }) => percentage < 100);
  const [first] = open;
  const [chosen, setChosen] = useState(() => open.find(({ name }) => name === held?.rule)?.place ?? first?.place ?? 1);
  const rule = open.find(({ place }) => place === chosen);
  const now = rule?.percentage ?? 0;
  const [begins, setBegins] = useState('');
  const [steps, setSteps] = useState(
    () => held?.steps.filter(({ percentage = 0 }) => percentage > now) ?? firstSteps(now),
  );
  const plan = rule === undefined ? undefined : rolloutOf({ rule: chosen, begins, steps }, now);
  return (
    <PlanDialog
      of="flag"
      id={flagKey}
      title={held === undefined ? texts.rolloutTitle : texts.resumeTitle}
      plan={plan}
      opened
      onClose={onClose}
    >
      {rule === undefined ? (
        <Text>{texts.noRule}</Text>
      ) : (
        <>
          <Group align="flex-end">
            <NativeSelect
              size="xs"
              label={texts.rule}
              value={String(chosen)}
              data={open.map(({ place, name, percentage }) => ({
                value: String(place),
                label: texts.ruleOf(place, name, percentage),
              }))}
              onChange={({ currentTarget: { value } }) => {
                const next = open.find(({ place }) => place === Number(value)) ?? rule;
                setChosen(next.place);
                if (held === undefined) setSteps(firstSteps(next.percentage));
              }}
            />
            <TimeInput
              label={texts.begins(zone)}
              hint={texts.atOnce}
              value={begins}
              readOnly={false}
              onChange={setBegins}
            />
          </Group>
          <Steps steps={steps} onChange={setSteps} />
          {plan === undefined ? (
            <Text size="sm" c="var(--fault-color)" role="alert">
              {texts.badSteps(now)}
            </Text>
          ) : null}
        </>
      )}
    </PlanDialog>
  );
}

function Steps({ steps, onChange }: { steps: readonly EditedStep[]; onChange: (steps: EditedStep[]) => void }) {
  const set = (id: number, change: Partial<EditedStep>): void =>
    onChange(steps.map((each) => (each.id === id ? { ...each, ...change } : each)));
  return (
    <Stack gap="xs">
      {steps.map(({ id, percentage, amount, unit }, place) => (
        <Fieldset key={id} p="xs" legend={texts.stepOf(place + 1)}>
          <Group align="flex-end" gap="xs">
            <NumberField
              label={texts.percentage}
              value={percentage}
              readOnly={false}
              onChange={(value) => set(id, { percentage: value })}
            />
            {place === 0 ? null : (
              <>
                <NumberField
                  label={texts.after}
                  value={amount}
                  readOnly={false}
                  onChange={(value) => set(id, { amount: value })}
                />
                <NativeSelect
                  size="xs"
                  aria-label={texts.unit}
                  value={unit}
                  data={UNITS.map((value) => ({ value, label: texts.units[value] }))}
                  onChange={({ currentTarget: { value } }) =>
                    set(id, { unit: UNITS.find((each) => each === value) ?? 'd' })
                  }
                />
              </>
            )}
            <Button
              size="compact-xs"
              variant="default"
              mb={4}
              aria-label={texts.removeStep(place + 1)}
              onClick={() => onChange(steps.filter((each) => each.id !== id))}
            >
              ×
            </Button>
          </Group>
        </Fieldset>
      ))}
      <Button size="compact-xs" variant="default" w="fit-content" onClick={() => onChange(withStep(steps))}>
        {texts.addStep}
      </Button>
    </Stack>
  );
}
