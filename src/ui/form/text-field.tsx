'use client';
import type { HTMLInputAutoCompleteAttribute, HTMLInputTypeAttribute, ReactNode } from 'react';
import type { FieldValues } from 'react-hook-form';
import { TextInput } from '../text-input';
import { FieldFrame } from './field-frame';
import type { FieldProps } from './field-props';
import { useField } from './use-field';

type Props<V extends FieldValues, Out> = FieldProps<string, V, Out> & {
  type?: HTMLInputTypeAttribute;
  placeholder?: string;
  autoComplete?: HTMLInputAutoCompleteAttribute;
  autoFocus?: boolean;
  mono?: boolean;
  spellCheck?: boolean;
  maxLength?: number;
  trailing?: ReactNode;
};

/** A one-line text in a form. */
export function TextField<V extends FieldValues, Out>({
  control,
  name,
  label,
  description,
  optional,
  disabled,
  autoComplete = 'off',
  mono,
  spellCheck = false,
  ...input
}: Props<V, Out>) {
  const field = useField({ control, name });
  return (
    <FieldFrame {...{ name, label, description, optional, disabled }} error={field.error}>
      <TextInput
        {...input}
        ref={field.ref}
        name={field.name}
        value={field.value ?? ''}
        onChange={(event) => field.onChange(event.target.value)}
        onBlur={field.onBlur}
        autoComplete={autoComplete}
        spellCheck={spellCheck}
        mono={mono}
      />
    </FieldFrame>
  );
}
