'use client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import clsx from 'clsx';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { type KeyboardEvent, memo, type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import type { SubnetDetail } from '@/domain/ipam/subnet';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { URL_TEXT, useUrlValue } from '@/lib/url-state';
import { Button } from '@/ui/button';
import { ErrorState } from '@/ui/error-state';
import { Skeleton } from '@/ui/loading';
import { TextInput } from '@/ui/text-input';
import { Mono } from '@/ui/values';
import {
  CELLS,
  countStates,
  findPartStart,
  type GridCell,
  type GridRow,
  gridMove,
  gridRows,
  partSize,
} from './grid-cells';
import { GridLegend } from './grid-legend';

type Props = {
  subnet: Pick<SubnetDetail, 'id' | 'cidr'>;
  /** Called for a free address. */
  onAssign: (address: string) => void;
  /** Why addresses cannot be assigned. */
  writeReason: string | null;
};

/** The addresses of a subnet as cells; large subnets part by part. Press a free one to assign it, any other to see it. */
export function AddressGrid({ subnet, onAssign, writeReason }: Props) {
  const trpc = useTRPC();
  const router = useRouter();
  const box = useRef<HTMLDivElement>(null);
  const columns = useGridColumns(box);
  const [from, setFrom] = useUrlValue('from', URL_TEXT);
  // A link may carry an address that is not the first of a part, or none of this subnet.
  const start = from === null ? null : findPartStart(subnet.cidr, from);
  const query = useQuery({
    ...trpc.subnets.grid.queryOptions({
      id: subnet.id,
      limit: partSize(subnet.cidr),
      ...(start !== null && { from: start }),
    }),
    placeholderData: keepPreviousData,
  });
  const grid = query.data;
  const rows = useMemo(() => (grid ? gridRows(grid, columns) : []), [grid, columns]);
  const counts = useMemo(() => countStates(rows), [rows]);
  const press = (cell: GridCell) => {
    if (cell.ip_address_id) router.push(paths.address({ addressId: cell.ip_address_id }));
    else if (CELLS[cell.state].press === 'subnet' && cell.subnet_id) {
      router.push(paths.subnet({ subnetId: cell.subnet_id }));
    } else if (CELLS[cell.state].press === 'assign' && writeReason === null) onAssign(cell.address);
  };
  return (
    <div ref={box} className="flex min-w-0 flex-col gap-3">
      {grid && (grid.previous || grid.next) && (
        <Parts cidr={subnet.cidr} grid={grid} onGo={(address) => void setFrom(address)} />
      )}
      {grid ? (
        <Cells
          key={`${grid.first} ${columns} ${from}`}
          rows={rows}
          pointed={from}
          columns={columns}
          onPress={press}
          busy={query.isPlaceholderData}
          writeReason={writeReason}
        />
      ) : query.error ? (
        <ErrorState problem={toFailure(query.error)} onRetry={() => void query.refetch()} />
      ) : (
        <Skeleton className="h-64 w-full" />
      )}
      {grid && <GridLegend counts={counts} />}
    </div>
  );
}

type PartsProps = {
  cidr: string;
  grid: { first: string; last: string; previous: string | null; next: string | null };
  onGo: (address: string | null) => void;
};

/** Which part of a large subnet is shown, and the way to others. */
function Parts({ cidr, grid, onGo }: PartsProps) {
  const t = useT();
  const [text, setText] = useState('');
  const target = findPartStart(cidr, text);
  const wrong = text.trim() !== '' && target === null;
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button
        size="sm"
        icon={<ChevronLeft size={14} />}
        onClick={() => grid.previous && onGo(grid.previous)}
        disabledReason={grid.previous ? null : t('This is the first page')}
      >
        {t('Back')}
      </Button>
      <span className="mono" role="status">
        {grid.first} – {grid.last}
      </span>
      <Button
        size="sm"
        icon={<ChevronRight size={14} />}
        onClick={() => grid.next && onGo(grid.next)}
        disabledReason={grid.next ? null : t('This is the last page')}
      >
        {t('Next')}
      </Button>
      <form
        className="ml-auto flex items-center gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          if (target) onGo(target);
        }}
      >
        <TextInput
          mono
          aria-label={t('Go to address')}
          aria-invalid={wrong || undefined}
          placeholder={t('Go to address')}
          value={text}
          onChange={(event) => setText(event.target.value)}
          className="!w-44"
        />
        <Button
          type="submit"
          size="sm"
          disabledReason={target ? null : wrong ? t('Not in {cidr}', { cidr }) : t('Enter an address')}
        >
          {t('Go')}
        </Button>
      </form>
    </div>
  );
}

