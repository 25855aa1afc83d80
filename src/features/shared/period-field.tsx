'use client';
import type { FieldValues } from 'react-hook-form';
import { RECERTIFICATION_PERIODS } from '@/domain/choices';
import { useT } from '@/lib/i18n/use-t';
import { FieldFrame, type FieldProps, useFramedField } from '@/ui/form/field-frame';
import { Select } from '@/ui/select';

type Period = (typeof RECERTIFICATION_PERIODS)[number];

/** How often policies have to be confirmed. */
export function PeriodField<V extends FieldValues, Out>(
  props: Omit<FieldProps<Period, V, Out>, 'label' | 'description'>,
) {
  const t = useT();
  const labeled = {
    ...props,
    label: t('Recertification period'),
    description: t('The owner of each policy confirms it once per period. A new policy counts as confirmed.'),
  };
  const { frame, handlers, value, onChange } = useFramedField<Period, V, Out, FieldProps<Period, V, Out>>(labeled);
  return (
    <FieldFrame {...frame} nativeLabel={false}>
      <Select<string>
        {...handlers}
        value={String(value ?? 'off')}
        onValueChange={(chosen) => onChange(RECERTIFICATION_PERIODS.find((days) => String(days) === chosen) ?? null)}
        options={[
          { value: 'off', label: t('Off') },
          ...RECERTIFICATION_PERIODS.map((n) => ({ value: String(n), label: t('Every {n} days', { n }) })),
        ]}
        {...(frame.disabled !== undefined && { disabled: frame.disabled })}
      />
    </FieldFrame>
  );
}
