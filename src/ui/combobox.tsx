'use client';
import { ChevronsUpDown, X } from 'lucide-react';
import { type ComponentPropsWithRef, useRef, useState } from 'react';
import { useT } from '@/lib/i18n/use-t';
import {
  type Begun,
  BOX,
  CHIP,
  CHIPS_BOX,
  CHIPS_TEXT,
  type ComboboxProps,
  type MultiComboboxProps,
  SIDE_BUTTON,
  TEXT,
} from './choice-parts';
import type { SearchedProps } from './combobox-popup';
import { useFieldControl } from './form/field-control';
import { type Part, part, usePart } from './part';

const loaded = part(() => import('./combobox-loaded'));

type Shell = ComponentPropsWithRef<'input'> & {
  remote: SearchedProps<string>['remote'];
  begun: Begun | null;
  onBegin: (begun: Begun) => void;
  /** What it shows until something is typed. */
  initial: string;
};

type Needs = {
  /** Code that makes the choices of what is typed: without it, the list does not take the place of the input either. */
  needs?: Part<unknown>;
};

/** The input until its list is loaded, which it is when it is reached: it takes keys and presses in the meantime. */
function ShellInput({ remote, begun, onBegin, initial, ...rest }: Shell) {
  const field = useFieldControl();
  const isPressed = useRef(false);
  const now = begun ?? { text: initial, isTyped: false, isOpen: false };
  return (
    <input
      {...field}
      {...rest}
      role="combobox"
      aria-expanded={false}
      aria-haspopup="listbox"
      aria-autocomplete="list"
      autoComplete="off"
      spellCheck={false}
      value={now.text}
      onPointerEnter={() => void loaded.load().catch(() => undefined)}
      onPointerDown={() => {
        isPressed.current = true;
      }}
      // A press is over with its click: an input that went before would lose it.
      onFocus={() => isPressed.current || onBegin(now)}
      onClick={() => {
        isPressed.current = false;
        onBegin({ ...now, isOpen: true });
      }}
      onChange={(event) => {
        const { value: text } = event.target;
        remote?.onSearch(text);
        onBegin({ text, isTyped: true, isOpen: true });
      }}
      onKeyDown={(event) => {
        if (event.key === 'ArrowDown' || event.key === 'ArrowUp') onBegin({ ...now, isOpen: true });
        // There is nothing to choose yet, and a form half filled in must not be sent.
        if (event.key === 'Enter' && now.isTyped) event.preventDefault();
      }}
    />
  );
}

/** One of many, found by typing. */
export function Combobox<V extends string>(props: ComboboxProps<V>) {
  const { value, onValueChange, options: _, remote, placeholder, clearable = false, ...input } = props;
  const t = useT();
  const [begun, onBegin] = useState<Begun | null>(null);
  const Loaded = usePart(loaded, begun !== null)?.LoadedCombobox;
  if (Loaded && begun) return <Loaded {...props} begun={begun} />;
  const initial = value?.label ?? '';
  return (
    <div className={BOX}>
      <ShellInput
        {...{ remote, begun, onBegin, initial, ...input }}
        placeholder={placeholder ?? t('Type to search')}
        className={TEXT}
      />
      {clearable && value && (
        <button type="button" aria-label={t('Clear')} className={SIDE_BUTTON} onClick={() => onValueChange(null)}>
          <X size={14} />
        </button>
      )}
      <button
        type="button"
        tabIndex={-1}
        aria-label={t('Show options')}
        disabled={input.disabled}
        className={SIDE_BUTTON}
        onClick={() => onBegin({ text: initial, isTyped: false, isOpen: true })}
      >
        <ChevronsUpDown size={14} />
      </button>
    </div>
  );
}

/** A multiple choice, found by typing; chosen items are shown in the box and removed by Backspace or their cross. */
export function MultiCombobox<V extends string>(props: MultiComboboxProps<V> & Needs) {
  const { needs = loaded, ...choice } = props;
  const { value, onValueChange, options: _, remote, placeholder, ...input } = choice;
  const t = useT();
  const [begun, onBegin] = useState<Begun | null>(null);
  const Loaded = usePart(loaded, begun !== null)?.LoadedMultiCombobox;
  const hasNeeds = usePart<unknown>(needs, begun !== null) !== null;
  if (Loaded && hasNeeds && begun) return <Loaded {...choice} begun={begun} />;
  return (
    <div className={CHIPS_BOX}>
      {value.map((option) => (
        <span key={option.value} className={CHIP}>
          <span className="truncate">{option.label}</span>
          <button
            type="button"
            tabIndex={-1}
            aria-label={t('Remove {name}', { name: option.label })}
            className={SIDE_BUTTON}
            onClick={() => onValueChange(value.filter((one) => one.value !== option.value))}
          >
            <X size={12} />
          </button>
        </span>
      ))}
      <ShellInput
        {...{ remote, begun, onBegin, initial: '', ...input }}
        placeholder={value.length === 0 ? (placeholder ?? t('Type to search')) : undefined}
        className={CHIPS_TEXT}
      />
    </div>
  );
}
