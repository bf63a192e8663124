import { type ReactNode, useRef, useState } from 'react';

const ROW_PX = 34;
/** Rows above and below the visible ones. */
const SPARE = 12;

interface VirtualListProps<T> {
  items: readonly T[];
  /** Without it rows are reused by their place, which is cheap for a list whose items change all the time. */
  keyOf?: (item: T) => string;
  label: string;
  row: (item: T) => ReactNode;
}

/** A list of rows of one height, of which only the visible ones are in the page. */
export function VirtualList<T>({ items, keyOf, label, row }: VirtualListProps<T>) {
  const [top, setTop] = useState(0);
  const box = useRef<HTMLDivElement>(null);
  const visible = Math.ceil((box.current?.clientHeight ?? 640) / ROW_PX);
  const first = Math.max(0, Math.floor(top / ROW_PX) - SPARE);
  const shown = items.slice(first, first + visible + 2 * SPARE);
  return (
    <div
      ref={box}
      className="virtual-list"
      role="list"
      aria-label={label}
      tabIndex={0}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
    >
      <div style={{ height: first * ROW_PX }} role="presentation" />
      {shown.map((item, place) => (
        <div key={keyOf?.(item) ?? place} role="listitem" aria-setsize={items.length} aria-posinset={first + place + 1}>
          {row(item)}
        </div>
      ))}
      <div style={{ height: Math.max(0, items.length - first - shown.length) * ROW_PX }} role="presentation" />
    </div>
  );
}
