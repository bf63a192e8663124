import { Type, type Static } from 'typebox';
import { compile } from '../../core/kernel/validation/validation.ts';
import { FEATURES } from './features.ts';

const Bins = Type.Object({ edges: Type.Array(Type.Number()), shares: Type.Array(Type.Number()) });
const Features = Type.Object(Object.fromEntries(FEATURES.map((name) => [name, Type.Number()])));

/** The fields of a manifest that the service uses; `models/training/README.md` describes all fields. */
const ManifestSchema = Type.Object({
  manifest_version: Type.Literal(1),
  name: Type.String(),
  model_version: Type.String({ pattern: '^[0-9a-f]{12}$' }),
  artifact: Type.Object({ file: Type.String({ pattern: '^[A-Za-z0-9._-]+$' }), sha256: Type.String() }),
  features: Type.Array(Type.Object({ name: Type.String(), reference: Bins })),
  score_reference: Bins,
  thresholds: Type.Object({ top_1pct: Type.Number(), top_5pct: Type.Number(), top_10pct: Type.Number() }),
  training: Type.Object({ data: Type.String() }),
  golden_rows: Type.Array(
    Type.Object({
      name: Type.String(),
      features: Type.Unsafe<Record<(typeof FEATURES)[number], number>>(Features),
      score: Type.Number(),
      bucket: Type.String(),
    }),
    { minItems: 1 },
  ),
});

export type Manifest = Static<typeof ManifestSchema>;

const check = compile(ManifestSchema);

/** Parses a manifest. Returns the reason as text if it is invalid. */
export function parseManifest(text: string): Manifest | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'the manifest is not JSON';
  }
  if (!check.accepts(value)) {
    const [fault] = check.faultsOf(value);
    return `the manifest is invalid: ${fault?.path ?? ''} ${fault?.message ?? ''}`;
  }
  const names = value.features.map(({ name }) => name);
  return names.join() === FEATURES.join() ? value : `the model has other features: ${names.join(', ')}`;
}
