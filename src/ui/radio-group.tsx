'use client';
import { type ComponentPropsWithRef, type KeyboardEvent, type ReactNode, useId } from 'react';
import { rovingIndex } from './roving-index';

export type RadioOption<V extends string> = {
  value: V;
  label: string;
  description?: ReactNode;
  disabledReason?: string;
};

type Props<V extends string> = Pick<
  ComponentPropsWithRef<'button'>,
  'aria-label' | 'aria-labelledby' | 'aria-describedby' | 'disabled' | 'ref'
> & {
  value: V | null;
  onValueChange: (value: V) => void;
  options: readonly RadioOption<V>[];
  isInvalid?: boolean;
};

/** One of a few choices, all visible, each with room for a sentence about what it means. Arrow keys choose. */
export function RadioGroup<V extends string>({
  value,
  onValueChange,
  options,
  disabled = false,
  isInvalid = false,
  ref,
  ...names
}: Props<V>) {
  const id = useId();
  const offered = disabled ? [] : options.filter(({ disabledReason }) => disabledReason === undefined);
  const reached = offered.find((option) => option.value === value) ?? offered[0];
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const next = rovingIndex(event.key, reached ? offered.indexOf(reached) : 0, offered.length);
    const option = next === null ? undefined : offered[next];
    if (!option) return;
    event.preventDefault();
    document.getElementById(`${id}-${options.indexOf(option)}`)?.focus();
    onValueChange(option.value);
  };
  return (
    <div role="radiogroup" {...names} onKeyDown={onKeyDown} className="flex flex-col gap-2">
      {options.map((option, index) => (
        <label key={option.value} className="flex items-start gap-2">
          {/* biome-ignore lint/a11y/useSemanticElements: the look of a native radio button cannot be chosen. */}
          <button
            type="button"
            role="radio"
            ref={index === 0 ? ref : undefined}
            id={`${id}-${index}`}
            aria-checked={option.value === value}
            aria-labelledby={`${id}-${index}-name`}
            aria-describedby={(option.disabledReason ?? option.description) ? `${id}-${index}-about` : undefined}
            disabled={!offered.includes(option)}
            tabIndex={option === reached ? 0 : -1}
            onClick={() => onValueChange(option.value)}
            className={`relative mt-0.5 flex size-4 shrink-0 items-center justify-center rounded-full border after:absolute after:-inset-1.5 disabled:border-line disabled:bg-surface-3 ${
              option.value === value ? 'border-accent bg-accent' : 'bg-surface'
            } ${isInvalid ? 'border-danger-mark' : option.value === value ? '' : 'border-line-strong'}`}
          >
            {option.value === value && <span className="size-1.5 rounded-full bg-on-solid" />}
          </button>
          <span className="min-w-0">
            <span id={`${id}-${index}-name`} className={option.disabledReason ? 'block text-faint' : 'block'}>
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
    </div>
  );
}
