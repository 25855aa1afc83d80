'use client';
import { Plus, Trash2 } from 'lucide-react';
import { type Control, useFieldArray } from 'react-hook-form';
import { WEEKDAYS } from '@/domain/choices';
import { useT } from '@/lib/i18n/use-t';
import { Button, IconButton } from '@/ui/button';
import { Checkbox } from '@/ui/checkbox';
import { ComboboxField } from '@/ui/form/combobox-field';
import { FieldFrame, useField } from '@/ui/form/field-frame';
import { NumberField } from '@/ui/form/number-field';
import { TextField } from '@/ui/form/text-field';
import { DAY_LABELS } from '../../shared/change-rule-labels';
import { timeZoneOptions } from '../../shared/time-zone-options';
import { createWindow, type TenantValues } from './tenant-values';

type Props<Out> = { control: Control<TenantValues, unknown, Out> };

/** When changes to the tenant's rules may be applied, a window each. */
export function WindowFields<Out>({ control }: Props<Out>) {
  const t = useT();
  const { fields, append, remove } = useFieldArray({ control, name: 'maintenance_windows' });
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="mb-1 font-medium">{t('Maintenance windows')}</legend>
      <p className="text-sm text-pretty text-faint">
        {t('When changes limited to maintenance windows may be applied. Without windows: at any time.')}
      </p>
      {fields.map((field, index) => (
        <div key={field.id} className="flex flex-col gap-3 rounded-lg border p-3">
          <Days control={control} index={index} />
          <div className="grid grid-cols-2 items-start gap-3">
            <TextField
              control={control}
              name={`maintenance_windows.${index}.from`}
              label={t('Starts at')}
              placeholder="22:30"
              maxLength={5}
              mono
            />
            <NumberField
              control={control}
              name={`maintenance_windows.${index}.minutes`}
              label={t('Duration')}
              unit={t('minutes')}
              min={15}
              max={1440}
            />
          </div>
          <ComboboxField
            control={control}
            name={`maintenance_windows.${index}.time_zone`}
            label={t('Time zone')}
            options={timeZoneOptions()}
          />
          <div>
            <IconButton
              label={t('Remove window {n}', { n: index + 1 })}
              icon={<Trash2 size={14} />}
              onClick={() => remove(index)}
            />
          </div>
        </div>
      ))}
      <div>
        <Button size="sm" icon={<Plus size={14} />} onClick={() => append(createWindow())}>
          {t('Add maintenance window')}
        </Button>
      </div>
    </fieldset>
  );
}

function Days<Out>({ control, index }: Props<Out> & { index: number }) {
  const t = useT();
  const name = `maintenance_windows.${index}.days` as const;
  const { value, onChange, error } = useField<TenantValues['maintenance_windows'][number]['days'], TenantValues, Out>({
    control,
    name,
  });
  const chosen = value ?? [];
  return (
    <FieldFrame name={name} label={t('Days')} error={error} nativeLabel={false}>
      <div className="flex flex-wrap gap-x-4 gap-y-2">
        {WEEKDAYS.map((day) => (
          // biome-ignore lint/a11y/noLabelWithoutControl: the checkbox is a button inside of the label.
          <label key={day} className="flex items-center gap-1.5">
            <Checkbox
              checked={chosen.includes(day)}
              onCheckedChange={(checked) =>
                onChange(WEEKDAYS.filter((one) => (one === day ? checked : chosen.includes(one))))
              }
            />
            {t(DAY_LABELS[day])}
          </label>
        ))}
      </div>
    </FieldFrame>
  );
}
