'use client';
import type { FieldValues } from 'react-hook-form';
import type { Option } from '../option';
import { Select } from '../select';
import { FieldFrame, type FieldProps, useFramedField } from './field-frame';

type Props<T extends string, V extends FieldValues, Out> = FieldProps<T, V, Out> & {
  options: readonly Option<T>[];
  placeholder?: string;
};

/** One of a fixed list in a form. */
export function SelectField<T extends string, V extends FieldValues, Out>(props: Props<T, V, Out>) {
  const { frame, handlers, value, onChange, own } = useFramedField<T, V, Out, Props<T, V, Out>>(props);
  return (
    <FieldFrame {...frame} nativeLabel={false}>
      <Select<T> {...own} {...handlers} value={value ?? null} onValueChange={onChange} disabled={frame.disabled} />
    </FieldFrame>
  );
}
