'use client';
import { Field } from '@base-ui/react/field';
import type { ReactNode } from 'react';
import { useT } from '@/lib/i18n/use-t';

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
  return (
    <Field.Root
      data-field={name}
      invalid={error !== undefined}
      disabled={disabled}
      className="flex min-w-0 flex-col gap-1"
    >
      <Field.Label
        nativeLabel={nativeLabel}
        render={nativeLabel ? undefined : <div />}
        className="self-start font-medium"
      >
        {label}
        {optional && <span className="font-normal text-faint"> {t('(optional)')}</span>}
      </Field.Label>
      {children}
      {description && <Field.Description className="text-sm text-pretty text-faint">{description}</Field.Description>}
      <FieldMessage error={error} />
    </Field.Root>
  );
}

/** The message under a field that was refused. */
export function FieldMessage({ error }: { error: string | undefined }) {
  if (error === undefined) return null;
  return (
    <Field.Error match className="text-sm text-danger">
      {error}
    </Field.Error>
  );
}
