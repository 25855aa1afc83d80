'use client';
import { useEffect, useState } from 'react';
import type { Column } from './column';

type Visibility = Record<string, boolean>;

/** Which columns are shown, remembered in this browser per table: id -> visible. */
export function useColumnVisibility<Row>(tableId: string, columns: readonly Column<Row>[]) {
  const [visible, setVisible] = useState<Visibility>(() => Object.fromEntries(columns.map((c) => [c.id, !c.hidden])));
  const key = `fabric.columns.${tableId}`;
  useEffect(() => {
    const stored = read(key);
    if (stored) setVisible((now) => ({ ...now, ...stored }));
  }, [key]);
  const change = (id: string, shown: boolean) => {
    const next = { ...visible, [id]: shown };
    setVisible(next);
    try {
      localStorage.setItem(key, JSON.stringify(next));
    } catch {
      // Storage is full or forbidden: the choice holds for this visit.
    }
  };
  return [visible, change] as const;
}

function read(key: string): Visibility | null {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(key) ?? 'null');
    if (typeof value !== 'object' || value === null) return null;
    return Object.fromEntries(Object.entries(value).filter((entry) => typeof entry[1] === 'boolean'));
  } catch {
    return null;
  }
}
