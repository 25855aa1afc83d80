import { formatCount } from '@/lib/format';

/** One choice of a select, combobox or filter. */
export type Option<V extends string = string> = {
  value: V;
  label: string;
  /** A second line in the list. */
  description?: string;
  /** Why it cannot be chosen now. */
  disabledReason?: string;
  /** How many rows have it; shown at the end. */
  count?: number;
};

/** Classes of a row in a select, combobox or menu. */
export const itemClass =
  'flex min-h-7 select-none items-center gap-2 rounded-sm px-2 py-1 outline-none data-highlighted:bg-surface-3 data-disabled:text-faint';

/** The text of a choice: label and, smaller, its description or why it cannot be chosen. */
export function OptionText({ option }: { option: Option }) {
  const second = option.disabledReason ?? option.description;
  return (
    <>
      <span className="min-w-0 flex-1">
        <span className="block truncate">{option.label}</span>
        {second && <span className="block text-sm text-pretty text-faint">{second}</span>}
      </span>
      {option.count !== undefined && (
        <span className="ml-auto pl-3 text-faint tabular-nums">{formatCount(option.count)}</span>
      )}
    </>
  );
}
