import { NativeSelect, TagsInput, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Json } from '../../../core/kernel/text/json.ts';
import { isSameJson, parseJson } from '../parts/editors/json-text.ts';
import { TEXTS } from '../texts.ts';
import { OPERANDS, type Operator, TYPES } from './operands.ts';

const texts = TEXTS.conditions;

interface OperandProps {
  operand: Json;
  /** undefined: what the person typed is no value. */
  onChange: (operand: Json | undefined) => void;
  readOnly: boolean;
}

/** What the operator compares with. A value that does not fit its form is edited as JSON, so nothing is lost. */
export function OperandEditor({ operator, ...props }: { operator: Operator } & OperandProps) {
  const { operand, onChange, readOnly } = props;
  switch (OPERANDS[operator]) {
    case 'value':
      return <ValueEditor {...props} />;
    case 'text':
      return typeof operand === 'string' ? <TextEditor {...props} operand={operand} /> : <JsonLine {...props} />;
    case 'number':
      return typeof operand === 'number' || operand === '' ? (
        <NumberField
          label={texts.value}
          isLabelHidden
          value={operand === '' ? undefined : operand}
          onChange={(value) => onChange(Number.isNaN(value) ? undefined : value)}
          readOnly={readOnly}
        />
      ) : (
        <JsonLine {...props} />
      );
    case 'list':
      return <ListEditor {...props} />;
    case 'exists':
      return typeof operand === 'boolean' ? <BooleanEditor {...props} operand={operand} /> : <JsonLine {...props} />;
    case 'type':
      return (
        <NativeSelect
          size="xs"
          aria-label={texts.value}
          disabled={readOnly}
          value={typeof operand === 'string' ? operand : JSON.stringify(operand)}
          data={[...new Set([...TYPES, typeof operand === 'string' ? operand : JSON.stringify(operand)])]}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      );
    case 'json':
      return <JsonLine {...props} />;
  }
}

/** The operand after a change of the operator: the same where it fits, otherwise an empty one. */
export function operandFor(operator: Operator, operand: Json): Json {
  switch (OPERANDS[operator]) {
    case 'value':
      return Array.isArray(operand) ? (operand[0] ?? '') : operand;
    case 'text':
      return typeof operand === 'string' ? operand : typeof operand === 'number' ? String(operand) : '';
    case 'number':
      return typeof operand === 'number' ? operand : 1;
    case 'list':
      return Array.isArray(operand) ? operand : operand === '' || typeof operand === 'object' ? [] : [operand];
    case 'exists':
      return typeof operand === 'boolean' ? operand : true;
    case 'type':
      return TYPES.find((type) => type === operand) ?? 'string';
    case 'json':
      return typeof operand === 'object' ? operand : operator === '$not' ? { $eq: operand } : {};
  }
}

type Kind = keyof typeof texts.kinds;
const KINDS: readonly Kind[] = ['text', 'number', 'boolean', 'null', 'json'];

function kindOf(value: Json): Kind {
  if (value === null) return 'null';
  if (typeof value === 'string') return 'text';
  if (typeof value === 'number') return 'number';
  return typeof value === 'boolean' ? 'boolean' : 'json';
}

function ofKind(kind: Kind, value: Json): Json {
  switch (kind) {
    case 'text':
      return typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value);
    case 'number':
      return value === '' ? '' : Number.isFinite(Number(value)) ? Number(value) : 0;
    case 'boolean':
      return value === true || value === 'true';
    case 'null':
      return null;
    case 'json':
      return typeof value === 'object' && value !== null ? value : [value];
  }
}

/** A value of any type. The number 5 and the text "5" differ, so the type is chosen beside the value. */
function ValueEditor({ operand, onChange, readOnly }: OperandProps) {
  const [wanted, setWanted] = useState(() => kindOf(operand));
  // A value that is not given has no type of its own.
  const kind = operand === '' ? wanted : kindOf(operand);
  return (
    <>
      <NativeSelect
        size="xs"
        w={90}
        aria-label={texts.kind}
        disabled={readOnly}
        value={kind}
        data={KINDS.map((each) => ({ value: each, label: texts.kinds[each] }))}
        onChange={(event) => {
          const next = KINDS.find((each) => each === event.currentTarget.value) ?? 'text';
          setWanted(next);
          onChange(ofKind(next, operand));
        }}
      />
      {kind === 'text' && typeof operand === 'string' ? (
        <TextEditor operand={operand} onChange={onChange} readOnly={readOnly} />
      ) : typeof operand === 'boolean' ? (
        <BooleanEditor operand={operand} onChange={onChange} readOnly={readOnly} />
      ) : kind === 'number' && (typeof operand === 'number' || operand === '') ? (
        <NumberField
          label={texts.value}
          isLabelHidden
          value={operand === '' ? undefined : operand}
          onChange={(value) => onChange(Number.isNaN(value) ? undefined : value)}
          readOnly={readOnly}
        />
      ) : operand === null ? null : (
        <JsonLine operand={operand} onChange={onChange} readOnly={readOnly} />
      )}
    </>
  );
}

