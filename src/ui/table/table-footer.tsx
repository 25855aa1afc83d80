'use client';
import { Columns3, Download } from 'lucide-react';
import type { ReactNode } from 'react';
import { formatCount } from '@/lib/format';
import { Button } from '../button';
import { IconButton } from '../icon-button';
import { Menu, type MenuEntry } from '../menu';

type Props = {
  loaded: number;
  total: number | undefined;
  noun: { one: string; many: string };
  loading: boolean;
  selected: number;
  onClearSelection: () => void;
  bulkActions: ReactNode;
  columnEntries: readonly MenuEntry[];
  exporting: TableExport | undefined;
};

/** What the footer needs of `useCsvExport`. */
export type TableExport = { start: () => void; cancel: () => void; pending: boolean; exported: number };

/** Under the rows: how many there are, what can be done with the selected ones, columns and export. */
export function TableFooter(props: Props) {
  const { loaded, total, noun, loading, selected, exporting } = props;
  return (
    <div className="flex min-h-9 flex-wrap items-center gap-x-3 gap-y-1 border-t px-2.5 py-1 text-sm text-muted">
      <span role="status" className="tabular-nums">
        {loading && loaded === 0 ? `Loading ${noun.many}…` : countText(loaded, total, noun)}
      </span>
      {selected > 0 && (
        <span className="flex flex-wrap items-center gap-2">
          <span className="font-medium text-text tabular-nums">{formatCount(selected)} selected</span>
          {props.bulkActions}
          <Button size="sm" variant="ghost" onClick={props.onClearSelection}>
            Clear selection
          </Button>
        </span>
      )}
      <span className="ml-auto flex items-center gap-1">
        {exporting?.pending ? (
          <Button size="sm" variant="ghost" onClick={exporting.cancel}>
            Stop export ({formatCount(exporting.exported)})
          </Button>
        ) : (
          exporting && (
            <IconButton
              size="sm"
              label="Export as CSV"
              icon={<Download size={14} />}
              onClick={exporting.start}
              disabledReason={total === 0 && 'There is nothing to export'}
            />
          )
        )}
        {props.columnEntries.length > 0 && (
          <Menu
            align="end"
            side="top"
            entries={props.columnEntries}
            trigger={<IconButton size="sm" label="Choose columns" icon={<Columns3 size={14} />} />}
          />
        )}
      </span>
    </div>
  );
}

/** "120 of 4,312 workloads", "1 cluster", "No nodes". */
function countText(loaded: number, total: number | undefined, noun: { one: string; many: string }): string {
  const all = total ?? loaded;
  if (all === 0) return `No ${noun.many}`;
  const words = `${formatCount(all)} ${all === 1 ? noun.one : noun.many}`;
  return loaded < all ? `${formatCount(loaded)} of ${words}` : words;
}