type CellsProps = {
  rows: readonly GridRow[];
  columns: number;
  /** An address that a link asked for. */
  pointed: string | null;
  onPress: (cell: GridCell) => void;
  busy: boolean;
  writeReason: string | null;
};

function Cells({ rows, columns, pointed, onPress, busy, writeReason }: CellsProps) {
  const t = useT();
  const ref = useRef<HTMLTableElement>(null);
  const total = rows.reduce((sum, row) => sum + row.cells.length, 0);
  const [shown, setShown] = useState<number | null>(() => {
    const index = rows.flatMap((row) => row.cells).findIndex((cell) => cell.address === pointed);
    return index < 0 ? null : index;
  });
  const [current, setCurrent] = useState(shown ?? 0);
  const cellAt = (index: number) => rows[Math.floor(index / columns)]?.cells[index % columns];
  const findCellIndex = (target: EventTarget) => {
    const element = target instanceof Element ? target.closest<HTMLElement>('[data-cell]') : null;
    return element ? Number(element.dataset.cell) : null;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const next = gridMove(event.key, current, columns, total);
    if (next === null) return;
    event.preventDefault();
    setCurrent(next);
    ref.current?.querySelector<HTMLElement>(`[data-cell="${next}"]`)?.focus();
  };
  const cell = shown === null ? undefined : cellAt(shown);
  return (
    <div className={clsx('flex min-w-0 flex-col gap-2', busy && 'opacity-60')}>
      <table
        ref={ref}
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table in which the arrows move from cell to cell is a grid.
        role="grid"
        aria-label={t('Addresses in the prefix')}
        aria-busy={busy}
        className="-m-0.5 w-[calc(100%+0.25rem)] table-fixed border-separate border-spacing-0.5"
        onKeyDown={onKeyDown}
        onFocus={(event) => {
          const index = findCellIndex(event.target);
          if (index === null) return;
          setCurrent(index);
          setShown(index);
        }}
        onPointerOver={(event) => {
          const index = findCellIndex(event.target);
          if (index !== null) setShown(index);
        }}
        onClick={(event) => {
          const index = findCellIndex(event.target);
          const pressed = index === null ? undefined : cellAt(index);
          if (pressed) onPress(pressed);
        }}
      >
        <tbody>
          {rows.map((row, place) => (
            <CellRow
              key={row.first}
              row={row}
              start={place * columns}
              columns={columns}
              current={Math.floor(current / columns) === place ? current % columns : null}
              pointed={pointed}
            />
          ))}
        </tbody>
      </table>
      <p className="flex min-h-5 flex-wrap gap-x-2 text-muted" aria-hidden="true">
        {cell ? (
          <>
            <Mono className="text-text">{cell.address}</Mono>
            <span>{t(CELLS[cell.state].word)}</span>
            {cell.label && <span className="text-text">{cell.label}</span>}
            {CELLS[cell.state].press === 'assign' && <span>{writeReason ?? t('Select to assign this address.')}</span>}
          </>
        ) : (
          t('Hover over an address to see its assignment.')
        )}
      </p>
    </div>
  );
}

type CellRowProps = { row: GridRow; start: number; columns: number; current: number | null; pointed: string | null };

const CellRow = memo(function CellRow({ row, start, columns, current, pointed }: CellRowProps) {
  const t = useT();
  const cells = (
    <tr>
      {row.cells.map((cell, index) => (
        <td key={cell.address} className="p-0">
          <button
            type="button"
            data-cell={start + index}
            tabIndex={index === current ? 0 : -1}
            aria-label={[cell.address, t(CELLS[cell.state].word), cell.label].filter(Boolean).join(', ')}
            className={clsx(
              'mono h-8 w-full min-w-0 overflow-hidden rounded-sm border text-sm hover:outline-2 hover:outline-accent',
              CELLS[cell.state].className,
              cell.address === pointed && 'outline-2 outline-accent',
            )}
          >
            {cell.short}
          </button>
        </td>
      ))}
      {row.cells.length < columns && start > 0 && <td colSpan={columns - row.cells.length} />}
    </tr>
  );
  if (!row.block) return cells;
  return (
    <>
      <tr>
        <th colSpan={columns} scope="colgroup" className="mono pt-2 text-left text-sm font-medium text-muted">
          {row.first}
        </th>
      </tr>
      {cells}
    </>
  );
});

/** How many cells of the address grid stand side by side, by the width of its box: 8, 16 or 32. */
function useGridColumns(ref: RefObject<HTMLElement | null>): number {
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
