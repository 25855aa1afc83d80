'use client';
import { Radio } from '@base-ui/react/radio';
import { RadioGroup } from '@base-ui/react/radio-group';
import type { ReactNode } from 'react';

type Props<V extends string> = {
  /** Accessible name of the group. */
  label: string;
  value: V;
  onValueChange: (value: V) => void;
  options: readonly { value: V; label: string; icon?: ReactNode }[];
  /** Icons only; the labels become accessible names. */
  iconsOnly?: boolean;
};

/** One of two to five short alternatives that change the view at once. */
export function SegmentedControl<V extends string>({ label, value, onValueChange, options, iconsOnly }: Props<V>) {
  return (
    <RadioGroup
      aria-label={label}
      value={value}
      onValueChange={onValueChange}
      className="inline-flex h-8 items-stretch gap-0.5 rounded-md bg-surface-3 p-0.5"
    >
      {options.map((option) => (
        <Radio.Root
          key={option.value}
          value={option.value}
          aria-label={iconsOnly ? option.label : undefined}
          title={iconsOnly ? option.label : undefined}
          className="inline-flex select-none items-center gap-1.5 rounded-sm px-2.5 text-muted hover:text-text data-checked:bg-surface data-checked:text-text data-checked:ring-1 data-checked:ring-line"
        >
          {option.icon}
          {!iconsOnly && option.label}
        </Radio.Root>
      ))}
    </RadioGroup>
  );
}
