/**
 * How wide a column would have to be to show its title and all cells that are in the document in full. The table is laid out by its
 * content for a moment; nothing of that is painted.
 */
export function measureContent(header: HTMLTableCellElement): number {
  const table = header.closest('table');
  if (!table) return header.offsetWidth;
  const scroller = table.parentElement;
  const scrolled = scroller?.scrollLeft ?? 0;
  const columns = [...table.querySelectorAll('col')];
  const tableStyle = table.getAttribute('style');
  const columnStyles = columns.map((column) => column.style.width);
  table.style.tableLayout = 'auto';
  table.style.width = 'max-content';
  table.style.minWidth = '0';
  for (const column of columns) column.style.width = '';
  const width = Math.ceil(header.getBoundingClientRect().width);
  for (const [index, column] of columns.entries()) column.style.width = columnStyles[index] ?? '';
  table.style.cssText = tableStyle ?? '';
  if (scroller) scroller.scrollLeft = scrolled;
  return width;
}
