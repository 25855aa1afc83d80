'use client';
import { useMemo, useState } from 'react';
import { useT } from '@/lib/i18n/use-t';
import type { MenuEntry } from '../menu';
import { useStored } from '../use-stored';
import type { Column } from './column';
import { clampWidth, formatLayout, parseLayout } from './column-layout';

/** What the header needs for columns whose width can be changed. */
export type Resizing = {
  widthOf: (id: string) => number;
  /** The column whose edge the Tab key stops at. */
  tabStop: string | undefined;
  setTabStop: (id: string) => void;
  /** `done` when the width is to be remembered. */
  resize: (id: string, width: number, done: boolean) => void;
};

/** Which columns of a table are shown and how wide they are, remembered in this browser under the name of the table. */
export function useColumnLayout<Row>(tableId: string, columns: readonly Column<Row>[]) {
  const t = useT();
  const [stored, store] = useStored(`fabric.columns.${tableId}`);
  const chosen = useMemo(() => parseLayout(stored), [stored]);
  const visible = useMemo(
    () => ({ ...Object.fromEntries(columns.map((column) => [column.id, !column.hidden])), ...chosen.shown }),
    [columns, chosen],
  );
  // While an edge is drawn its width is not stored yet.
  const [drawn, setDrawn] = useState<Record<string, number> | null>(null);
  const widths = useMemo(() => ({ ...chosen.widths, ...drawn }), [chosen, drawn]);
  const [tabStop, setTabStop] = useState<string>();
  // The first column names the row and is always shown.
  const shown = columns.filter((column, index) => index === 0 || visible[column.id]);
  const resizing: Resizing = {
    widthOf: (id) => widths[id] ?? columns.find((column) => column.id === id)?.width ?? 0,
    tabStop: (shown.find((column) => column.id === tabStop) ?? shown[0])?.id,
    setTabStop,
    resize: (id, width, done) => {
      setDrawn(done ? null : { [id]: clampWidth(width) });
      if (done) store(formatLayout({ ...chosen, widths: { ...chosen.widths, [id]: clampWidth(width) } }, columns));
    },
  };
  /** The menu that chooses columns. */
  const entries: readonly MenuEntry[] = [
    ...columns.slice(1).map(
      (column): MenuEntry => ({
        kind: 'check',
        id: column.id,
        label: column.header,
        checked: Boolean(visible[column.id]),
        onCheckedChange: (checked) =>
          store(formatLayout({ ...chosen, shown: { ...chosen.shown, [column.id]: checked } }, columns)),
      }),
    ),
    { kind: 'separator', id: 'separator' },
    {
      id: 'reset',
      label: t('Reset columns'),
      disabledReason: stored === null && t('Columns and widths are the default ones'),
      onSelect: () => store(null),
    },
  ];
  return { shown, widths, resizing, entries };
}
