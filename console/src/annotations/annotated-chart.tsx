import { useMemo } from 'react';
import { useZone } from '../frame/session.tsx';
import { Chart, type ChartProps } from '../parts/charts/chart.tsx';
import { marksOf } from './marks.ts';
import { Notes } from './notes.tsx';
import { useAnnotations } from './use-annotations.ts';

/** A chart over time with the notes of the game: marks on it, and the notes as a list below. */
export function AnnotatedChart(props: Omit<ChartProps, 'marks' | 'below'>) {
  const zone = useZone();
  const { data } = useAnnotations();
  const { at } = props;
  const marks = useMemo(() => marksOf(zone, at, data?.annotations ?? []), [zone, at, data]);
  const drawn = useMemo(() => marks.map(({ place, annotation }) => ({ place, text: annotation.text })), [marks]);
  return <Chart {...props} marks={drawn} below={(chosenMs) => <Notes marks={marks} atMs={chosenMs ?? at.at(-1)} />} />;
}
