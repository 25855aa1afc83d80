'use client';
import { Field } from '@base-ui/react/field';
import clsx from 'clsx';
import type { FieldValues } from 'react-hook-form';
import { FieldFrame, type FieldProps, useFramedField } from './field-frame';

type Props<V extends FieldValues, Out> = FieldProps<string, V, Out> & {
  rows?: number;
  placeholder?: string;
  mono?: boolean;
  maxLength?: number;
};

/** Several lines of text in a form. */
export function TextareaField<V extends FieldValues, Out>(props: Props<V, Out>) {
  const { frame, handlers, value, onChange, own } = useFramedField<string, V, Out, Props<V, Out>>(props);
  const { rows = 3, mono, ...input } = own;
  return (
    <FieldFrame {...frame}>
      <Field.Control
        render={<textarea rows={rows} spellCheck={!mono} />}
        {...input}
        {...handlers}
        value={value ?? ''}
        onValueChange={onChange}
        className={clsx('control resize-y px-2.5 py-1.5', mono && 'mono')}
      />
    </FieldFrame>
  );
}
