'use client';
import { type RefObject, useEffect, useState } from 'react';

/** How many cells of the address grid stand side by side, by the width of its box: 8, 16 or 32. */
export function useGridColumns(ref: RefObject<HTMLElement | null>): number {
  const [columns, setColumns] = useState(16);
  useEffect(() => {
    const box = ref.current;
    if (!box) return;
    const observer = new ResizeObserver(([entry]) => {
      const width = entry?.contentRect.width ?? 0;
      setColumns(width >= 1080 ? 32 : width >= 560 ? 16 : 8);
    });
    observer.observe(box);
    return () => observer.disconnect();
  }, [ref]);
  return columns;
}
