'use client';
import { Check, Minus } from 'lucide-react';
import type { ComponentPropsWithRef, MouseEvent } from 'react';

type Props = Omit<ComponentPropsWithRef<'button'>, 'type' | 'role' | 'onClick' | 'children'> & {
  checked: boolean;
  indeterminate?: boolean;
  onCheckedChange: (checked: boolean, event: MouseEvent) => void;
};

/** A bare checkbox; give it a label by `aria-label`, a surrounding `<label>` or `form/checkbox-field`. */
export function Checkbox({ checked, indeterminate = false, onCheckedChange, className = '', ...rest }: Props) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: the look of a native checkbox cannot be chosen.
    <button
      {...rest}
      type="button"
      role="checkbox"
      aria-checked={indeterminate ? 'mixed' : checked}
      onClick={(event) => onCheckedChange(!checked, event)}
      // What reacts to a press is larger than what is drawn.
      className={`relative flex size-4 shrink-0 items-center justify-center rounded-sm border text-on-solid after:absolute after:-inset-1.5 disabled:border-line disabled:bg-surface-3 disabled:text-faint data-invalid:border-danger-mark ${
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
