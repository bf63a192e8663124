import { NativeSelect } from '@mantine/core';
import { TEXTS } from '../../texts.ts';
import { useAddressField } from '../address.ts';
import { type Labels, tagsOf } from './labels.ts';

const texts = TEXTS.labels;

/** Chooses one of the tags that definitions have. The choice is in the address, as `tag`. */
export function TagFilter({ of }: { of: readonly Pick<Labels, 'tags'>[] }) {
  const [tag, setTag] = useAddressField('tag');
  const tags = tagsOf(of, tag);
  if (tags.length === 0) return null;
  return (
    <NativeSelect
      label={texts.tag}
      value={tag}
      data={[{ value: '', label: texts.allTags }, ...tags]}
      onChange={(event) => setTag(event.currentTarget.value)}
    />
  );
}
