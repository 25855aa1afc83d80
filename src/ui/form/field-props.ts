import type { ReactNode } from 'react';
import type { Control, FieldPathByValue, FieldValues } from 'react-hook-form';

/** What every form field takes: where its value lives in the form, and the words around it. */
export type FieldProps<Value, V extends FieldValues, Out> = {
  control: Control<V, unknown, Out>;
  /** Dotted path in the form; also where messages of the server for this path appear. */
  name: FieldPathByValue<V, Value | null | undefined>;
  label: string;
  /** Below the control: format, unit, consequence. */
  description?: ReactNode;
  /** Marks the field as one that may stay empty; all others are required. */
  optional?: boolean;
  disabled?: boolean;
};
