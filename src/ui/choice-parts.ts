import clsx from 'clsx';
import type { ComponentPropsWithRef } from 'react';
import type { SearchedProps } from './combobox-popup';
import type { Option } from './option';

// What a select or combobox is like both before and after its list was loaded.

export type SelectProps<V extends string> = Pick<
  ComponentPropsWithRef<'button'>,
  'aria-label' | 'className' | 'disabled' | 'name' | 'onBlur' | 'ref'
> & {
  value: V | null;
  onValueChange: (value: V) => void;
  options: readonly Option<V>[];
  placeholder?: string;
  size?: 'md' | 'sm';
};

/** How the button looks, with its list and before. */
export const selectClass = ({ size, className }: Pick<SelectProps<string>, 'size' | 'className'>) =>
  clsx(
    'control flex items-center justify-between gap-2 pr-2 pl-2.5 text-left hover:not-disabled:bg-surface-2',
    size === 'sm' && '!min-h-6 text-sm',
    className,
  );

export type ComboboxProps<V extends string> = SearchedProps<V> & {
  value: Option<V> | null;
  onValueChange: (option: Option<V> | null) => void;
  /** Whether it can be emptied again. */
  clearable?: boolean;
  name?: string;
};

export type MultiComboboxProps<V extends string> = SearchedProps<V> & {
  value: readonly Option<V>[];
  onValueChange: (options: Option<V>[]) => void;
};

/** How far someone came before the list was loaded. */
export type Begun = { text: string; isTyped: boolean; isOpen: boolean };

export const BOX = 'control flex items-center gap-1 pr-1 pl-2.5';
export const TEXT = 'min-w-0 flex-1 self-stretch bg-transparent outline-none';
export const SIDE_BUTTON = 'inline-flex size-6 items-center justify-center rounded-sm text-faint hover:text-text';
export const CHIPS_BOX = 'control flex flex-wrap items-center gap-1 px-1 py-0.5';
export const CHIPS_TEXT = 'h-6 min-w-24 flex-1 bg-transparent px-1.5 outline-none';
export const CHIP =
  'inline-flex h-6 max-w-full items-center gap-1 rounded-sm bg-surface-3 pl-1.5 data-highlighted:bg-accent-soft';
