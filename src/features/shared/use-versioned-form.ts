'use client';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { DefaultValues, FieldValues, UseFormReturn } from 'react-hook-form';
import type { z } from 'zod';
import { type Failure, toFailure } from '@/lib/problem';
import { domainResolver, type SchemaSource, useCheckedForm } from './domain-resolver';

/** How a thing with a version is edited. */
export type VersionedEdit<T extends { version: number }, V extends FieldValues, S extends z.ZodType<FieldValues>, R> = {
  /** The object as it was when the form opened; later refreshes do not overwrite user input. */
  opened: T;
  /** Reads it as it is stored now. */
  read: () => Promise<T>;
  schema: SchemaSource<S>;
  toValues: (thing: T) => V;
  /** What is sent to change `base` to these values, its version included. */
  toInput: (values: V, base: T) => unknown;
  save: (input: z.output<S>) => Promise<R>;
  onSaved: (saved: R) => void;
  /** Where the server's field path differs from the form's. */
  fieldName?: (field: string) => string;
  /** Reads the other version as soon as saving meets it, to show both side by side. */
  compares?: boolean;
};

type Conflict<T> = { version: number; theirs?: T };

export type VersionedForm<T, V extends FieldValues, Out> = {
  form: UseFormReturn<V, unknown, Out>;
  /** What the form was filled from. */
  base: T;
  /** Another version was saved in the meantime; `theirs` once it was read. */
  conflict: Conflict<T> | null;
  valuesOf: (thing: T) => V;
  /** Whether there is something to save. */
  isChanged: boolean;
  pending: boolean;
  saved: boolean;
  /** Why the last save failed, other than by a conflict. */
  failure: Failure | null;
  fieldName: ((field: string) => string) | undefined;
  submit: (input: Out) => void;
  /** Puts another version into the form; what was typed is gone. */
  show: (thing: T) => void;
  /** The same with the stored version. */
  takeTheirs: () => Promise<void>;
  /** Saves what is typed over the other version. */
  keepMine: () => void;
};

/** The state of a form that changes a thing with a version: filled once, saved against the version it was filled from. */
export function useVersionedForm<
  T extends { version: number },
  V extends FieldValues,
  S extends z.ZodType<FieldValues>,
  R,
>(edit: VersionedEdit<T, V, S, R>): VersionedForm<T, V, z.output<S>> {
  const { opened, toValues, toInput, fieldName } = edit;
  const [base, setBase] = useState(opened);
  const [conflict, setConflict] = useState<Conflict<T> | null>(null);
  const form = useCheckedForm<V, unknown, z.output<S>>({
    defaultValues: toValues(opened) as DefaultValues<V>,
    resolver: domainResolver(edit.schema, (values: V) => toInput(values, base), fieldName),
  });
  const save = useMutation({
    mutationFn: edit.save,
    onSuccess: edit.onSaved,
    onError: (error) => {
      const { code, extra } = toFailure(error);
      if (code !== 'version_conflict') return;
      const version = Number(extra?.version);
      setConflict({ version });
      if (!edit.compares) return;
      // Without an answer the form shows the refusal itself.
      edit.read().then(
        (theirs) => setConflict({ version: theirs.version, theirs }),
        () => setConflict(null),
      );
    },
  });
  const show = (thing: T) => {
    form.reset(toValues(thing));
    setBase(thing);
    setConflict(null);
    save.reset();
  };
  const submit = (input: z.output<S>) => {
    setConflict(null);
    save.mutate(input);
  };
  return {
    form,
    base,
    conflict,
    valuesOf: toValues,
    isChanged: form.formState.isDirty || base !== opened,
    pending: save.isPending,
    saved: save.isSuccess,
    failure: save.error && !conflict ? toFailure(save.error) : null,
    fieldName,
    submit,
    show,
    takeTheirs: async () => show(conflict?.theirs ?? (await edit.read())),
    keepMine: () => {
      if (!conflict) return;
      const { version, theirs } = conflict;
      if (theirs) setBase(theirs);
      submit(toInput(form.getValues(), theirs ?? { ...base, version }) as z.output<S>);
    },
  };
}
