import './bars.css';

/* Charts without a library: bars and intervals on one scale. Each stands beside a table with its figures. */

interface MeterProps {
  /** 0 to 1. */
  share: number;
  label: string;
  /** Colours it as a warning. */
  isHigh?: boolean;
}

/** How full something is. */
export function Meter({ share, label, isHigh = false }: MeterProps) {
  const percent = Math.round(Math.min(1, Math.max(0, share)) * 100);
  return (
    <div
      className="meter"
      role="meter"
      aria-label={label}
      aria-valuenow={percent}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuetext={`${percent} %`}
    >
      <div className={isHigh ? 'meter-fill meter-high' : 'meter-fill'} style={{ width: `${percent}%` }} />
    </div>
  );
}

interface IntervalRow {
  name: string;
  low: number;
  value: number;
  high: number;
  /** A mark to compare with. */
  mark?: number;
}

/** Values with intervals, one below the other, on one scale. Numbers in the picture are in the table beside it. */
export function IntervalChart({
  rows,
  label,
  zero = false,
}: {
  rows: readonly IntervalRow[];
  label: string;
  /** Whether a line stands at 0. */
  zero?: boolean;
}) {
  const all = rows.flatMap(({ low, high, value, mark = value }) => [low, high, value, mark]);
  const least = Math.min(0, ...all);
  const most = Math.max(zero ? 0 : least, ...all);
  const span = most - least || 1;
  const at = (value: number): string => `${((value - least) / span) * 100}%`;
  return (
    <div role="img" aria-label={label} className="intervals">
      {rows.map(({ name, low, value, high, mark }) => (
        <div key={name} className="interval-row">
          <span className="interval-name">{name}</span>
          <span className="interval-track">
            {zero ? <span className="interval-zero" style={{ left: at(0) }} /> : null}
            <span className="interval-range" style={{ left: at(low), width: `${((high - low) / span) * 100}%` }} />
            <span className="interval-value" style={{ left: at(value) }} />
            {mark === undefined ? null : <span className="interval-mark" style={{ left: at(mark) }} />}
          </span>
        </div>
      ))}
    </div>
  );
}

/** Two shares side by side for each bin. */
export function PairedBars({
  bins,
  label,
}: {
  bins: readonly { name: string; now: number; reference: number }[];
  label: string;
}) {
  const most = Math.max(...bins.flatMap(({ now, reference }) => [now, reference]), Number.EPSILON);
  return (
    <div role="img" aria-label={label} className="paired">
      {bins.map(({ name, now, reference }) => (
        <span key={name} className="paired-bin" title={name}>
          <span className="paired-now" style={{ height: `${(now / most) * 100}%` }} />
          <span className="paired-reference" style={{ height: `${(reference / most) * 100}%` }} />
        </span>
      ))}
    </div>
  );
}