function TextEditor({ operand, onChange, readOnly }: OperandProps & { operand: string }) {
  return (
    <TextInput
      size="xs"
      aria-label={texts.value}
      readOnly={readOnly}
      value={operand}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

function BooleanEditor({ operand, onChange, readOnly }: OperandProps & { operand: boolean }) {
  return (
    <NativeSelect
      size="xs"
      aria-label={texts.value}
      disabled={readOnly}
      value={String(operand)}
      data={[
        { value: 'true', label: TEXTS.yes },
        { value: 'false', label: TEXTS.no },
      ]}
      onChange={(event) => onChange(event.currentTarget.value === 'true')}
    />
  );
}

interface Range {
  least: number;
  most: number;
  fault: string;
  /** Default: it must be. */
  isWhole?: boolean;
}

interface NumberFieldProps {
  label: string;
  isLabelHidden?: boolean;
  help?: string;
  value: number | undefined;
  /** undefined: the field is empty. NaN: it holds no such number. */
  onChange: (value: number | undefined) => void;
  readOnly: boolean;
  range?: Range;
}

/** A number. While it is none, the field says so. */
export function NumberField({ label, isLabelHidden, help, value, onChange, readOnly, range }: NumberFieldProps) {
  const [draft, setDraft] = useState({ text: value === undefined ? '' : String(value), of: value });
  const text = Object.is(draft.of, value) ? draft.text : value === undefined ? '' : String(value);
  const fault = numberFault(text, range);
  return (
    <TextInput
      size="xs"
      w={110}
      inputMode="decimal"
      {...(isLabelHidden === true ? { 'aria-label': label } : { label })}
      title={help}
      readOnly={readOnly}
      value={text}
      error={fault}
      onChange={(event) => {
        const typed = event.currentTarget.value;
        const isFine = numberFault(typed, range) === undefined;
        const next = typed.trim() === '' ? undefined : isFine ? Number(typed) : NaN;
        setDraft({ text: typed, of: next });
        onChange(next);
      }}
    />
  );
}

function numberFault(text: string, range: Range | undefined): string | undefined {
  if (text.trim() === '') return undefined;
  const number = Number(text);
  if (!Number.isFinite(number)) return range?.fault ?? texts.badNumber;
  if (range === undefined) return undefined;
  const isWholeEnough = range.isWhole === false || Number.isInteger(number);
  return isWholeEnough && number >= range.least && number <= range.most ? undefined : range.fault;
}

/** JSON on one line. While it is none, the field says so. */
function JsonLine({ operand, onChange, readOnly }: OperandProps) {
  const [draft, setDraft] = useState({ text: JSON.stringify(operand), of: operand });
  const text = isSameJson(draft.of, operand) ? draft.text : JSON.stringify(operand);
  const fault = parseJson(text).kind === 'fault' ? texts.badJson : undefined;
  return (
    <TextInput
      size="xs"
      className="mono"
      style={{ flex: '1 1 160px' }}
      aria-label={texts.value}
      readOnly={readOnly}
      value={text}
      error={fault}
      onChange={(event) => {
        const typed = event.currentTarget.value;
        const parsed = parseJson(typed);
        const next = parsed.kind === 'value' ? parsed.value : undefined;
        setDraft({ text: typed, of: next ?? '' });
        onChange(next);
      }}
    />
  );
}

type ListKind = keyof typeof texts.listKinds;

function listKindOf(operand: Json): ListKind {
  if (!Array.isArray(operand)) return 'json';
  if (operand.every((item) => typeof item === 'string')) return 'text';
  return operand.every((item) => typeof item === 'number') ? 'number' : 'json';
}

/** A list of texts or of numbers; a mixed one as JSON. */
function ListEditor({ operand, onChange, readOnly }: OperandProps) {
  const [wanted, setWanted] = useState<ListKind>(() => listKindOf(operand));
  const found = listKindOf(operand);
  // An empty list has no type of its own.
  const kind = Array.isArray(operand) && operand.length === 0 ? wanted : wanted === 'json' ? 'json' : found;
  const setKind = (next: ListKind): void => {
    setWanted(next);
    if (!Array.isArray(operand)) return;
    if (next === 'text') onChange(operand.map((item) => (typeof item === 'string' ? item : JSON.stringify(item))));
    else if (next === 'number') onChange(operand.map(Number).filter(Number.isFinite));
  };
  return (
    <>
      <NativeSelect
        size="xs"
        w={90}
        aria-label={texts.kind}
        disabled={readOnly}
        value={kind}
        data={(['text', 'number', 'json'] as const).map((each) => ({ value: each, label: texts.listKinds[each] }))}
        onChange={({ currentTarget: { value } }) => setKind(value === 'number' || value === 'json' ? value : 'text')}
      />
      {kind === 'json' || !Array.isArray(operand) ? (
        <JsonLine operand={operand} onChange={onChange} readOnly={readOnly} />
      ) : (
        <TagsInput
          size="xs"
          style={{ flex: '1 1 160px' }}
          aria-label={texts.list}
          placeholder={operand.length === 0 ? texts.listHint : ''}
          readOnly={readOnly}
          value={operand.map(String)}
          onChange={(items) => onChange(kind === 'number' ? items.map(Number).filter(Number.isFinite) : items)}
        />
      )}
    </>
  );
}
