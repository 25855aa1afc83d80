const WIDTHS = ['w-3/5', 'w-2/5', 'w-1/2', 'w-1/3'];

/** Grey bars in place of the rows that are on their way. */
export function TableSkeleton({ columnCount, rows = 8 }: { columnCount: number; rows?: number }) {
  return (
    <tbody aria-hidden="true">
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the bars have no identity.
        <tr key={row} className="h-row">
          {Array.from({ length: columnCount }, (_, column) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the bars have no identity.
            <td key={column} className="border-b px-2.5">
              <span
                className={`block h-2.5 animate-pulse rounded-sm bg-surface-3 ${WIDTHS[(row + column) % WIDTHS.length]}`}
              />
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  );
}
