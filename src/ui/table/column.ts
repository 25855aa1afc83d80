import type { ReactNode } from 'react';
import type { CsvValue } from './csv';

/** One column of a `DataTable`. Columns keep their identity: useMemo by the translator. */
export type Column<Row> = {
  /** Field the server sorts by; also the key of what is stored of it. */
  id: string;
  header: string;
  cell: (row: Row) => ReactNode;
  /** Value in the CSV file; a column without it is not exported. */
  csv?: (row: Row) => CsvValue;
  /** Figures are aligned at the end, so that their digits line up. */
  align?: 'start' | 'end';
  /** Pixels; with `grow` the least. */
  width: number;
  /** Takes a share of the space that is left. */
  grow?: boolean;
  sortable?: boolean;
  /** First direction when sorting by it; for times and figures mostly newest or largest first. */
  sortFirst?: 'asc' | 'desc';
  /** Not shown until asked for. */
  hidden?: boolean;
};

/** A sort as the list API takes it: `name`, or `-name` for descending. */
export function parseSort(sort: string): { id: string; desc: boolean } {
  return sort.startsWith('-') ? { id: sort.slice(1), desc: true } : { id: sort, desc: false };
}

/** The inverse of `parseSort`. */
export function formatSort({ id, desc }: { id: string; desc: boolean }): string {
  return desc ? `-${id}` : id;
}
