import { Alert, Button, Fieldset, Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { BucketByField } from '../../conditions/bucket-by-field.tsx';
import { useSegments } from '../../definitions.ts';
import { ConditionBuilder } from '../../parts/editors/condition-builder.tsx';
import { isObject, parseObject, prettyJson } from '../../parts/editors/json-text.ts';
import { NumberOrNone } from '../../parts/editors/number-or-none.tsx';
import { type Document, partOf, textOf } from '../../parts/drafts/document-values.ts';
import { SegmentSelect } from '../../segments/segment-select.tsx';
import { TEXTS } from '../../texts.ts';
import { conditionsFault } from '../experiment-document.ts';
import type { FieldsProps } from './fields.ts';

const texts = TEXTS.experiment;

/** Who takes part: audience, traffic, layer, and what puts players into buckets. */
export function AudienceFields({ document, onChange, readOnly, fixed, fixedText }: FieldsProps) {
  const { data: segments = [] } = useSegments();
  const audience = partOf(document, 'audience');
  const isOver = fixed.has('/audience');
  const hasFixedBuckets = fixed.has('/bucket_by');
  const { conditions, ...rest } = audience;
  const setAudience = (next: Document): void => onChange({ ...document, audience: next });
  return (
    <Fieldset legend={texts.who}>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <SegmentSelect
          label={texts.segment}
          {...(isOver ? { help: fixedText } : {})}
          value={textOf(audience['segment_id'])}
          segments={segments}
          readOnly={readOnly || isOver}
          onChange={(id) => setAudience({ ...audience, segment_id: id === '' ? null : id })}
        />
        <NumberOrNone
          label={texts.traffic}
          help={isOver ? fixedText : texts.trafficHelp}
          value={document['traffic']}
          most={100}
          readOnly={readOnly}
          isFixed={isOver}
          onChange={(traffic) => onChange({ ...document, traffic: traffic ?? 0 })}
        />
        <div>
          <BucketByField
            size="sm"
            label={texts.bucketBy}
            value={textOf(document['bucket_by'])}
            readOnly={readOnly || hasFixedBuckets}
            onChange={(by) => onChange({ ...document, bucket_by: by })}
          />
          <Text size="xs" c="dimmed">
            {hasFixedBuckets ? fixedText : texts.bucketByHelp}
          </Text>
        </div>
      </SimpleGrid>
      <Layer document={document} onChange={onChange} readOnly={readOnly} fixed={fixed} fixedText={fixedText} />
      <Stack gap="xs" mt="sm" align="flex-start">
        {conditions === undefined ? (
          readOnly || isOver ? null : (
            <Button size="compact-xs" variant="default" onClick={() => setAudience({ ...audience, conditions: {} })}>
              {texts.addConditions}
            </Button>
          )
        ) : (
          <>
            <ConditionBuilder
              label={texts.conditions}
              place="flag"
              value={prettyJson(isObject(conditions) ? conditions : {})}
              readOnly={readOnly || isOver}
              onChange={(text) => {
                const next = parseObject(text);
                if (next !== undefined) setAudience({ ...audience, conditions: next });
              }}
            />
            {conditionsFault(document) === 'empty' && !isOver ? (
              <Alert color="red" variant="outline" title={texts.noConditions} />
            ) : null}
            {readOnly || isOver ? null : (
              <Button size="compact-xs" variant="default" onClick={() => setAudience(rest)}>
                {texts.removeConditions}
              </Button>
            )}
          </>
        )}
      </Stack>
    </Fieldset>
  );
}

/** A range of players that no other experiment of the layer has. */
function Layer({ document, onChange, readOnly, fixed, fixedText }: Omit<FieldsProps, 'held'>) {
  const { layer } = document;
  const held = isObject(layer) ? layer : undefined;
  const isOver = fixed.has('/layer');
  const hasFixedKey = fixed.has('/layer/key');
  const change = (part: Document): void => onChange({ ...document, layer: { from: 0, to: 100, ...held, ...part } });
  return (
    <Group align="flex-start" mt="xs">
      <TextInput
        label={texts.layer}
        description={hasFixedKey ? fixedText : texts.layerHelp}
        value={textOf(held?.['key'])}
        readOnly={readOnly}
        disabled={hasFixedKey}
        onChange={({ currentTarget: { value } }) =>
          value === '' ? onChange({ ...document, layer: null }) : change({ key: value })
        }
      />
      {held === undefined ? null : (
        <>
          <NumberOrNone
            label={texts.layerFrom}
            value={held['from']}
            most={100}
            readOnly={readOnly}
            isFixed={isOver}
            onChange={(from) => change({ from: from ?? 0 })}
          />
          <NumberOrNone
            label={texts.layerTo}
            value={held['to']}
            most={100}
            readOnly={readOnly}
            isFixed={isOver}
            onChange={(to) => change({ to: to ?? 0 })}
          />
        </>
      )}
    </Group>
  );
}
