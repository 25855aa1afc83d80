'use client';
import type { FieldValues } from 'react-hook-form';
import type { Option } from '../option';
import { Select } from '../select';
import { FieldFrame, type FieldProps, useFramedField } from './field-frame';

type Props<T extends string, V extends FieldValues, Out> = FieldProps<T, V, Out> & {
  options: readonly Option<T>[];
  placeholder?: string;
  /** When another one was chosen, for what follows from it. */
  onChoose?: (value: T) => void;
};

/** One of a fixed list in a form. */
export function SelectField<T extends string, V extends FieldValues, Out>({ onChoose, ...props }: Props<T, V, Out>) {
  const { frame, handlers, value, onChange, own } = useFramedField<T, V, Out, Props<T, V, Out>>(props);
  const choose = (next: T) => {
    onChoose?.(next);
    onChange(next);
  };
  return (
    <FieldFrame {...frame} nativeLabel={false}>
      <Select<T> {...own} {...handlers} value={value ?? null} onValueChange={choose} disabled={frame.disabled} />
    </FieldFrame>
  );
}
