'use client';
import { Combobox as Base } from '@base-ui/react/combobox';
import { ChevronsUpDown, X } from 'lucide-react';
import { type Ref, useImperativeHandle, useLayoutEffect, useRef } from 'react';
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
import { ComboboxPopup, toFilterProp } from './combobox-popup';
import { useFieldControl } from './form/field-control';
import type { Option } from './option';

const setText = (input: HTMLInputElement, text: string) =>
  // Past the setter that React puts on the element, so that it takes the event for a key.
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(input, text);

/**
 * The focus, the caret and what was typed go on where they were. What was typed is typed again: only a key opens the list,
 * and highlights what Enter chooses.
 */
function useContinued({ text, isTyped }: Begun, outer: Ref<HTMLInputElement> | undefined) {
  const ref = useRef<HTMLInputElement>(null);
  useImperativeHandle(outer, () => ref.current as HTMLInputElement);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it takes the place of the other.
  useLayoutEffect(() => {
    const input = ref.current;
    if (!input) return;
    input.focus({ preventScroll: true });
    if (isTyped) {
      setText(input, text);
      input.dispatchEvent(new InputEvent('input', { bubbles: true, inputType: 'insertText', data: text }));
    }
    // As after Tab: the next key replaces a choice.
    input.setSelectionRange(isTyped ? text.length : 0, text.length);
  }, []);
  return ref;
}

/** A combobox of one choice with its list, from where it was begun. */
export function LoadedCombobox<V extends string>({
  value,
  onValueChange,
  options,
  remote,
  placeholder,
  clearable = false,
  disabled,
  name,
  begun,
  ...input
}: ComboboxProps<V> & { begun: Begun }) {
  const t = useT();
  const field = useFieldControl();
  const ref = useContinued(begun, input.ref);
  return (
    <Base.Root<Option<V>>
      items={options}
      value={value}
      onValueChange={onValueChange}
      isItemEqualToValue={(a, b) => a.value === b.value}
      filter={toFilterProp(remote)}
      onInputValueChange={
        remote && ((text, { reason }) => reason !== 'item-press' && remote.onSearch(text === value?.label ? '' : text))
      }
      defaultOpen={begun.isOpen}
      defaultInputValue={value?.label ?? ''}
      autoHighlight
      disabled={disabled ?? field.disabled}
      name={name}
    >
      <Base.InputGroup className={BOX}>
        <Base.Input {...field} {...input} ref={ref} placeholder={placeholder ?? t('Type to search')} className={TEXT} />
        {clearable && value && (
          <Base.Clear aria-label={t('Clear')} className={SIDE_BUTTON}>
            <X size={14} />
          </Base.Clear>
        )}
        <Base.Trigger aria-label={t('Show options')} className={SIDE_BUTTON}>
          <ChevronsUpDown size={14} />
        </Base.Trigger>
      </Base.InputGroup>
      <ComboboxPopup remote={remote} />
    </Base.Root>
  );
}

/** A combobox of several choices with its list, from where it was begun. */
export function LoadedMultiCombobox<V extends string>({
  value,
  onValueChange,
  options,
  remote,
  placeholder,
  disabled,
  begun,
  ...input
}: MultiComboboxProps<V> & { begun: Begun }) {
  const t = useT();
  const field = useFieldControl();
  const ref = useContinued(begun, input.ref);
  return (
    <Base.Root<Option<V>, true>
      multiple
      items={options}
      value={value}
      // Esc leaves the box; it must not throw away what was chosen.
      onValueChange={(next, { reason }) => reason !== 'escape-key' && onValueChange(next)}
      isItemEqualToValue={(a, b) => a.value === b.value}
      filter={toFilterProp(remote)}
      onInputValueChange={remote && ((text) => remote.onSearch(text))}
      defaultOpen={begun.isOpen}
      autoHighlight
      disabled={disabled ?? field.disabled}
    >
      <Base.InputGroup className={CHIPS_BOX}>
        <Base.Chips className="contents">
          {value.map((option) => (
            <Base.Chip key={option.value} className={CHIP}>
              <span className="truncate">{option.label}</span>
              <Base.ChipRemove aria-label={t('Remove {name}', { name: option.label })} className={SIDE_BUTTON}>
                <X size={12} />
              </Base.ChipRemove>
            </Base.Chip>
          ))}
          <Base.Input
            {...field}
            {...input}
            ref={ref}
            placeholder={value.length === 0 ? (placeholder ?? t('Type to search')) : undefined}
            className={CHIPS_TEXT}
          />
        </Base.Chips>
      </Base.InputGroup>
      <ComboboxPopup remote={remote} />
    </Base.Root>
  );
}
