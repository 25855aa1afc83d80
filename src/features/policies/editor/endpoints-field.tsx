'use client';
import { type Control, useController } from 'react-hook-form';
import { useT } from '@/lib/i18n/use-t';
import { EndpointPicker } from '../../shared/policy-endpoints/endpoint-picker';
import type { PolicyValues } from './policy-form-values';

type Props = {
  // The form's output type does not matter here.
  control: Control<PolicyValues, unknown, never>;
  side: 'sources' | 'targets';
  description: string;
  tenantId: string | null;
  projectId: string | null;
};

/** Sources or targets in the form. Messages about one endpoint are shown for the field. */
export function EndpointsField({ control, side, description, tenantId, projectId }: Props) {
  const t = useT();
  const { field, fieldState } = useController({ control, name: `definition.${side}` });
  return (
    <EndpointPicker
      name={field.name}
      label={side === 'sources' ? t('From') : t('To')}
      description={description}
      value={field.value}
      onValueChange={(endpoints) => field.onChange(endpoints)}
      onBlur={field.onBlur}
      ref={field.ref}
      error={findMessage(fieldState.error)}
      tenantId={tenantId}
      projectId={projectId}
    />
  );
}

function findMessage(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('message' in error && typeof error.message === 'string') return error.message;
  for (const item of Object.values(error)) {
    const message = findMessage(item);
    if (message) return message;
  }
  return undefined;
}
