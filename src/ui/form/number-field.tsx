'use client';
import type { FieldValues } from 'react-hook-form';
import { NumberInput } from '../number-input';
import { FieldFrame, type FieldProps, useFramedField } from './field-frame';

type Props<V extends FieldValues, Out> = FieldProps<number, V, Out> & {
  min?: number;
  max?: number;
  step?: number;
  unit?: string;
  steppers?: boolean;
};

/** A number in a form; null while the box is empty. Out-of-range values are for the schema to refuse. */
export function NumberField<V extends FieldValues, Out>(props: Props<V, Out>) {
  const { frame, handlers, value, onChange, own } = useFramedField<number, V, Out, Props<V, Out>>(props);
  return (
    <FieldFrame {...frame}>
      <NumberInput {...own} {...handlers} value={value ?? null} onValueChange={onChange} disabled={frame.disabled} />
    </FieldFrame>
  );
}
