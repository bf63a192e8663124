import { type ReactNode, useEffect, useRef, useState } from 'react';
import { TEXTS } from '../texts.ts';

interface Edges {
  left: boolean;
  right: boolean;
  /** Whether there is more above or below. */
  vertical: boolean;
}

/**
 * A part that scrolls by itself if it is too wide or too high. A shadow at an edge says that there is more behind it.
 * While it scrolls, it is reachable by keyboard and its name says that it does.
 */
export function ScrollRegion({
  label,
  className = 'table-scroll',
  children,
}: {
  label: string;
  className?: string;
  children: ReactNode;
}) {
  const region = useRef<HTMLDivElement>(null);
  const [{ left, right, vertical }, setEdges] = useState<Edges>({ left: false, right: false, vertical: false });
  useEffect(() => {
    const element = region.current;
    if (element === null) return undefined;
    const read = (): void => setEdges((before) => sameOr(before, edgesOf(element)));
    read();
    // The content may grow while the region stays as it is.
    const sizes = new ResizeObserver(read);
    for (const each of [element, ...element.children]) sizes.observe(each);
    element.addEventListener('scroll', read, { passive: true });
    return () => {
      sizes.disconnect();
      element.removeEventListener('scroll', read);
    };
  }, []);
  const scrolls = left || right || vertical;
  const name = left || right ? TEXTS.table.sideways(label) : TEXTS.table.scrolls(label);
  return (
    <div className="scroll-frame" data-left={left || undefined} data-right={right || undefined}>
      <div ref={region} className={className} {...(scrolls ? { tabIndex: 0, role: 'region', 'aria-label': name } : {})}>
        {children}
      </div>
    </div>
  );
}

function edgesOf({ scrollLeft, scrollWidth, clientWidth, scrollHeight, clientHeight }: HTMLElement): Edges {
  return {
    left: scrollLeft > 1,
    right: scrollLeft + clientWidth < scrollWidth - 1,
    vertical: scrollHeight > clientHeight + 1,
  };
}

/** The edges before if nothing has changed, so that nothing is drawn again. */
function sameOr(before: Edges, now: Edges): Edges {
  const isSame = before.left === now.left && before.right === now.right && before.vertical === now.vertical;
  return isSame ? before : now;
}
