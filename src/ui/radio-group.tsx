'use client';
import { Radio } from '@base-ui/react/radio';
import { RadioGroup as Base } from '@base-ui/react/radio-group';
import { type ReactNode, type Ref, useId } from 'react';

export type RadioOption<V extends string> = {
  value: V;
  label: string;
  description?: ReactNode;
  disabledReason?: string;
};

type Props<V extends string> = {
  value: V | null;
  onValueChange: (value: V) => void;
  options: readonly RadioOption<V>[];
  disabled?: boolean;
  'aria-label'?: string;
  'aria-labelledby'?: string;
  ref?: Ref<HTMLElement>;
};

/** One of a few choices, all visible, each with room for a sentence about what it means. */
export function RadioGroup<V extends string>({ value, onValueChange, options, disabled, ref, ...rest }: Props<V>) {
  const id = useId();
  return (
    <Base<V | null>
      {...rest}
      value={value}
      onValueChange={(next) => next !== null && onValueChange(next)}
      disabled={disabled}
      className="flex flex-col gap-2"
    >
      {options.map((option, index) => (
        // biome-ignore lint/a11y/noLabelWithoutControl: Radio.Root renders the labelled control.
        <label key={option.value} className="flex items-start gap-2">
          <Radio.Root
            ref={index === 0 ? ref : undefined}
            value={option.value}
            disabled={option.disabledReason !== undefined}
            // Inside a form field all of them would get the name of the first one.
            aria-labelledby={`${id}-${index}`}
            aria-describedby={(option.disabledReason ?? option.description) ? `${id}-${index}-about` : undefined}
            className="relative mt-0.5 flex size-4 shrink-0 after:absolute after:-inset-1.5 items-center justify-center rounded-full border border-line-strong bg-surface data-checked:border-accent data-checked:bg-accent data-disabled:border-line data-disabled:bg-surface-3 data-invalid:border-danger-mark"
          >
            <Radio.Indicator className="size-1.5 rounded-full bg-on-solid data-unchecked:hidden" />
          </Radio.Root>
          <span className="min-w-0">
            <span id={`${id}-${index}`} className={option.disabledReason ? 'block text-faint' : 'block'}>
              {option.label}
            </span>
            {(option.disabledReason ?? option.description) && (
              <span id={`${id}-${index}-about`} className="block text-sm text-pretty text-faint">
                {option.disabledReason ?? option.description}
              </span>
            )}
          </span>
        </label>
      ))}
    </Base>
  );
}
