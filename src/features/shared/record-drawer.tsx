'use client';
import type { ReactNode } from 'react';
import type { Control, DefaultValues, FieldValues, UseFormReturn } from 'react-hook-form';
import type { z } from 'zod';
import { toFailure } from '@/lib/problem';
import { Drawer } from '@/ui/drawer';
import { FormShell } from '@/ui/form/form-shell';
import { ChangeRefusal } from './changes/change-refusal';
import { withoutProposed } from './changes/proposed-change';
import { domainResolver, useCheckedForm } from './domain-resolver';

type FormProps<V extends FieldValues, S extends z.ZodType<FieldValues>> = {
  defaultValues: V;
  schema: S;
  toInput: (values: V) => unknown;
  save: { mutate: (input: z.output<S>) => void; error: unknown; isPending: boolean };
  submitLabel: string;
  /** Where the server's field path differs from the form's. */
  fieldName?: (field: string) => string;
  onClose: () => void;
  children: (control: Control<V, unknown, z.output<S>>, form: UseFormReturn<V, unknown, z.output<S>>) => ReactNode;
};

/** A form in a drawer that creates one record, or sends what has no version. For changes see `VersionedForm`. */
export function RecordForm<V extends FieldValues, S extends z.ZodType<FieldValues>>(props: FormProps<V, S>) {
  const { save } = props;
  const form = useCheckedForm<V, unknown, z.output<S>>({
    defaultValues: props.defaultValues as DefaultValues<V>,
    resolver: domainResolver(props.schema, props.toInput, props.fieldName),
  });
  const failure = save.error ? toFailure(save.error) : null;
  return (
    <FormShell
      form={form}
      onSubmit={(input) => save.mutate(input)}
      error={withoutProposed(failure)}
      pending={save.isPending}
      submitLabel={props.submitLabel}
      onCancel={props.onClose}
      layout="panel"
      fieldName={props.fieldName}
    >
      <ChangeRefusal failure={failure} />
      {props.children(form.control, form)}
    </FormShell>
  );
}

export type DrawerProps = { title: string; description?: ReactNode; size?: 'md' | 'lg' };

/** The drawer of a form. It is open as long as it is mounted. */
export function FormDrawer({ onClose, ...props }: DrawerProps & { onClose: () => void; children: ReactNode }) {
  return <Drawer open onOpenChange={(next) => !next && onClose()} persistent {...props} />;
}

/** The same with its drawer. Mount it when it opens. */
export function RecordDrawer<V extends FieldValues, S extends z.ZodType<FieldValues>>({
  title,
  description,
  size,
  ...form
}: DrawerProps & FormProps<V, S>) {
  return (
    <FormDrawer title={title} description={description} size={size} onClose={form.onClose}>
      <RecordForm {...form} />
    </FormDrawer>
  );
}
