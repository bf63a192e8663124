import type { FieldFault } from '../../../core/kernel/errors.ts';
import type { FlagDocument } from '../../../core/vocabulary/documents/documents.ts';
import type { BucketBy, FlagServe } from '../../../core/vocabulary/documents/flag-serve.ts';
import { bucketByFault } from '../../conditions/buckets/bucket-key.ts';
import { valueFaults } from './value-faults.ts';

/** The faults of what rules and the default serve, and of what they put players into buckets by. */
export function serveFaults(flag: FlagDocument): FieldFault[] {
  const { rules, defaultServe, bucketBy } = flag;
  return [
    ...(defaultServe === undefined ? [] : oneFaults(flag, defaultServe, '/default_serve')),
    ...bucketFaults(bucketBy, '/bucket_by'),
    ...rules.flatMap((rule, index) => {
      const path = `/targeting_rules/${index}`;
      const { serve, value } = rule;
      return [
        ...(serve === undefined ? [] : oneFaults(flag, serve, `${path}/serve`)),
        ...(serve === undefined || value ? [] : [{ path: `${path}/serve`, message: TWO }]),
        ...bucketFaults(rule.bucketBy, `${path}/bucket_by`),
      ];
    }),
  ];
}

/** Whether a flag without variants serves values: by its default or rules, none of which needs a variant. */
export function servesValues({ rules, defaultServe }: FlagDocument): boolean {
  const serves = [...rules.flatMap(({ value, serve }) => (value ? [serve] : [])), defaultServe];
  const given = serves.filter((serve) => serve !== undefined);
  return (
    given.length > 0 && given.every((serve) => 'value' in serve) && rules.every((rule) => !rule.value || rule.serve)
  );
}

const TWO = 'cannot be combined with `value`: false, which serves the default value; leave one of them out';
const NO_VARIANT = 'must be the key of a variant of the flag';
const BOOLEAN = 'must be {"value": true} or {"value": false}, because a boolean flag has no variants';

function oneFaults({ flagType, variants }: FlagDocument, serve: FlagServe, path: string): FieldFault[] {
  if ('value' in serve) return valueFaults(`${path}/value`, serve.value, flagType, false);
  if (flagType === 'boolean') return [{ path, message: BOOLEAN }];
  const keys = new Set(variants.map(({ key }) => key));
  if ('variant' in serve) return keys.has(serve.variant) ? [] : [{ path: `${path}/variant`, message: NO_VARIANT }];
  const named = serve.weights.map(({ key }) => key);
  const faults = named.flatMap((key, place): FieldFault[] => {
    const at = `${path}/weights/${place}/key`;
    if (!keys.has(key)) return [{ path: at, message: NO_VARIANT }];
    return named.indexOf(key) < place ? [{ path: at, message: 'repeats an earlier key; name each variant once' }] : [];
  });
  const isWeighted = serve.weights.some(({ weight }) => weight > 0);
  return isWeighted ? faults : [...faults, { path: `${path}/weights`, message: 'must have a weight greater than 0' }];
}

export function bucketFaults(by: BucketBy | undefined, path: string): FieldFault[] {
  const message = bucketByFault(by ?? 'player');
  return message === undefined ? [] : [{ path, message }];
}
