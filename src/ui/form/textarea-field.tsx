'use client';
import clsx from 'clsx';
import type { ComponentPropsWithRef } from 'react';
import type { FieldValues } from 'react-hook-form';
import { useFieldControl } from './field-control';
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
  return (
    <FieldFrame {...frame}>
      <Textarea {...own} {...handlers} value={value ?? ''} onValueChange={onChange} />
    </FieldFrame>
  );
}

type TextareaProps = Omit<ComponentPropsWithRef<'textarea'>, 'onChange'> & {
  mono?: boolean;
  onValueChange: (text: string) => void;
};

function Textarea({ rows = 3, mono, onValueChange, ...rest }: TextareaProps) {
  const field = useFieldControl();
  return (
    <textarea
      {...field}
      {...rest}
      rows={rows}
      spellCheck={!mono}
      onChange={(event) => onValueChange(event.target.value)}
      className={clsx('control resize-y px-2.5 py-1.5', mono && 'mono')}
    />
  );
}
