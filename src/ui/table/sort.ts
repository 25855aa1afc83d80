/** A sort as the list API takes it: `name`, or `-name` for descending. */
export function parseSort(sort: string): { id: string; desc: boolean } {
  return sort.startsWith('-') ? { id: sort.slice(1), desc: true } : { id: sort, desc: false };
}

/** The inverse of `parseSort`. */
export function formatSort({ id, desc }: { id: string; desc: boolean }): string {
  return desc ? `-${id}` : id;
}
