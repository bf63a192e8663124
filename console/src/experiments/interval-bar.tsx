/** An interval around 0, as wide as `most` on both sides. The numbers stand beside it, so it is hidden to readers. */
export function IntervalBar({ low, high, most }: { low: number; high: number; most: number }) {
  const place = (value: number): number => 60 + (60 * Math.max(-most, Math.min(most, value))) / most;
  return (
    <svg width={120} height={12} viewBox="0 0 120 12" aria-hidden="true" style={{ display: 'block' }}>
      <line x1={60} x2={60} y1={0} y2={12} stroke="var(--mantine-color-dimmed)" strokeDasharray="2 2" />
      <rect
        x={place(low)}
        y={4}
        width={Math.max(2, place(high) - place(low))}
        height={4}
        rx={2}
        fill="var(--mantine-primary-color-filled)"
      />
    </svg>
  );
}
