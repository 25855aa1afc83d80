'use client';
import type { ComponentPropsWithRef } from 'react';
import type { FieldValues } from 'react-hook-form';
import { fromInput, toInput } from '@/lib/time/calendar';
import { useTimeDisplay } from '@/lib/time/time-display';
import { TextInput, useTypedText } from '../text-input';
import { FieldFrame, type FieldProps, useFramedField } from './field-frame';

type InputProps = Omit<ComponentPropsWithRef<typeof TextInput>, 'value' | 'onChange' | 'type'> & {
  /** An RFC 3339 time; null: none. */
  value: string | null;
  onChange: (at: string | null) => void;
};

/** A date and time in the zone of the reader. A time that is not edited keeps its seconds. */
export function DateTimeInput({ value, onChange, ...rest }: InputProps) {
  const { zone } = useTimeDisplay();
  const shown = value === null ? '' : toInput(Date.parse(value), zone);
  const { text, keep } = useTypedText(`${zone} ${value}`, shown);
  return (
    <TextInput
      {...rest}
      type="datetime-local"
      // Years have four digits.
      max="9999-12-31T23:59"
      value={text}
      onChange={({ target }) => {
        const at = fromInput(target.value, zone);
        const read = at === null ? null : new Date(at).toISOString();
        // The year of an unfinished input is another one; written back, it would replace what is being typed.
        keep(target.value, `${zone} ${read}`);
        onChange(read);
      }}
    />
  );
}

/** The same in a form; empty: null. */
export function DateTimeField<V extends FieldValues, Out>(props: FieldProps<string | null, V, Out>) {
  const { frame, handlers, value, onChange, own } = useFramedField<string | null, V, Out, typeof props>(props);
  return (
    <FieldFrame {...frame}>
      <DateTimeInput {...own} {...handlers} value={value ?? null} onChange={onChange} />
    </FieldFrame>
  );
}
