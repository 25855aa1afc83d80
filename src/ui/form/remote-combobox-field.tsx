'use client';
import type { FieldValues } from 'react-hook-form';
import { Combobox } from '../combobox';
import type { RemoteSearch } from '../combobox-popup';
import type { Option } from '../option';
import { FieldFrame } from './field-frame';
import type { FieldProps } from './field-props';
import { useField } from './use-field';

type Props<V extends FieldValues, Out> = FieldProps<Option, V, Out> & {
  /** What matches the text typed so far. */
  options: readonly Option[];
  remote: RemoteSearch;
  placeholder?: string;
  /** Tells of a choice made here, besides storing it. */
  onChosen?: (option: Option | null) => void;
};

/** One of more than can be loaded, found by the server; the form holds the chosen option with its label. */
export function RemoteComboboxField<V extends FieldValues, Out>({
  control,
  name,
  label,
  description,
  optional,
  disabled,
  options,
  remote,
  placeholder,
  onChosen,
}: Props<V, Out>) {
  const field = useField<Option, V, Out>({ control, name });
  return (
    <FieldFrame {...{ name, label, description, optional, disabled }} error={field.error}>
      <Combobox
        ref={field.ref}
        value={field.value ?? null}
        onValueChange={(option) => {
          field.onChange(option);
          onChosen?.(option);
        }}
        onBlur={field.onBlur}
        options={options}
        remote={remote}
        placeholder={placeholder}
        clearable={optional}
        disabled={disabled}
      />
    </FieldFrame>
  );
}
