'use client';
import type { KeyboardEvent, ReactNode } from 'react';
import { rovingIndex } from './roving-index';

type Props<V extends string> = {
  /** Accessible name of the group. */
  label: string;
  value: V;
  onValueChange: (value: V) => void;
  options: readonly { value: V; label: string; icon?: ReactNode }[];
  /** Icons only; the labels become accessible names. */
  iconsOnly?: boolean;
};

/** One of two to five short alternatives that change the view immediately. */
export function SegmentedControl<V extends string>({ label, value, onValueChange, options, iconsOnly }: Props<V>) {
  const chosen = Math.max(
    0,
    options.findIndex((option) => option.value === value),
  );
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const next = rovingIndex(event.key, chosen, options.length);
    const option = next === null ? undefined : options[next];
    if (!option) return;
    event.preventDefault();
    (event.currentTarget.children[next ?? 0] as HTMLElement).focus();
    onValueChange(option.value);
  };
  return (
    <div
      role="radiogroup"
      aria-label={label}
      onKeyDown={onKeyDown}
      className="inline-flex h-8 items-stretch gap-0.5 rounded-md bg-surface-3 p-0.5"
    >
      {options.map((option, index) => (
        // biome-ignore lint/a11y/useSemanticElements: a radio input cannot hold an icon and a label.
        <button
          key={option.value}
          type="button"
          role="radio"
          aria-checked={option.value === value}
          data-checked={option.value === value ? '' : undefined}
          tabIndex={index === chosen ? 0 : -1}
          onClick={() => onValueChange(option.value)}
          aria-label={iconsOnly ? option.label : undefined}
          title={iconsOnly ? option.label : undefined}
          className="inline-flex select-none items-center gap-1.5 rounded-sm px-2.5 text-muted hover:text-text data-checked:bg-surface data-checked:text-text data-checked:ring-1 data-checked:ring-line"
        >
          {option.icon}
          {!iconsOnly && option.label}
        </button>
      ))}
    </div>
  );
}
