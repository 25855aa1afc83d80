import { toNestErrors } from '@hookform/resolvers';
import {
  type FieldError,
  type FieldValues,
  type Resolver,
  type UseFormProps,
  type UseFormReturn,
  useForm,
} from 'react-hook-form';
import type { z } from 'zod';
import { unreachable } from '@/lib/problem';

/** A schema, or how to load it: a form that is a page is shown without its schema, and loads it when it is submitted. */
export type SchemaSource<S> = S | (() => Promise<S>);

/**
 * A form whose fields are checked when it is submitted, and from then on at each change. A check when a field is left would move the
 * button that is pressed at that moment, and the press would miss it.
 */
export const useCheckedForm = <V extends FieldValues, Context, Out>(
  options: Omit<UseFormProps<V, Context, Out>, 'mode'>,
): UseFormReturn<V, Context, Out> => useForm<V, Context, Out>({ ...options, mode: 'onSubmit' });

/**
 * Checks a form with the schema that the server uses. `toInput` turns the form's values into what is sent; a message about
 * a field of that input appears at the form field of the same name, or at the one that `fieldName` tells.
 */
export function domainResolver<V extends FieldValues, S extends z.ZodType<FieldValues>>(
  schema: SchemaSource<S>,
  toInput: (values: V) => unknown,
  fieldName: (field: string) => string = (field) => field,
): Resolver<V, unknown, z.output<S>> {
  const load = async () => (typeof schema === 'function' ? await schema() : schema);
  return async (values, _context, options) => {
    const loaded = await load().catch(() => null);
    if (!loaded)
      return { values: {}, errors: { root: { type: 'unreachable', message: unreachable().title } } as never };
    const result = loaded.safeParse(toInput(values));
    if (result.success) return { values: result.data, errors: {} };
    const errors: Record<string, FieldError> = {};
    for (const issue of result.error.issues) {
      const path = fieldName(issue.path.join('.')) || 'root';
      errors[path] ??= { type: issue.code ?? 'invalid', message: issue.message };
    }
    return { values: {}, errors: toNestErrors<V>(errors, options) };
  };
}
