'use client';
import { type Control, useController } from 'react-hook-form';
import { useT } from '@/lib/i18n/use-t';
import { EndpointPicker } from '../shared/policy-endpoints/endpoint-picker';
import type { TestValues } from './test-form-values';

type Props<V extends Pick<TestValues, 'from' | 'to'>, Out> = {
  control: Control<V, unknown, Out>;
  side: 'from' | 'to';
  description: string;
  tenantId?: string | null;
  projectId?: string | null;
};

/** One end of a test in its form. */
export function TestEnd<V extends Pick<TestValues, 'from' | 'to'>, Out>({
  control,
  side,
  description,
  tenantId = null,
  projectId = null,
}: Props<V, Out>) {
  const t = useT();
  const ends = control as unknown as Control<Pick<TestValues, 'from' | 'to'>, unknown, Out>;
  const { field, fieldState } = useController({ control: ends, name: side });
  return (
    <EndpointPicker
      name={field.name}
      label={side === 'from' ? t('From') : t('To')}
      description={description}
      value={field.value}
      onValueChange={(endpoints) => field.onChange(endpoints)}
      onBlur={field.onBlur}
      ref={field.ref}
      error={fieldState.error?.message}
      tenantId={tenantId}
      projectId={projectId}
      kind="tests"
    />
  );
}
