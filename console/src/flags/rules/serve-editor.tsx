import { Group, NativeSelect } from '@mantine/core';
import { NumberField } from '../../conditions/operand-editors.tsx';
import { TEXTS } from '../../texts.ts';
import type { Flag } from '../../definitions.ts';
import type { EditedVariant } from '../edited-flag.ts';
import type { EditedServe } from './edited-serve.ts';
import { ValueField } from './value-field.tsx';

const texts = TEXTS.flag;

interface ServeEditorProps {
  label: string;
  type: Flag['flag_type'];
  variants: readonly EditedVariant[];
  serve: EditedServe;
  /** What can be chosen beside what a rule serves, by its name. */
  others: readonly { value: string; label: string }[];
  /** The name of the choice of `others`, where nothing is served of its own. */
  other: string;
  onChange: (serve: EditedServe, other: string) => void;
  readOnly: boolean;
  size?: 'xs' | 'sm';
}

const VARIANT = 'variant ';

/** What a rule, or the default, serves: one variant, weights or a value. */
export function ServeEditor(props: ServeEditorProps) {
  const { label, type, variants, serve, others, other, onChange, readOnly, size = 'xs' } = props;
  const { kind, variant, weights, value } = serve;
  const choose = (chosen: string): void => {
    if (chosen.startsWith(VARIANT)) {
      return onChange({ ...serve, kind: 'variant', variant: chosen.slice(VARIANT.length) }, other);
    }
    if (chosen === 'value') return onChange({ ...serve, kind: 'value', value: EMPTY[type] }, other);
    if (chosen !== 'weights') return onChange({ ...serve, kind: 'usual' }, chosen);
    const own = Object.fromEntries(variants.map((each) => [each.key, weights[each.key] ?? each.weight]));
    return onChange({ ...serve, kind: 'weights', weights: own }, other);
  };
  const current = kind === 'usual' ? other : kind === 'variant' ? VARIANT + variant : kind;
  const isMissing = kind === 'variant' && !variants.some(({ key }) => key === variant);
  return (
    <Group align="flex-end" gap="xs" wrap={kind === 'value' ? 'nowrap' : 'wrap'}>
      <NativeSelect
        size={size}
        label={label}
        value={current}
        disabled={readOnly}
        data={[
          ...others,
          ...variants.map(({ key }) => ({ value: VARIANT + key, label: texts.getsVariant(key) })),
          ...(isMissing ? [{ value: current, label: texts.getsVariant(variant) }] : []),
          ...(type === 'boolean' ? [] : [{ value: 'weights', label: texts.getsWeights }]),
          { value: 'value', label: texts.getsValue },
        ]}
        onChange={(event) => choose(event.currentTarget.value)}
      />
      {kind === 'value' ? (
        <ValueField
          size={size}
          label={texts.servedValue}
          type={type}
          value={value}
          readOnly={readOnly}
          onChange={(changed) => onChange({ ...serve, value: changed }, other)}
        />
      ) : null}
      {kind === 'weights'
        ? [...new Set([...variants.map(({ key }) => key), ...Object.keys(weights)])].map((key) => (
            <NumberField
              key={key}
              label={texts.weightOf(key)}
              value={weights[key] ?? 0}
              readOnly={readOnly}
              onChange={(weight = 0) => onChange({ ...serve, weights: { ...weights, [key]: weight } }, other)}
            />
          ))
        : null}
    </Group>
  );
}

/** A first value of each type, as JSON. */
const EMPTY = { boolean: 'true', multivariate: '""', string: '""', number: '0', json: '{}' } as const;
