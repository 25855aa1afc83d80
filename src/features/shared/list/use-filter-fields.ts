'use client';
import { useT } from '@/lib/i18n/use-t';
import type { FilterField } from '@/ui/filter/filter-field';
import type { Filters, FilterValues } from './filters';

/** Where the values of filters are kept: the URL, or a component. */
export type FilterState<F extends Filters> = {
  filters: { [K in keyof F]?: FilterValues<F>[K] | undefined };
  setFilters: (values: Partial<FilterValues<F>>) => void;
};

/** The fields of declared filters except those hidden, as `FilterBar` takes them. `filters` must be a constant. */
export function useFilterFields<F extends Filters>(
  filters: F,
  state: FilterState<F>,
  hidden: readonly string[] = [],
): FilterField[] {
  const t = useT();
  return Object.entries(filters).flatMap(([id, { useField, clears = [] }]) => {
    const choose = (value: unknown) =>
      state.setFilters({
        [id]: value,
        ...Object.fromEntries(clears.map((name) => [name, null])),
      } as Partial<FilterValues<F>>);
    // biome-ignore lint/correctness/useHookAtTopLevel: the declaration is a constant: the same hooks, in the same order, each time
    const field = useField?.(t, state.filters[id] ?? null, choose) ?? null;
    return field === null || hidden.includes(id) ? [] : [{ id, ...field }];
  });
}
