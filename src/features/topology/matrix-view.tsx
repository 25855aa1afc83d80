'use client';
import clsx from 'clsx';
import { type KeyboardEvent, useId, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { formatBytes } from '@/lib/format';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { EDGE_VERDICT_STYLES } from '../shared/edge-verdict-styles';
import { moveByKey, type Position } from '../shared/grid-moves';
import type { MapLink, MapModel, MapNode } from './map-model';
import { buildMatrix, CELL, computeVisibleRange, type MatrixCell } from './matrix-model';

const HEAD = 132;
const SIDE = 180;

function cellText(t: Translate, { source, destination, bytes, verdicts }: MatrixCell): string {
  const outcomes = verdicts.map(({ verdict, flows }) =>
    t('{outcome} ({n, plural, one {# new flow} other {# new flows}})', {
      outcome: t(EDGE_VERDICT_STYLES[verdict].word),
      n: flows,
    }),
  );
  return `${source.label} → ${destination.label}: ${formatBytes(bytes)}, ${outcomes.join(', ')}`;
}

type Props = {
  model: MapModel;
  label: string;
  matches: ReadonlySet<string> | null;
  onOpen: (link: MapLink) => void;
};

/**
 * Clients as rows, servers as columns. One stop of the tab key; arrow keys move, Enter opens the connection. Only what is in
 * sight exists in the page.
 */
export function MatrixView({ model, label, matches, onOpen }: Props) {
  const t = useT();
  const matrix = useMemo(() => buildMatrix(model), [model]);
  const { rows, columns, cellAt } = matrix;
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const [part, setPart] = useState({ top: 0, left: 0, width: 0, height: 0 });
  const [at, setAt] = useState<Position>({ row: 0, column: 0 });
  const [focused, setFocused] = useState(false);
  const measure = () => {
    const element = box.current;
    if (!element) return;
    const { scrollTop: top, scrollLeft: left, clientWidth: width, clientHeight: height } = element;
    setPart({ top, left, width, height });
  };
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  });
  const active = { row: Math.min(at.row, rows.length - 1), column: Math.min(at.column, columns.length - 1) };
  const shownRows = computeVisibleRange(part.top, part.height, CELL.height, rows.length);
  const shownColumns = computeVisibleRange(part.left, part.width, CELL.width, columns.length);
  const move = (to: Position) => {
    setAt(to);
    const element = box.current;
    if (!element) return;
    const [x, y] = [to.column * CELL.width, to.row * CELL.height];
    const room = { width: element.clientWidth - SIDE, height: element.clientHeight - HEAD };
    element.scrollTo({
      left: Math.min(x, Math.max(element.scrollLeft, x + CELL.width - room.width)),
      top: Math.min(y, Math.max(element.scrollTop, y + CELL.height - room.height)),
    });
  };
  const open = ({ row, column }: Position) => {
    const cell = cellAt(row, column);
    if (cell) onOpen(cell.link);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.metaKey) return;
    const to = moveByKey(event.key, event.ctrlKey, active, { rows: rows.length, columns: columns.length });
    if (to) move(to);
    else if (event.key === 'Enter') open(active);
    else return;
    event.preventDefault();
  };
  const cellId = ({ row, column }: Position) => `${id}-${row}-${column}`;
  const isDim = (node: MapNode) => matches !== null && !matches.has(node.id);
  const gap = (count: number) => count > 0 && <td colSpan={count} aria-hidden className="p-0" />;
  const gapRow = (count: number) =>
    count > 0 && (
      <tr aria-hidden style={{ height: count * CELL.height }}>
        <td className="p-0" />
      </tr>
    );
  return (
    <div
      ref={box}
      onScroll={measure}
      className="min-h-96 min-w-0 flex-1 overflow-auto rounded-lg border bg-surface has-[table:focus-visible]:outline-2 has-[table:focus-visible]:outline-accent"
    >
      <table
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: keys move through the cells.
        role="grid"
        aria-label={label}
        aria-rowcount={rows.length + 1}
        aria-colcount={columns.length + 1}
        aria-activedescendant={cellId(active)}
        tabIndex={0}
        onFocus={() => setFocused(true)}
        onBlur={() => setFocused(false)}
        onKeyDown={onKeyDown}
        className="table-fixed border-separate border-spacing-0 outline-none"
        style={{ width: SIDE + columns.length * CELL.width }}
      >
        <colgroup>
          <col style={{ width: SIDE }} />
          <col span={columns.length} style={{ width: CELL.width }} />
        </colgroup>
        <thead>
          <tr aria-rowindex={1} style={{ height: HEAD }}>
            <th
              scope="col"
              className="sticky top-0 left-0 z-30 border-r border-b bg-surface-2 p-2 text-left align-bottom text-sm font-normal text-muted"
            >
              {t('From (rows), to (columns)')}
            </th>
            {gap(shownColumns[0])}
            {columns.slice(...shownColumns).map((node, i) => {
              const column = shownColumns[0] + i;
              return (
                <th
                  key={node.id}
                  scope="col"
                  aria-colindex={column + 2}
                  title={node.label}
                  className={clsx(
                    'sticky top-0 z-20 border-b bg-surface-2 p-0 py-1.5 align-bottom',
                    focused && column === active.column ? 'text-text' : 'font-normal text-muted',
                    isDim(node) && 'text-faint',
                  )}
                >
                  <span
                    className="inline-block truncate [writing-mode:vertical-rl] rotate-180"
                    style={{ maxHeight: HEAD - 12 }}
                  >
                    {node.label}
                  </span>
                </th>
              );
            })}
            {gap(columns.length - shownColumns[1])}
          </tr>
        </thead>
        <tbody>
          {gapRow(shownRows[0])}
          {rows.slice(...shownRows).map((source, i) => {
            const row = shownRows[0] + i;
            return (
              <tr key={source.id} aria-rowindex={row + 2} style={{ height: CELL.height }}>
                <th
                  scope="row"
                  aria-colindex={1}
                  title={source.label}
                  className={clsx(
                    'sticky left-0 z-10 truncate border-r border-b bg-surface-2 px-2 py-0 text-left',
                    focused && row === active.row ? 'text-text' : 'font-normal text-muted',
                    isDim(source) && 'text-faint',
                  )}
                >
                  {source.label}
                </th>
                {gap(shownColumns[0])}
                {columns.slice(...shownColumns).map((destination, j) => {
                  const column = shownColumns[0] + j;
                  const position = { row, column };
                  const cell = cellAt(row, column);
                  const isActive = focused && row === active.row && column === active.column;
                  return (
                    <Cell
                      key={destination.id}
                      id={cellId(position)}
                      column={column}
                      text={cell ? cellText(t, cell) : `${source.label} → ${destination.label}: ${t('No traffic')}`}
                      cell={cell}
                      dim={isDim(source) && isDim(destination)}
                      active={isActive}
                      onPress={() => {
                        setAt(position);
                        open(position);
                      }}
                    />
                  );
                })}
                {gap(columns.length - shownColumns[1])}
              </tr>
            );
          })}
          {gapRow(rows.length - shownRows[1])}
        </tbody>
      </table>
    </div>
  );
}

type CellProps = {
  id: string;
  column: number;
  text: string;
  cell: MatrixCell | null;
  dim: boolean;
  active: boolean;
  onPress: () => void;
};

function Cell({ id, column, text, cell, dim, active, onPress }: CellProps) {
  const look = cell && EDGE_VERDICT_STYLES[cell.verdict];
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid takes the keys, and names the active cell.
    <td
      id={id}
      aria-colindex={column + 2}
      aria-label={text}
      title={cell ? text : undefined}
      onClick={onPress}
      className={clsx(
        'border-r border-b p-0 text-center',
        cell && 'cursor-pointer hover:bg-surface-2',
        dim && 'opacity-30',
        active && 'outline-2 -outline-offset-2 outline-accent',
      )}
    >
      {look && (
        <span
          aria-hidden
          className="inline-flex h-5 w-7 items-center justify-center rounded-sm border font-semibold"
          style={{ borderColor: `var(${look.color})`, color: `var(${look.color})` }}
        >
          {look.glyph}
        </span>
      )}
    </td>
  );
}
