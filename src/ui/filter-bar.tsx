'use client';
import clsx from 'clsx';
import { Plus, SlidersHorizontal, X } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useRef, useState } from 'react';
import { useT } from '@/lib/i18n/use-t';
import { Button } from './button';
import { FilterChip } from './filter/filter-chip';
import { type FilterField, isChoosable } from './filter/filter-field';
import { SearchBox } from './search-box';

// What opens on a press loads with that press.
const FilterPopup = lazy(async () => ({ default: (await import('./filter/filter-popup')).FilterPopup }));
const FilterSheet = lazy(async () => ({ default: (await import('./filter/filter-sheet')).FilterSheet }));

/** What is searched must be legible in the empty box, in every language. */
const isLong = (label: string): boolean => label.length > 28;

type Props = {
  search?: { label: string; value: string; onValueChange: (value: string) => void };
  fields?: readonly FilterField[];
  /** Fields that stay in view while they have no value, because they are used most. */
  common?: readonly string[];
  /** Clears search and all filters. */
  onClear?: () => void;
  /** What belongs to search and filters as a whole, right after them. */
  views?: ReactNode;
  /** Other controls of the list, at the end. */
  children?: ReactNode;
};

/** What is open: the choices of a chip, or those of "Filter". */
type Opened = { id: string; anchor: HTMLElement };
const ADD = '+';
/** Where the sheet takes the place of "Filter"; in the classes it is `max-md`. */
const NARROW = '(width < 48rem)';

/**
 * Above a list: its search, one chip per filter, and "Filter", which adds others. On a narrow screen one button opens a sheet
 * with all of them, and only those that are set have a chip. The state belongs to the caller (in the URL).
 */
export function FilterBar({ search, fields = [], common = [], onClear, views, children }: Props) {
  const t = useT();
  const [opened, setOpened] = useState<Opened | null>(null);
  // On a narrow screen: the sheet, with the choices of a field or of none.
  const [sheet, setSheet] = useState<{ id?: string } | null>(null);
  const add = useRef<HTMLButtonElement>(null);
  const all = useRef<HTMLButtonElement>(null);
  const offered = fields.filter(isChoosable);
  const set = offered.filter(({ value }) => value.length > 0);
  const shown = offered.filter(({ id, value }) => value.length > 0 || common.includes(id) || opened?.id === id);
  const active = (search?.value ?? '') !== '' || set.length > 0;
  const press = (id: string) => (anchor: HTMLElement) => {
    if (window.matchMedia(NARROW).matches) setSheet({ id });
    else setOpened(opened?.id === id ? null : { id, anchor });
  };
  const current = opened && (opened.id === ADD ? offered : offered.filter(({ id }) => id === opened.id));
  return (
    <search className="flex flex-wrap items-center gap-2 max-md:[&_.control]:min-h-11">
      {search && (
        <SearchBox
          {...search}
          className={clsx(
            'max-md:!w-auto max-md:min-w-40 max-md:flex-1',
            isLong(search.label) ? 'md:!w-88' : 'md:!w-64',
          )}
        />
      )}
      {offered.length > 0 && (
        <Button
          ref={all}
          className="!min-h-11 md:!hidden"
          icon={<SlidersHorizontal size={14} />}
          aria-haspopup="dialog"
          onClick={() => setSheet({})}
        >
          {set.length > 0 ? t('Filters ({n, number})', { n: set.length }) : t('Filters')}
        </Button>
      )}
      {shown.map((field) => (
        <FilterChip
          key={field.id}
          field={field}
          open={opened?.id === field.id}
          onPress={press(field.id)}
          onRemove={() => {
            field.onValueChange([]);
            // The chip goes, and the focus with it.
            [add.current, all.current].find((button) => button?.checkVisibility())?.focus();
          }}
        />
      ))}
      {offered.some(({ id }) => !common.includes(id)) && (
        <Button
          ref={add}
          className="max-md:!hidden"
          icon={<Plus size={14} />}
          aria-haspopup="dialog"
          aria-expanded={opened?.id === ADD}
          onClick={(event) => press(ADD)(event.currentTarget)}
        >
          {t('Filter')}
        </Button>
      )}
      {active && onClear && (
        <Button className="max-md:!min-h-11" variant="ghost" icon={<X size={14} />} onClick={onClear}>
          {t('Clear')}
        </Button>
      )}
      {views}
      {children && <div className="ml-auto flex flex-wrap items-start gap-2 max-sm:w-full">{children}</div>}
      <Suspense>
        {opened && current && current.length > 0 && (
          <FilterPopup
            key={opened.id}
            fields={current}
            anchor={opened.anchor}
            label={opened.id === ADD ? t('Add filter') : (current[0]?.label ?? '')}
            onClose={() => setOpened(null)}
          />
        )}
        {sheet && (
          <FilterSheet
            fields={offered}
            first={sheet.id}
            onClose={() => setSheet(null)}
            onClear={active && onClear ? onClear : null}
          />
        )}
      </Suspense>
    </search>
  );
}
