'use client';
import { Columns3, Download } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { Button, IconButton } from '../button';
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
  const t = useT();
  const { loaded, total, noun, loading, selected, exporting } = props;
  return (
    <div className="flex min-h-9 flex-wrap items-center gap-x-3 gap-y-1 border-t px-2.5 py-1 text-sm text-muted">
      <span role="status" className="tabular-nums">
        {loading && loaded === 0 ? t('Loading {noun}…', { noun: noun.many }) : countText(t, loaded, total, noun)}
      </span>
      {selected > 0 && (
        <span className="flex flex-wrap items-center gap-2">
          <span className="font-medium text-text tabular-nums">{t('{n, number} selected', { n: selected })}</span>
          {props.bulkActions}
          <Button size="sm" variant="ghost" onClick={props.onClearSelection}>
            {t('Clear selection')}
          </Button>
        </span>
      )}
      <span className="ml-auto flex items-center gap-1">
        {exporting?.pending ? (
          <Button size="sm" variant="ghost" onClick={exporting.cancel}>
            {t('Stop export ({n, number})', { n: exporting.exported })}
          </Button>
        ) : (
          exporting && (
            <IconButton
              size="sm"
              label={t('Export as CSV')}
              icon={<Download size={14} />}
              onClick={exporting.start}
              disabledReason={total === 0 && t('No rows to export')}
            />
          )
        )}
        <ColumnMenu entries={props.columnEntries} />
      </span>
    </div>
  );
}

/** Chooses the columns of a table. */
export function ColumnMenu({ entries }: { entries: readonly MenuEntry[] }) {
  const t = useT();
  return (
    <Menu
      align="end"
      side="top"
      entries={entries}
      trigger={<IconButton size="sm" label={t('Choose columns')} icon={<Columns3 size={14} />} />}
    />
  );
}

/** "120 of 4,312 workloads", "1 cluster", "No nodes"; nothing while it is not known how many there are. */
function countText(
  t: Translate,
  loaded: number,
  total: number | undefined,
  noun: { one: string; many: string },
): string {
  if (total === undefined && loaded === 0) return '';
  const all = total ?? loaded;
  // In French nothing is singular as well.
  const isOne = new Intl.PluralRules(t.locale).select(all) === 'one';
  const values = { loaded, all, noun: isOne ? noun.one : noun.many };
  if (all === 0) return t('No {noun}', { noun: values.noun });
  return loaded < all
    ? t('{loaded, number} of {all, number} {noun}', values)
    : t('{all, number} {noun}', { all, noun: values.noun });
}
