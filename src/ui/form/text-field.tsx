'use client';
import type { HTMLInputAutoCompleteAttribute, HTMLInputTypeAttribute, ReactNode } from 'react';
import type { FieldValues } from 'react-hook-form';
import { TextInput } from '../text-input';
import { FieldFrame, type FieldProps, useFramedField } from './field-frame';

type Props<V extends FieldValues, Out> = FieldProps<string, V, Out> & {
  type?: HTMLInputTypeAttribute;
  placeholder?: string;
  autoComplete?: HTMLInputAutoCompleteAttribute;
  autoFocus?: boolean;
  mono?: boolean;
  spellCheck?: boolean;
  maxLength?: number;
  inputMode?: 'numeric' | 'text';
  trailing?: ReactNode;
};

/** A one-line text in a form. */
export function TextField<V extends FieldValues, Out>(props: Props<V, Out>) {
  const { frame, handlers, value, onChange, own } = useFramedField<string, V, Out, Props<V, Out>>(props);
  const { autoComplete = 'off', spellCheck = false, ...input } = own;
  return (
    <FieldFrame {...frame}>
      <TextInput
        {...input}
        {...handlers}
        value={value ?? ''}
        onChange={(event) => onChange(event.target.value)}
        autoComplete={autoComplete}
        spellCheck={spellCheck}
      />
    </FieldFrame>
  );
}
