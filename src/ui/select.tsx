'use client';
import clsx from 'clsx';
import { ChevronsUpDown } from 'lucide-react';
import { useState } from 'react';
import { useT } from '@/lib/i18n/use-t';
import { type SelectProps, selectClass } from './choice-parts';
import { useFieldControl } from './form/field-control';
import { part, usePart } from './part';
import { type Press, PressedButton } from './press';

const popup = part(() => import('./select-popup'));

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
