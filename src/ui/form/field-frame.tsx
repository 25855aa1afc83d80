'use client';
import { type ReactNode, useId } from 'react';
import { type Control, type FieldPathByValue, type FieldValues, useController } from 'react-hook-form';
import { useT } from '@/lib/i18n/use-t';
import { FieldControlContext, fieldControl } from './field-control';

type Props = {
  name: string;
  label: string;
  description?: ReactNode;
  optional?: boolean;
  disabled?: boolean;
  error: string | undefined;
  /** False for controls that are buttons (select) or groups (radio): their label is no `<label>`. */
  nativeLabel?: boolean;
  children: ReactNode;
};

/** Label above, control, description and message below; ties them together for assistive technology. */
export function FieldFrame({
  name,
  label,
  description,
  optional,
  disabled,
  error,
  nativeLabel = true,
  children,
}: Props) {
  const t = useT();
  const id = useId();
  const Label = nativeLabel ? 'label' : 'div';
  return (
    <div data-field={name} className="flex min-w-0 flex-col gap-1">
      <Label
        id={`${id}-label`}
        {...(nativeLabel && { htmlFor: id })}
        className={`self-start font-medium ${disabled ? 'text-faint' : ''}`}
      >
        {label}
        {optional && <span className="font-normal text-faint"> {t('(optional)')}</span>}
      </Label>
      <FieldControlContext value={fieldControl({ id, label: !nativeLabel, description, error, disabled })}>
        {children}
      </FieldControlContext>
      <FieldWords {...{ id, description, error }} />
    </div>
  );
}

/** What explains a field, and the message when it was refused. */
export function FieldWords({
  id,
  description,
  error,
}: {
  id: string;
  description: ReactNode;
  error: string | undefined;
}) {
  return (
    <>
      {description && (
        <div id={`${id}-about`} className="text-sm text-pretty text-faint">
          {description}
        </div>
      )}
      {error !== undefined && (
        <div id={`${id}-error`} className="text-sm text-danger">
          {error}
        </div>
      )}
    </>
  );
}

/** The message of a field without a frame, below it. */
export function FieldMessage({ text }: { text: string | undefined }) {
  return text === undefined ? null : (
    <p role="alert" className="text-sm text-danger">
      {text}
    </p>
  );
}

/** The value, handlers and message of one form field. `Value` is guaranteed by the type of `name`. */
export function useField<Value, V extends FieldValues, Out>({
  control,
  name,
}: Pick<FieldProps<Value, V, Out>, 'control' | 'name'>) {
  const t = useT();
  const { field, fieldState } = useController({ control, name });
  return {
    ref: field.ref,
    name: field.name as string,
    value: field.value as Value | null | undefined,
    onBlur: field.onBlur,
    onChange: field.onChange as (value: Value | null) => void,
    error: fieldState.error ? (fieldState.error.message ?? t('Check this value')) : undefined,
  };
}

/** The same for a field in its frame: what the frame shows, and what is left for the control of this kind of field. */
export function useFramedField<Value, V extends FieldValues, Out, P extends FieldProps<Value, V, Out>>({
  control,
  name,
  label,
  description,
  optional,
  disabled,
  ...own
}: P) {
  const { error, value, onChange, ...handlers } = useField<Value, V, Out>({ control, name });
  return { frame: { name, label, description, optional, disabled, error }, handlers, value, onChange, own };
}

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
