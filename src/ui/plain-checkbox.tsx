'use client';
import { Check, Minus } from 'lucide-react';
import type { MouseEvent } from 'react';

type Props = {
  'aria-label': string;
  checked: boolean;
  indeterminate?: boolean;
  disabled?: boolean;
  onCheckedChange: (checked: boolean, event: MouseEvent) => void;
  className?: string;
};

/** A checkbox outside of forms, as in the rows of a table. In a form use `form/checkbox-field`. */
export function PlainCheckbox({
  checked,
  indeterminate = false,
  disabled,
  onCheckedChange,
  className = '',
  ...rest
}: Props) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: the look of a native checkbox cannot be chosen.
    <button
      {...rest}
      type="button"
      role="checkbox"
      aria-checked={indeterminate ? 'mixed' : checked}
      disabled={disabled}
      onClick={(event) => onCheckedChange(!checked, event)}
      // What reacts to a press is larger than what is drawn.
      className={`relative flex size-4 shrink-0 items-center justify-center rounded-sm border text-on-solid after:absolute after:-inset-1.5 disabled:border-line disabled:bg-surface-3 disabled:text-faint ${
        checked || indeterminate ? 'border-accent bg-accent' : 'border-line-strong bg-surface'
      } ${className}`}
    >
      {indeterminate ? (
        <Minus size={12} strokeWidth={3} aria-hidden />
      ) : (
        checked && <Check size={12} strokeWidth={3} aria-hidden />
      )}
    </button>
  );
}
