import './stacked-bars.css';

interface Bar {
  name: string;
  /** In the order of `parts`. */
  values: readonly number[];
  isPartial: boolean;
}

interface StackedBarsProps {
  label: string;
  parts: readonly { name: string; isBelow: boolean }[];
  bars: readonly Bar[];
}

/** Bars of parts above and below a line. Each stands beside a table with its figures, and parts differ in pattern too. */
export function StackedBars({ label, parts, bars }: StackedBarsProps) {
  const sum = (values: readonly number[], below: boolean): number =>
    values.reduce((all, value, place) => (parts[place]?.isBelow === below ? all + value : all), 0);
  const above = Math.max(1, ...bars.map(({ values }) => sum(values, false)));
  const below = Math.max(0, ...bars.map(({ values }) => sum(values, true)));
  const height = (value: number) => ({ height: `${(value / (above + below)) * 100}%` });
  const stack = (values: readonly number[], isBelow: boolean) =>
    values.map((value, place) =>
      parts[place]?.isBelow === isBelow ? (
        <span key={parts[place].name} className={`stack-${place}`} style={height(value)} />
      ) : null,
    );
  return (
    <div>
      <div role="img" aria-label={label} className="stacked">
        {bars.map(({ name, values, isPartial }) => (
          <span key={name} className={isPartial ? 'stacked-bar stacked-partial' : 'stacked-bar'} title={name}>
            <span style={height(above - sum(values, false))} />
            {stack(values, false)}
            <span className="stacked-zero" />
            {stack(values, true)}
          </span>
        ))}
      </div>
      <div aria-hidden="true" className="stacked-legend">
        {parts.map(({ name }, place) => (
          <span key={name}>
            <span className={`stack-${place}`} />
            {name}
          </span>
        ))}
      </div>
    </div>
  );
}
