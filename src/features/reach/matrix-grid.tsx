'use client';
import clsx from 'clsx';
import { type KeyboardEvent, useId, useState } from 'react';
import type { MatrixCell, MatrixGroup } from '@/domain/reach/reach';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { moveByKey, type Position } from '../shared/grid-moves';
import { CELL_LABELS, groupName, SEEN_LABELS } from './reach-labels';

const COLORS: Record<MatrixCell['verdict'], string> = {
  allowed: 'text-ok',
  partly: 'text-warn',
  denied: 'text-danger',
  unknown: 'text-muted',
  none: 'text-faint',
};

type Props = {
  groups: readonly MatrixGroup[];
  cellOf: (from: MatrixGroup, to: MatrixGroup) => MatrixCell | undefined;
  /** Called with the IDs of both ends. */
  onOpen: (ends: string) => void;
};

function cellText(t: Translate, from: MatrixGroup, to: MatrixGroup, cell: MatrixCell | undefined): string {
  const seen = cell?.seen ? `, ${t(SEEN_LABELS[cell.seen.state].word)}` : '';
  return `${groupName(t, from)} → ${groupName(t, to)}: ${t(CELL_LABELS[cell?.verdict ?? 'none'].word)}${seen}`;
}

/** Sources as rows, destinations as columns. One stop of the tab key; arrow keys move, Enter opens a cell. */
export function MatrixGrid({ groups, cellOf, onOpen }: Props) {
  const t = useT();
  const id = useId();
  const [at, setAt] = useState<Position>({ row: 0, column: 0 });
  const [focused, setFocused] = useState(false);
  const last = groups.length - 1;
  const active = { row: Math.min(at.row, last), column: Math.min(at.column, last) };
  const cellId = ({ row, column }: Position) => `${id}-${row}-${column}`;
  const open = ({ row, column }: Position) => {
    const [from, to] = [groups[row], groups[column]];
    if (from && to) onOpen(`${from.id} ${to.id}`);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.metaKey) return;
    const to = moveByKey(event.key, event.ctrlKey, active, { rows: groups.length, columns: groups.length });
    if (to) {
      setAt(to);
      document.getElementById(cellId(to))?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    } else if (event.key === 'Enter') open(active);
    else return;
    event.preventDefault();
  };
  return (
    <div className="max-h-[70vh] min-w-0 overflow-auto rounded-lg border bg-surface has-[table:focus-visible]:outline-2 has-[table:focus-visible]:outline-accent">
      <table
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: keys move through the cells.
        role="grid"
        aria-label={t('Segment matrix')}
        aria-activedescendant={cellId(active)}
        tabIndex={0}
        onFocus={() => setFocused(true)}
        onBlur={() => setFocused(false)}
        onKeyDown={onKeyDown}
        className="border-separate border-spacing-0 outline-none"
      >
        <thead>
          <tr>
            <th
              scope="col"
              className="sticky top-0 left-0 z-30 border-r border-b bg-surface-2 p-2 text-left text-sm font-normal text-muted"
            >
              {t('From (rows), to (columns)')}
            </th>
            {groups.map((group, column) => (
              <th
                key={group.id}
                scope="col"
                title={groupName(t, group)}
                className={clsx(
                  // Of one weight: a header that changes its size moves what is pressed at that moment.
                  'sticky top-0 z-20 border-b bg-surface-2 p-0 py-1.5 align-bottom font-normal',
                  focused && column === active.column ? 'text-text' : 'text-muted',
                )}
              >
                <span className="inline-block max-h-32 rotate-180 truncate [writing-mode:vertical-rl]">
                  {groupName(t, group)}
                </span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {groups.map((from, row) => (
            <tr key={from.id}>
              <th
                scope="row"
                title={groupName(t, from)}
                className={clsx(
                  'sticky left-0 z-10 max-w-44 truncate border-r border-b bg-surface-2 px-2 py-0 text-left font-normal',
                  focused && row === active.row ? 'text-text' : 'text-muted',
                )}
              >
                {groupName(t, from)}
              </th>
              {groups.map((to, column) => {
                const cell = cellOf(from, to);
                const position = { row, column };
                const text = cellText(t, from, to, cell);
                return (
                  // biome-ignore lint/a11y/useKeyWithClickEvents: the grid takes the keys, and names the active cell.
                  <td
                    key={to.id}
                    id={cellId(position)}
                    aria-label={text}
                    title={text}
                    onClick={() => {
                      setAt(position);
                      open(position);
                    }}
                    className={clsx(
                      'h-6 w-7 min-w-7 cursor-pointer border-r border-b p-0 text-center hover:bg-surface-2',
                      COLORS[cell?.verdict ?? 'none'],
                      cell?.seen?.state === 'seen' && 'underline',
                      focused &&
                        row === active.row &&
                        column === active.column &&
                        'outline-2 -outline-offset-2 outline-accent',
                    )}
                  >
                    {CELL_LABELS[cell?.verdict ?? 'none'].mark}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
