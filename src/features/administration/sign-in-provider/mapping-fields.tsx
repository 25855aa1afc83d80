'use client';
import { Plus, Trash2 } from 'lucide-react';
import { type Control, useFieldArray } from 'react-hook-form';
import { useT } from '@/lib/i18n/use-t';
import { Button, IconButton } from '@/ui/button';
import { ComboboxField } from '@/ui/form/combobox-field';
import { TextField } from '@/ui/form/text-field';
import { Notice } from '@/ui/notice';
import type { Option } from '@/ui/option';
import { type MappingValues, NEW_MAPPING } from './provider-values';

type Props<V extends MappingValues, Out> = {
  control: Control<V, unknown, Out>;
  roles: readonly Option[];
  places: readonly Option[];
  lockedReason: string | null;
  /** Only members of these groups sign in: without one, no user does. */
  required?: boolean;
};

/** Which roles groups give, one line each: group, role, where. */
export function MappingFields<V extends MappingValues, Out>(props: Props<V, Out>) {
  const { roles, places, lockedReason, required = false } = props;
  const t = useT();
  // Every form of groups has them under this name; the rest of its fields is its own.
  const control = props.control as unknown as Control<MappingValues, unknown, unknown>;
  const { fields, append, remove } = useFieldArray({ control, name: 'mappings' });
  const disabled = lockedReason !== null;
  return (
    <div className="flex flex-col gap-3">
      {fields.length === 0 && !required && (
        <p className="text-muted">{t('No group maps to a role. Users get only manually assigned roles.')}</p>
      )}
      {fields.length === 0 && required && (
        <Notice tone="warn">{t('Add a group: without one, no user of the directory can sign in.')}</Notice>
      )}
      {fields.map((field, index) => (
        <div
          key={field.id}
          className="grid grid-cols-1 items-start gap-2 rounded-lg border p-3 sm:grid-cols-[1fr_1fr_1fr_auto]"
        >
          <TextField
            control={control}
            name={`mappings.${index}.group`}
            label={t('Group')}
            mono
            maxLength={256}
            disabled={disabled}
          />
          <ComboboxField
            control={control}
            name={`mappings.${index}.role_id`}
            label={t('Role')}
            options={roles}
            disabled={disabled}
          />
          <ComboboxField
            control={control}
            name={`mappings.${index}.tenant_id`}
            label={t('Scope')}
            options={places}
            disabled={disabled}
          />
          <IconButton
            label={t('Remove group {n}', { n: index + 1 })}
            icon={<Trash2 size={14} />}
            onClick={() => remove(index)}
            disabledReason={lockedReason}
            className="sm:mt-6"
          />
        </div>
      ))}
      <div>
        <Button size="sm" icon={<Plus size={14} />} onClick={() => append(NEW_MAPPING)} disabledReason={lockedReason}>
          {t('Add group')}
        </Button>
      </div>
    </div>
  );
}
