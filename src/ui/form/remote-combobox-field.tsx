'use client';
import type { FieldValues } from 'react-hook-form';
import { Combobox } from '../combobox';
import type { RemoteSearch } from '../combobox-popup';
import type { Option } from '../option';
import { FieldFrame, type FieldProps, useFramedField } from './field-frame';

type Props<V extends FieldValues, Out> = FieldProps<Option, V, Out> & {
  /** What matches the text typed so far. */
  options: readonly Option[];
  remote: RemoteSearch;
  placeholder?: string;
  /** Called for a choice made here, besides storing it. */
  onChosen?: (option: Option | null) => void;
};

/** One of more than can be loaded, found by the server; the form holds the chosen option with its label. */
export function RemoteComboboxField<V extends FieldValues, Out>({ onChosen, ...props }: Props<V, Out>) {
  const { frame, handlers, value, onChange, own } = useFramedField<Option, V, Out, Omit<Props<V, Out>, 'onChosen'>>(
    props,
  );
  return (
    <FieldFrame {...frame}>
      <Combobox
        {...own}
        ref={handlers.ref}
        value={value ?? null}
        onValueChange={(option) => {
          onChange(option);
          onChosen?.(option);
        }}
        onBlur={handlers.onBlur}
        clearable={frame.optional}
        disabled={frame.disabled}
      />
    </FieldFrame>
  );
}
