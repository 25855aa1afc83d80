'use client';
import { Checkbox as Base } from '@base-ui/react/checkbox';
import clsx from 'clsx';
import { Check, Minus } from 'lucide-react';
import type { ComponentPropsWithRef } from 'react';

type Props = Omit<ComponentPropsWithRef<typeof Base.Root>, 'className' | 'render' | 'style'> & { className?: string };

/** A bare checkbox; give it a label by `aria-label`, a surrounding `<label>` or `form/checkbox-field`. */
export function Checkbox({ className, ...rest }: Props) {
  return (
    <Base.Root
      {...rest}
      className={clsx(
        // What reacts to a press is larger than what is drawn.
        'relative flex size-4 shrink-0 items-center justify-center rounded-sm border border-line-strong bg-surface text-on-solid',
        'after:absolute after:-inset-1.5',
        'data-checked:border-accent data-checked:bg-accent data-indeterminate:border-accent data-indeterminate:bg-accent',
        'data-disabled:border-line data-disabled:bg-surface-3 data-disabled:text-faint data-invalid:border-danger-mark',
        className,
      )}
    >
      <Base.Indicator
        className="flex data-unchecked:hidden"
        render={(props, state) => (
          <span {...props}>
            {state.indeterminate ? (
              <Minus size={12} strokeWidth={3} aria-hidden />
            ) : (
              <Check size={12} strokeWidth={3} aria-hidden />
            )}
          </span>
        )}
      />
    </Base.Root>
  );
}
