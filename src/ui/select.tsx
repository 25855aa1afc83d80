'use client';
import clsx from 'clsx';
import { ChevronsUpDown } from 'lucide-react';
import { type ComponentPropsWithRef, useState } from 'react';
import { useT } from '@/lib/i18n/use-t';
import { useFieldControl } from './form/field-control';
import type { Option } from './option';
import { part, usePart } from './part';
import { type Press, PressedButton } from './press';

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

const popup = part(() => import('./select-popup'));

/** How the button looks, with its list and before. */
export const selectClass = ({ size, className }: Pick<SelectProps<string>, 'size' | 'className'>) =>
  clsx(
    'control flex items-center justify-between gap-2 pr-2 pl-2.5 text-left hover:not-disabled:bg-surface-2',
    size === 'sm' && '!min-h-6 text-sm',
    className,
  );

/**
 * One of a fixed, short list. From about fifteen entries on, or with remote data, use `Combobox`. The list is loaded when the button is
 * reached, and opens with the first press.
 */
export function Select<V extends string>(props: SelectProps<V>) {
  const { value, onValueChange: _, options, placeholder, size, className, ...button } = props;
  const t = useT();
  const field = useFieldControl();
  const [press, setPress] = useState<Press | null>(null);
  const Popup = usePart(popup, press !== null)?.SelectPopup;
  if (Popup) return <Popup {...props} />;
  const chosen = options.find((option) => option.value === value);
  return (
    <PressedButton
      of={
        // biome-ignore lint/a11y/useAriaPropsForRole: whether it is expanded is added, and it controls nothing before it is.
        <button {...field} {...button} type="button" role="combobox" className={selectClass({ size, className })}>
          <span className={clsx('truncate', !chosen && 'text-faint')}>
            {chosen?.label ?? placeholder ?? t('Choose')}
          </span>
          <ChevronsUpDown size={14} className="shrink-0 text-faint" aria-hidden />
        </button>
      }
      kind="listbox"
      onReach={popup.load}
      onPress={setPress}
    />
  );
}
