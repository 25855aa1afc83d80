'use client';
import { Plus } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { Children, type ComponentProps, type ReactNode } from 'react';
import { useT } from '@/lib/i18n/use-t';
import { Button } from '@/ui/button';
import { buttonClass } from '@/ui/button-class';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { FilterBar } from '@/ui/filter-bar';
import { Link } from '@/ui/link';
import { PageAction } from '@/ui/page-actions';
import { PageHeader } from '@/ui/page-header';
import { usePermissions } from '../use-permissions';
import { ViewsButton } from '../views/views-button';
import type { Empty, ListTexts } from './declare-list';
import type { ListOnPage } from './use-list';

type Table<Row extends object> = ComponentProps<typeof DataTable<Row>>;
type Props<Row extends object> = Partial<
  Pick<Table<Row>, 'id' | 'onRowOpen' | 'rowActions' | 'selection' | 'onSelectionChange' | 'bulkActions' | 'height'>
> & {
  of: ListOnPage<Row>;
  /** Opens what the list declares to add. */
  onAdd?: () => void;
  /** In the head of the page, before the button that adds. */
  actions?: ReactNode;
  description?: ReactNode;
  /** Between the head and the filters. */
  summary?: ReactNode;
  /** Beside the filters, at their end. */
  children?: ReactNode;
  /** In place of the declared one. */
  empty?: ReactNode;
};

/**
 * A declared list: search and filters, rows, export, and the empty state. Lists with a title have a head of the page; the button of
 * others goes into the head of the page they are on.
 */
export function ListView<Row extends object>({ of, onAdd, actions, description, summary, ...props }: Props<Row>) {
  const { list, state, fields, table, within } = of;
  const { children, empty, id = list.id ?? list.name, onRowOpen, ...rest } = props;
  const t = useT();
  const router = useRouter();
  const add = useAdd(list.add, onAdd);
  const end = [children].filter(Boolean);
  const { rowPath } = list;
  const open = onRowOpen ?? (rowPath && ((row: Row) => router.push(rowPath(row))));
  return (
    <>
      {list.title && (
        <PageHeader
          title={t(list.title)}
          description={description}
          actions={
            (actions || add) && (
              <>
                {actions}
                {add}
              </>
            )
          }
        />
      )}
      {!list.title && add && <PageAction>{add}</PageAction>}
      {summary}
      {(list.search || fields.length > 0 || children) && (
        <FilterBar
          search={list.search ? { label: t(list.search), value: state.q, onValueChange: state.setQ } : undefined}
          fields={fields}
          common={list.common}
          onClear={state.clear}
          views={list.title && <ViewsButton />}
        >
          {end.length > 0 && Children.toArray(end)}
        </FilterBar>
      )}
      <DataTable
        {...table}
        exporting={list.exported === false ? undefined : table.exporting}
        {...rest}
        id={id}
        label={t(list.label)}
        noun={{ one: t(list.noun.one), many: t(list.noun.many) }}
        rowId={list.rowId}
        onRowOpen={open}
        empty={empty ?? <Nothing declared={list.empty} within={within} add={add} />}
      />
    </>
  );
}

/** The button that adds. */
function useAdd(add: ListTexts['add'], onAdd: (() => void) | undefined): ReactNode {
  const t = useT();
  const { reason } = usePermissions();
  if (!add || !onAdd) return null;
  return (
    <Button variant="primary" icon={<Plus size={14} />} onClick={onAdd} disabledReason={reason(add.permission)}>
      {t(add.label)}
    </Button>
  );
}

type NothingProps = { declared: ListTexts['empty']; within: object; add: ReactNode };

function Nothing({ declared, within, add }: NothingProps) {
  const t = useT();
  const { can } = usePermissions();
  const { icon, title, text, link }: Empty = typeof declared === 'function' ? declared({ within, can }) : declared;
  const action = (link || add) && (
    <>
      {link && (
        <Link className={buttonClass()} href={link.href}>
          {t(link.label)}
        </Link>
      )}
      {add}
    </>
  );
  return (
    <EmptyState icon={icon} title={t(title)} action={action}>
      {t(text)}
    </EmptyState>
  );
}
