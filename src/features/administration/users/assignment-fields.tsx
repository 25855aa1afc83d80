'use client';
import { Plus, Trash2 } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { type Control, useFieldArray } from 'react-hook-form';
import { useT } from '@/lib/i18n/use-t';
import { Button, IconButton } from '@/ui/button';
import { ComboboxField } from '@/ui/form/combobox-field';
import { TextField } from '@/ui/form/text-field';
import { useRoleChoices, useRolePlaces } from '../use-choices';
import { type AssignmentValues, NEW_ASSIGNMENT } from './assignment-values';

export type WithAssignments = { assignments: AssignmentValues[] };

type Props<Out> = {
  control: Control<WithAssignments, unknown, Out>;
  /** Starts with a line for another role, ready for typing. */
  adding?: boolean;
};

/** The roles of a user, one line each: role, where, until when. */
export function AssignmentFields<Out>({ control, adding = false }: Props<Out>) {
  const t = useT();
  const roles = useRoleChoices();
  const places = useRolePlaces();
  const { fields, append, remove } = useFieldArray({ control, name: 'assignments' });
  const started = useRef(false);
  useEffect(() => {
    if (!adding || started.current) return;
    started.current = true;
    append(NEW_ASSIGNMENT);
  }, [adding, append]);
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="pb-1 font-medium">{t('Roles')}</legend>
      {fields.length === 0 && (
        <p className="text-muted">{t('Without a role, this user can sign in but sees nothing.')}</p>
      )}
      {fields.map((field, index) => (
        <div
          key={field.id}
          className="grid grid-cols-1 items-start gap-2 rounded-lg border p-3 sm:grid-cols-[1fr_1fr_10rem_auto]"
        >
          <ComboboxField control={control} name={`assignments.${index}.role_id`} label={t('Role')} options={roles} />
          <ComboboxField
            control={control}
            name={`assignments.${index}.tenant_id`}
            label={t('Scope')}
            options={places}
          />
          <TextField control={control} name={`assignments.${index}.until`} label={t('Last day')} optional type="date" />
          <IconButton
            label={t('Remove role {n}', { n: index + 1 })}
            icon={<Trash2 size={14} />}
            onClick={() => remove(index)}
            className="sm:mt-6"
          />
        </div>
      ))}
      <div>
        <Button size="sm" icon={<Plus size={14} />} onClick={() => append(NEW_ASSIGNMENT)}>
          {t('Add role')}
        </Button>
      </div>
    </fieldset>
  );
}
