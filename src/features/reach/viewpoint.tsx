'use client';
import { useT } from '@/lib/i18n/use-t';
import { URL_TEXT, useUrlValue } from '@/lib/url-state';
import { FieldFrame } from '@/ui/form/field-frame';
import { Select } from '@/ui/select';
import { NO_TENANT, useTenantChoice } from '../shared/tenant-options';

/** In whose view a question is asked, in the URL: users with one tenant have nothing to choose. */
export function useViewpoint() {
  const { options, first } = useTenantChoice('workload:read');
  const [chosen, onChange] = useUrlValue('tenant_id', URL_TEXT);
  const value = options.some((option) => option.value === chosen) ? chosen : first;
  const input = options.length > 0 && value && value !== NO_TENANT ? { tenant_id: value } : {};
  return { options, value, input, onChange };
}

export function ViewpointField({ options, value, onChange }: Omit<ReturnType<typeof useViewpoint>, 'input'>) {
  const t = useT();
  if (options.length === 0) return null;
  return (
    <FieldFrame
      name="tenant_id"
      label={t('Tenant')}
      description={t('Workloads of other tenants are outside.')}
      error={undefined}
      nativeLabel={false}
    >
      <Select value={value} onValueChange={(next) => onChange(next === NO_TENANT ? null : next)} options={options} />
    </FieldFrame>
  );
}
